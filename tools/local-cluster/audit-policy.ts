/** Who did what to which object, without the control plane's own housekeeping. */
export const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived", "ResponseStarted"],
  rules: [
    { level: "None", users: ["system:apiserver", "system:kube-controller-manager", "system:kube-scheduler"] },
    { level: "None", userGroups: ["system:nodes", "system:serviceaccounts:kube-system"] },
    { level: "None", nonResourceURLs: ["/healthz*", "/livez*", "/readyz*", "/version", "/openapi*", "/api*"] },
    { level: "Metadata" },
  ],
};
