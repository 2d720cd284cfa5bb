import * as z from "zod";
import { manifest, manifests, map, name, podCount, resources, section, text } from "./value-types.ts";

const image = section("The image.", {
  repository: z
    .string()
    .min(1)
    .default("ghcr.io/cloud-platform-operator/cloud-platform-operator")
    .describe("Where it is, without tag."),
  tag: text("Its tag. Default: the version of the chart's application."),
  digest: z
    .string()
    .regex(/^(sha256:[0-9a-f]{64})?$/)
    .default("")
    .describe("`sha256:…`: exactly this image, whatever the tag is."),
  pullPolicy: z.enum(["Always", "IfNotPresent", "Never"]).default("IfNotPresent").describe("When it is pulled."),
});

/** How the operator's pods run. */
export const pod = {
  image,
  imagePullSecrets: z
    .array(z.strictObject({ name }))
    .default([])
    .describe("Secrets to pull the image with, each `{name}`."),
  replicas: z
    .number()
    .int()
    .min(0)
    .max(10)
    .default(1)
    .describe("Pods of the operator. One of them works, the others stand by to take over."),
  strategy: manifest("How an upgrade replaces them. Default: Kubernetes' own, a rolling update."),
  revisionHistoryLimit: z.number().int().min(0).default(3).describe("Old ReplicaSets that are kept."),
  resources: resources({ cpu: "50m", memory: "128Mi" }, { memory: "512Mi" }),
  nodeSelector: map("Labels of the nodes they may run on."),
  tolerations: manifests("Taints they tolerate."),
  affinity: manifest("Where they prefer to run."),
  topologySpreadConstraints: manifests(
    "How they spread. A constraint without `labelSelector` gets the one of these pods.",
  ),
  priorityClassName: text("Their priority class."),
  terminationGracePeriodSeconds: z
    .number()
    .int()
    .min(15)
    .max(600)
    .default(30)
    .describe("How long a pod may take to end; what is under way is given ten seconds."),
  hostUsers: z.boolean().default(true).describe("False runs the pods in a user namespace of their own."),
  deploymentAnnotations: map("Annotations on the Deployment."),
  podLabels: map("Further labels on the pods."),
  podAnnotations: map("Annotations on the pods."),
  podSecurityContext: manifest("Security context of the pods; fits the Pod Security Standard `restricted`.", {
    runAsNonRoot: true,
    runAsUser: 65_532,
    runAsGroup: 65_532,
    seccompProfile: { type: "RuntimeDefault" },
  }),
  securityContext: manifest("Security context of the containers.", {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  }),
  probes: section("Health checks; the address is filled in.", {
    port: z.number().int().min(1024).max(65_535).default(8081).describe("Port of the health checks in the pods."),
    liveness: manifest("When a pod is restarted.", {
      initialDelaySeconds: 5,
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 3,
    }),
    readiness: manifest("When a pod counts as ready.", { periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 3 }),
  }),
  extraArgs: z.array(z.string()).default([]).describe("Further arguments of the operator."),
  extraEnv: manifests("Further environment variables, as in a Pod."),
  envFrom: manifests("ConfigMaps and Secrets whose keys become environment variables, as in a Pod."),
  initContainers: manifests("Containers that run before the operator, as in a Pod."),
  extraContainers: manifests("Containers that run beside the operator, as in a Pod."),
  dnsPolicy: text("How the pods resolve names. Default: that of Kubernetes, `ClusterFirst`."),
  dnsConfig: manifest("Name servers and options of the pods, as in a Pod."),
  hostAliases: manifests("Host names with fixed addresses, as in a Pod."),
  extraVolumes: manifests("Further volumes, as in a Pod."),
  extraVolumeMounts: manifests("Where they are mounted."),
  podDisruptionBudget: section("Keeps a pod running while nodes are drained.", {
    enabled: z.boolean().default(false).describe("Creates it; of use with two replicas or more."),
    minAvailable: podCount("Pods that must stay; excludes `maxUnavailable`."),
    maxUnavailable: podCount("Pods that may be gone. Default: 1."),
  }),
  networkPolicy: section("The NetworkPolicy of the operator's pods. It denies every connection that no rule allows.", {
    enabled: z
      .boolean()
      .default(true)
      .describe("Creates it. It has an effect only if the network plugin of the cluster enforces NetworkPolicies."),
    metricsFrom: manifests(
      "Clients that may connect to the metrics, as `from` in a NetworkPolicy. Empty: every client; secure metrics check its token.",
    ),
    extraIngress: manifests("Further `ingress` rules."),
    egressPorts: z
      .array(z.number().int().min(1).max(65_535))
      .default([443, 6443, 8443])
      .describe(
        "TCP ports that the operator may connect to, at any address. A NetworkPolicy can name neither the API server nor a host name, and it sees the port on which the API server listens, not the port of its Service. The defaults fit most clusters: add the port of your API server if it is another one. The chart adds DNS, the simulator and the ports of `endpoints`, `imageSources` and `settings.proxy`.",
      ),
    extraEgress: manifests("Further `egress` rules, for example for a collector of traces."),
  }),
};
