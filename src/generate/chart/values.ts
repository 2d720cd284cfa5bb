/**
 * Values of the Helm chart: names, bounds, defaults and descriptions. The generator writes values.yaml, its JSON schema
 * and the table in the README of the chart.
 */
import * as z from "zod";
import { looseSection, manifests, map, name, nothing, resources, section, text } from "./value-types.ts";
import { metrics } from "./metrics-values.ts";
import { pod } from "./pod-values.ts";
import { settings } from "./settings-values.ts";

const authority = (what: string) =>
  z
    .strictObject({ name, key: z.string().min(1).default("ca.crt") })
    .optional()
    .describe(`${what} in the namespace of the release with the trusted certificate authorities, in PEM format.`);

const endpoint = z.strictObject({
  url: z
    .string()
    .regex(/^https?:\/\/[^@\s]+$/)
    .describe("Address of the cloud API."),
  caSecret: authority("Secret"),
  caConfigMap: authority("ConfigMap"),
  requestsInTwoMinutes: z
    .int()
    .min(20)
    .optional()
    .describe("Number of requests that the cloud API permits for each account in two minutes. Defaults to 1600."),
});

const endpoints = z
  .record(z.string().regex(/^[a-z0-9][-a-z0-9]*$/), endpoint)
  .default({})
  .describe(
    "Cloud APIs by name, each with its `url`. For a private certificate authority, add `caSecret` or `caConfigMap` with `name` and `key`. `requestsInTwoMinutes` is the rate limit of an account, 1600 by default. A CloudAccount selects an endpoint by name, or uses `default`. Without the simulator, you need at least one endpoint.",
  );

const watch = section("Namespaces that the release manages.", {
  namespaces: z
    .array(name)
    .default([])
    .describe(
      "List of the namespaces. Empty means all namespaces. With a list, the operator has a Role in each namespace, and a single ClusterRole, which checks readers of secure metrics. Several releases can share a cluster if their lists do not overlap.",
    ),
});

const crds = section("Custom resource definitions. Only one release in a cluster installs the definitions.", {
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "Installs and upgrades the definitions with this release. Set to false for every further release in the cluster.",
    ),
  keep: z
    .boolean()
    .default(true)
    .describe(
      "Keeps the definitions and all their objects in the cluster after `helm uninstall`. With false, Kubernetes also deletes the definitions and their objects.",
    ),
  allowDowngrade: z
    .boolean()
    .default(false)
    .describe(
      "Permits an older chart to replace newer definitions. The API server then drops fields that only the newer definitions contain.",
    ),
});

const rbac = section("Permissions of the operator and of users.", {
  create: z.boolean().default(true).describe("Creates the operator's roles and bindings."),
  aggregateRoles: z
    .boolean()
    .nullable()
    .default(nothing)
    .describe(
      "Creates ClusterRoles for users: a viewer and an editor, which Kubernetes aggregates into `view` and `edit`, and an admin, which you bind by hand. Defaults to `crds.enabled`.",
    ),
});

const serviceAccount = section("Service account of the operator.", {
  create: z.boolean().default(true).describe("Creates the service account."),
  name: text("Name of the service account. Defaults to the full name of the release."),
  annotations: map("Annotations of the service account."),
  automount: z
    .boolean()
    .default(true)
    .describe("Mounts the token of the service account. With false, mount a token with `extraVolumes`."),
});

const simulator = section("Simulator of the cloud, for tests without an account.", {
  enabled: z
    .boolean()
    .default(false)
    .describe(
      "Runs the simulator in a separate pod. The simulator is the endpoint `default`, unless `endpoints` contains `default`.",
    ),
  token: z
    .string()
    .min(8)
    .default("simulator-demo-token")
    .describe("Token that the simulator accepts. The token protects only simulated data."),
  timeScale: z
    .number()
    .min(0.001)
    .max(1_000_000)
    .default(60)
    .describe("Speed of the simulated jobs, as a multiple of the real cloud."),
  extraArgs: z.array(z.string()).default([]).describe("Additional arguments of the simulator."),
  resources: resources({ cpu: "10m", memory: "128Mi" }, { memory: "512Mi" }),
  networkPolicy: section("NetworkPolicy of the simulator's pod. The policy denies every outgoing connection.", {
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Creates the NetworkPolicy. Pods in the namespace of the release may connect to the API and the control page of the simulator. `kubectl port-forward` also works.",
      ),
    extraIngress: manifests("Additional `ingress` rules, for example for a test in a different namespace."),
  }),
});

