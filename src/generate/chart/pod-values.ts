import * as z from "zod";
import { manifest, manifests, map, name, podCount, resources, section, text } from "./value-types.ts";

const image = section("Image of the operator.", {
  repository: z
    .string()
    .min(1)
    .default("ghcr.io/cloud-platform-operator/cloud-platform-operator")
    .describe("Registry and name of the image, without tag."),
  tag: text("Tag of the image. Defaults to the appVersion of the chart."),
  digest: z
    .string()
    .regex(/^(sha256:[0-9a-f]{64})?$/)
    .default("")
    .describe("Digest of the image, as `sha256:…`. Has priority over the tag."),
  pullPolicy: z.enum(["Always", "IfNotPresent", "Never"]).default("IfNotPresent").describe("Pull policy of the image."),
});

export const pod = {
  image,
  imagePullSecrets: z
    .array(z.strictObject({ name }))
    .default([])
    .describe("Secrets for pulling the image. Each entry is `{name}`."),
  replicas: z
    .number()
    .int()
    .min(0)
    .max(10)
    .default(1)
    .describe("Number of pods. One pod is the leader, and a standby pod takes over if the leader fails."),
  strategy: manifest("Update strategy of the Deployment. Defaults to a rolling update, the default of Kubernetes."),
  revisionHistoryLimit: z.number().int().min(0).default(3).describe("Number of old ReplicaSets that Kubernetes keeps."),
  resources: resources({ cpu: "50m", memory: "128Mi" }, { memory: "512Mi" }),
  nodeSelector: map("Node labels that the pods require."),
  tolerations: manifests("Taints that the pods tolerate."),
  affinity: manifest("Affinity of the pods."),
  topologySpreadConstraints: manifests(
    "Spread constraints of the pods. The chart adds the label selector of the pods to a constraint without `labelSelector`.",
  ),
  priorityClassName: text("Priority class of the pods."),
  terminationGracePeriodSeconds: z
    .number()
    .int()
    .min(15)
    .max(600)
    .default(30)
    .describe("Time for the shutdown of a pod, in seconds. The operator gives requests in flight ten seconds."),
  hostUsers: z.boolean().default(true).describe("With false, the pods run in a separate user namespace."),
  deploymentAnnotations: map("Annotations of the Deployment."),
  podLabels: map("Additional labels of the pods."),
  podAnnotations: map("Annotations of the pods."),
  podSecurityContext: manifest(
    "Security context of the pods. The default conforms to the Pod Security Standard `restricted`.",
    {
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    },
  ),
  securityContext: manifest("Security context of the containers.", {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  }),
  probes: section("Health checks of the pods. The chart adds path and port to the probes.", {
    port: z.number().int().min(1024).max(65_535).default(8081).describe("Port of the health checks in the pods."),
    liveness: manifest("Liveness probe. Kubernetes restarts a pod after a failure.", {
      initialDelaySeconds: 5,
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 3,
    }),
    readiness: manifest("Readiness probe.", { periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 3 }),
  }),
  extraArgs: z.array(z.string()).default([]).describe("Additional command line arguments of the operator."),
  extraEnv: manifests("Additional environment variables, in the format of a Pod."),
  envFrom: manifests("ConfigMaps and Secrets as environment variables, in the format of a Pod."),
  initContainers: manifests("Containers that run before the operator, in the format of a Pod."),
  extraContainers: manifests("Additional containers in the pods of the operator, in the format of a Pod."),
  dnsPolicy: text("DNS policy of the pods. Defaults to `ClusterFirst`, the default of Kubernetes."),
  dnsConfig: manifest("Name servers and options of the pods, in the format of a Pod."),
  hostAliases: manifests("Host names with fixed addresses, in the format of a Pod."),
  extraVolumes: manifests("Additional volumes, in the format of a Pod."),
  extraVolumeMounts: manifests("Mounts of the additional volumes in the container of the operator."),
  podDisruptionBudget: section("PodDisruptionBudget: keeps a pod running during a drain of nodes.", {
    enabled: z.boolean().default(false).describe("Creates the PodDisruptionBudget. Useful with two or more replicas."),
    minAvailable: podCount("Minimum of available pods. Excludes `maxUnavailable`."),
    maxUnavailable: podCount("Maximum of unavailable pods. Defaults to 1."),
  }),
  networkPolicy: section(
    "NetworkPolicy of the operator's pods. The policy denies every connection that no rule allows.",
    {
      enabled: z
        .boolean()
        .default(true)
        .describe(
          "Creates the NetworkPolicy. The policy has an effect only if the network plugin of the cluster enforces NetworkPolicies.",
        ),
      metricsFrom: manifests(
        "Clients that may connect to the metrics, in the format of `from` in a NetworkPolicy. Empty means every client. Secure metrics check the token of the client.",
      ),
      extraIngress: manifests("Additional `ingress` rules."),
      egressPorts: z
        .array(z.number().int().min(1).max(65_535))
        .default([443, 6443, 8443])
        .describe(
          "TCP ports that the operator may connect to, at any address. A NetworkPolicy can name neither the API server nor a host name. The policy applies to the port on which the API server listens, not to the port of its Service. If your API server listens on a different port, add the port. The chart adds DNS, the simulator and the ports of `endpoints`, `imageSources` and `settings.proxy`.",
        ),
      extraEgress: manifests("Additional `egress` rules, for example for a trace collector."),
    },
  ),
};
