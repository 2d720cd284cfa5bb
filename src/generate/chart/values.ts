/**
 * The values of the Helm chart: names, bounds, defaults and what each is for, in one place. values.yaml, its JSON schema
 * and the table of the chart's README are made of this.
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
    .describe(`${what} of the release's namespace with the authorities to trust, in PEM form.`);

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
    .describe("How many requests in two minutes it lets each account send in all, where that is not 1600."),
});

const endpoints = z
  .record(z.string().regex(/^[a-z0-9][-a-z0-9]*$/), endpoint)
  .default({})
  .describe(
    "Cloud APIs by name, each with its `url` and, where their authority is not a public one, `caSecret` or `caConfigMap` with `name` and `key`, and `requestsInTwoMinutes`, where an account may send more or less in all than 1600. A CloudAccount picks one by its name, or uses `default`. At least one is needed unless the simulator is enabled.",
  );

const watch = section("The namespaces that this release manages.", {
  namespaces: z
    .array(name)
    .default([])
    .describe(
      "The operator then has Roles in these namespaces. It has no ClusterRole but the one to check readers of secure metrics. Empty: all namespaces. Several releases can share a cluster if no namespace is in two of them.",
    ),
});

const crds = section("Custom resource definitions; one release of a cluster brings them.", {
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "Installs and upgrades them with this release. Set it to false for every further release in the cluster.",
    ),
  keep: z
    .boolean()
    .default(true)
    .describe("Leaves them, and with them all objects, in the cluster when the release is uninstalled."),
  allowDowngrade: z
    .boolean()
    .default(false)
    .describe(
      "Lets an older chart replace definitions of a newer one, which drops the fields that only the newer knows.",
    ),
});

const rbac = section("Permissions.", {
  create: z.boolean().default(true).describe("Creates the operator's roles and bindings."),
  aggregateRoles: z
    .boolean()
    .nullable()
    .default(nothing)
    .describe(
      "ClusterRoles for people: a viewer and an editor, which add themselves to Kubernetes' own `view` and `edit`, and an admin to bind by hand. Default: as `crds.enabled`.",
    ),
});

const serviceAccount = section("The operator's identity.", {
  create: z.boolean().default(true).describe("Creates the service account."),
  name: text("Its name. Default: the full name of the release."),
  annotations: map("Annotations on it."),
  automount: z
    .boolean()
    .default(true)
    .describe("Whether its token is mounted. Without it, bring one by `extraVolumes`."),
});

const simulator = section("The simulator of the cloud, to try everything without an account.", {
  enabled: z
    .boolean()
    .default(false)
    .describe("Runs it beside the operator, as endpoint `default` unless `endpoints` has one of that name."),
  token: z
    .string()
    .min(8)
    .default("simulator-demo-token")
    .describe("Token that it accepts. It protects simulated data only."),
  timeScale: z
    .number()
    .min(0.001)
    .max(1_000_000)
    .default(60)
    .describe("How much faster than the real cloud its jobs run."),
  extraArgs: z.array(z.string()).default([]).describe("Further arguments."),
  resources: resources({ cpu: "10m", memory: "128Mi" }, { memory: "512Mi" }),
  networkPolicy: section("The NetworkPolicy of the simulator's pod. It denies every outgoing connection.", {
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Creates it. Pods of the release's namespace may connect to the simulator, its API and its control page. `kubectl port-forward` works too.",
      ),
    extraIngress: manifests("Further `ingress` rules, for example for a test in another namespace."),
  }),
});

/** All values; sections are objects without a default of their own. */
export const values = z.strictObject({
  global: looseSection("What a chart around this one sets for all of its charts; further keys are not used.", {
    imageRegistry: text("Registry of the images, instead of the one in `image.repository`."),
    imagePullSecrets: z.array(z.strictObject({ name })).default([]).describe("Further Secrets to pull images with."),
  }),
  nameOverride: text("Replaces the chart's name in the names of what is created."),
  fullnameOverride: text("Replaces the whole name."),
  namespaceOverride: z
    .string()
    .max(63)
    .regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/)
    .default("")
    .describe("Namespace of what is created, instead of the release's. It must exist."),
  commonLabels: map("Labels on everything that is created."),
  commonAnnotations: map("Annotations on everything that is created."),
  endpoints,
  brandWord: z
    .string()
    .regex(/^([a-z][a-z0-9]{1,31})?$/)
    .default("")
    .describe("The word that the cloud API writes where its documents write `compute`. Default: `compute`."),
  installationId: z
    .string()
    .regex(/^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/)
    .default("")
    .describe(
      "Marks in the cloud what this installation creates. Set it, so that a rebuilt cluster knows its own. Default: derived from the UID of the namespace kube-system.",
    ),
  installationKey: section(
    "The key with which the operator signs what it notes on objects, in a Secret that it makes at its first start. Back it up together with the objects. It stays when the release is uninstalled.",
    {
      existingSecret: z
        .string()
        .max(253)
        .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/)
        .default("")
        .describe(
          "A Secret that you make yourself, in the namespace of the Lease, with at least 32 random bytes under `key`; the operator then gets no permission to create one. Default: the operator creates `<full name>-installation-key`.",
        ),
    },
  ),
  watch,
  checks: section("What is checked in the cluster before anything is installed.", {
    otherReleases: z
      .boolean()
      .default(true)
      .describe(
        "Refuses to install where another release manages the same objects. Needs to read Roles and ClusterRoles; set it to false where the person who installs has permissions in single namespaces only.",
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
      "Kinds that are not managed, such as `AccountAction`: no definition, no permission, no watch. Delete their objects before: those that are left have nobody who takes their finalizer off. Definitions that were installed before stay where `crds.keep` is set.",
    ),
  imageSources: z
    .array(z.string().regex(/^https?:\/\/[^/]+$/))
    .default([])
    .describe(
      "Origins that data of images may be read from, by `spec.source.download` of an Image, such as `https://images.example.org`; from nowhere if empty. Whoever may create an Image has the operator read there.",
    ),
  catalogs: section("Regions, types, kernels, engines and other catalogs of the cloud as objects of the cluster.", {
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Shows the catalogs of the endpoint `default`, by `kubectl get cpregions`, and keeps them. Never with `watch.namespaces`, since they need permissions in the cluster.",
      ),
  }),
  protectPolicy: section("The admission policy behind `spec.management.protect`.", {
    enabled: z.boolean().nullable().default(nothing).describe("Installs it. Default: as `crds.enabled`."),
  }),
  riskPolicies: section(
    "The admission policies that warn of risky settings, such as a port for SSH that is open to the whole internet; they refuse nothing.",
    { enabled: z.boolean().nullable().default(nothing).describe("Installs them. Default: as `crds.enabled`.") },
  ),
  secretPolicies: section(
    "The admission policies that ask whether the author of a custom resource may read the Secret or ConfigMap that the resource names.",
    {
      enabled: z
        .boolean()
        .nullable()
        .default(nothing)
        .describe(
          "Installs them. Default: as `crds.enabled`. Without them, each user that may create a BucketObject or a ComputeInstance can have the operator read any Secret of the namespace, except tokens and the installation key.",
        ),
    },
  ),
  intentPolicy: section(
    "The admission policy that lets nobody but the operator change the annotation `cloudplatform.dev/intent` or take the finalizer off, in the namespaces that this release manages.",
    {
      enabled: z
        .boolean()
        .nullable()
        .default(nothing)
        .describe(
          "Installs it. Default: as `crds.enabled`. Set it to true for a further release where you may make admission policies.",
        ),
      operatorUser: z
        .string()
        .regex(/^[-\w.:@/+=]*$/)
        .default("")
        .describe(
          "Name under which the API server knows the operator, where that is not its service account. Default: `system:serviceaccount:<namespace>:<name>`.",
        ),
    },
  ),
  uninstallGuard: section("A job that runs before the release is uninstalled.", {
    enabled: z
      .boolean()
      .default(true)
      .describe("Refuses to uninstall while objects still need the operator to be deleted, and says what to do."),
    resources: resources({ cpu: "50m", memory: "128Mi" }, { memory: "256Mi" }),
  }),
  ...pod,
  metrics,
  simulator,
  extraObjects: z
    .array(z.union([z.string(), z.looseObject({})]))
    .default([])
    .describe("Further objects to install with the release, as maps or as texts with template expressions."),
});