/** All values; sections are objects without a default of their own. */
export const values = z.strictObject({
  global: looseSection("Values that a parent chart sets for all subcharts. The chart ignores further keys.", {
    imageRegistry: text("Registry of the images. Replaces the registry in `image.repository`."),
    imagePullSecrets: z.array(z.strictObject({ name })).default([]).describe("Additional Secrets for pulling images."),
  }),
  nameOverride: text("Replaces the name of the chart in the names of objects."),
  fullnameOverride: text("Replaces the full name of the release in the names of objects."),
  namespaceOverride: z
    .string()
    .max(63)
    .regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/)
    .default("")
    .describe("Namespace of the objects. Defaults to the namespace of the release. The namespace must exist."),
  commonLabels: map("Labels of every object of the chart."),
  commonAnnotations: map("Annotations of every object of the chart."),
  endpoints,
  brandWord: z
    .string()
    .regex(/^([a-z][a-z0-9]{1,31})?$/)
    .default("")
    .describe("Brand word that the cloud API uses in place of `compute`. Defaults to `compute`."),
  readOnly: z
    .boolean()
    .default(false)
    .describe(
      "Sends no request that changes the cloud. Each object shows the requests that the operator would send in `status.plan`. Use the value to try the operator with a real account.",
    ),
  installationId: z
    .string()
    .regex(/^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/)
    .default("")
    .describe(
      "Identifier of the installation. The operator marks new cloud objects with the identifier. Set a value, so that a rebuilt cluster recognizes its cloud objects. Defaults to an identifier from the UID of the namespace kube-system.",
    ),
  installationKey: section(
    "Key with which the operator signs its annotations. The operator creates the Secret with the key at its first start. Back up the Secret together with the objects. `helm uninstall` does not delete the Secret.",
    {
      existingSecret: z
        .string()
        .max(253)
        .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/)
        .default("")
        .describe(
          "Name of your own Secret with at least 32 random bytes under `key`, in the namespace of the Lease. The operator then has no permission to create a Secret for the key. Defaults to `<full name>-installation-key`, which the operator creates.",
        ),
    },
  ),
  watch,
  checks: section("Checks of the cluster before the installation.", {
    otherReleases: z
      .boolean()
      .default(true)
      .describe(
        "Refuses the installation if a different release manages the same objects. The check reads Roles and ClusterRoles. Set to false if your user has permissions only in single namespaces.",
      ),
  }),
  settings,
  crds,
  rbac,
  serviceAccount,
  disabledKinds: z
    .array(z.string().regex(/^[A-Z][A-Za-z0-9]*$/))
    .default([])
    .describe(
      "Kinds that the operator does not manage, such as `AccountAction`. The chart installs neither definitions nor permissions for the kinds. Delete their objects before: the operator does not remove the finalizer from remaining objects. With `crds.keep`, existing definitions stay.",
    ),
  imageSources: z
    .array(z.string().regex(/^https?:\/\/[^/]+$/))
    .default([])
    .describe(
      "Permitted origins for `spec.source.download` of an Image, such as `https://images.example.org`. Empty permits no download. Every user who can create an Image can make the operator read from the origins.",
    ),
  catalogs: section("Catalogs of the cloud as objects of the cluster, such as regions, types, kernels and engines.", {
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Maintains the catalogs of the endpoint `default`, for example for `kubectl get cpregions`. Has no effect with `watch.namespaces`, because catalogs need permissions in the whole cluster.",
      ),
  }),
  protectByDefault: z
    .boolean()
    .default(false)
    .describe(
      "Protects each object with data in the cloud, such as an instance, a database or a domain, as with `spec.management.protect: true`. To delete such an object, set `spec.management.protect` to false in its manifest. Needs `protectPolicy`.",
    ),
  protectPolicy: section("Admission policy for `spec.management.protect`.", {
    enabled: z.boolean().nullable().default(nothing).describe("Installs the policy. Defaults to `crds.enabled`."),
  }),
  riskPolicies: section(
    "Admission policies that warn about risky settings, such as an SSH port that is open to the whole internet, and about deletions of data in the cloud. The policies refuse no request.",
    { enabled: z.boolean().nullable().default(nothing).describe("Installs the policies. Defaults to `crds.enabled`.") },
  ),
  secretPolicies: section(
    "Admission policies that check whether the author of a custom resource may read the referenced Secret or ConfigMap.",
    {
      enabled: z
        .boolean()
        .nullable()
        .default(nothing)
        .describe(
          "Installs the policies. Defaults to `crds.enabled`. Without the policies, each user who can create a BucketObject or a ComputeInstance can make the operator read every Secret of the namespace, except tokens and the installation key.",
        ),
    },
  ),
  journalPolicy: section(
    "Admission policy for the namespaces of the release. Only the operator can change the annotation `cloudplatform.dev/journal` and remove the finalizer.",
    {
      enabled: z
        .boolean()
        .nullable()
        .default(nothing)
        .describe(
          "Installs the policy. Defaults to `crds.enabled`. Set to true for a further release if you can create admission policies.",
        ),
      operatorUser: z
        .string()
        .regex(/^[-\w.:@/+=]*$/)
        .default("")
        .describe(
          "User name of the operator at the API server, if the operator does not use its service account. Defaults to `system:serviceaccount:<namespace>:<name>`.",
        ),
    },
  ),
  uninstallGuard: section("Job that runs before `helm uninstall`.", {
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Refuses `helm uninstall` while objects still have the finalizer of the operator. The log of the job lists the objects and the remedies.",
      ),
    resources: resources({ cpu: "50m", memory: "128Mi" }, { memory: "256Mi" }),
  }),
  ...pod,
  metrics,
  simulator,
  extraObjects: z
    .array(z.union([z.string(), z.looseObject({})]))
    .default([])
    .describe("Additional objects of the release, as maps or as texts with template expressions."),
});
