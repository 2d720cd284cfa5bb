import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { valuesSchema } from "../../src/generate/chart/values-schema.ts";
import { settings } from "../../src/process/settings.ts";
import { readConfiguration } from "../../src/process/configuration.ts";
import { ensureGoTool } from "../../tools/go-tool/ensure.ts";
import { chart, helm, only, rendered } from "./rendered.ts";
import type { Manifest } from "./rendered.ts";

/** The chart as helm alone sees it: what it accepts, what it refuses and in which words. Needs no cluster, just helm. */
const simulated = { simulator: { enabled: true } };

describe("values that fit", () => {
  const accepted = [
    { values: {}, reason: "the defaults, before anybody has named a service" },
    { values: simulated, reason: "what a newcomer tries" },
    { values: { ...simulated, replicas: 2, podDisruptionBudget: { enabled: true } }, reason: "two pods" },
    { values: { ...simulated, watch: { namespaces: ["a", "b"] }, installationId: "x" }, reason: "listed namespaces" },
    { values: { ...simulated, crds: { enabled: false }, rbac: { create: false } }, reason: "rights by other means" },
    {
      values: {
        ...simulated,
        metrics: {
          ...Object.fromEntries(
            ["serviceMonitor", "prometheusRule", "dashboard"].map((name) => [name, { enabled: true }]),
          ),
          podMonitor: { enabled: true, authorization: { credentials: { name: "reader", key: "token" } } },
        },
      },
      reason: "every option at once",
    },
  ];

  it.each(accepted)("pass helm's strict lint: $reason", async ({ values }) => {
    const { code, stdout, stderr } = await helm(["lint", "--strict", chart], { values });
    expect(code, stdout + stderr).toBe(0);
  });

  it("pass the unit tests of the chart, which are rendered with Helm 3", { timeout: 60_000 }, async () => {
    const { stdout } = await promisify(execFile)(await ensureGoTool("helm-unittest"), [chart]);
    expect(stdout).toMatch(/Tests: +\d+ passed, \d+ total/);
  });
});

describe("values that do not fit are refused in words that name them", () => {
  const refused = [
    { values: { replica: 2 }, says: "additional properties 'replica' not allowed", reason: "a key that is none" },
    { values: { image: { tagg: "x" } }, says: "at '/image': additional properties 'tagg'", reason: "one further down" },
    { values: { replicas: "two" }, says: "at '/replicas': got string, want integer", reason: "a text for a number" },
    { values: { replicas: -1 }, says: "at '/replicas': minimum: got -1, want 0", reason: "a number out of bounds" },
    { values: { image: { digest: "abc" } }, says: "at '/image/digest': 'abc' does not match", reason: "no digest" },
    {
      values: { image: { pullPolicy: "Often" } },
      says: "at '/image/pullPolicy'",
      reason: "a word that is none of them",
    },
    { values: { endpoints: { a: {} } }, says: "at '/endpoints/a': missing property 'url'", reason: "no address" },
    { values: { endpoints: { a: { url: "ftp://x" } } }, says: "at '/endpoints/a/url'", reason: "not over HTTP" },
    {
      values: { endpoints: { a: { url: "https://u:p@x" } } },
      says: "at '/endpoints/a/url'",
      reason: "a password in it",
    },
    {
      values: { watch: { namespaces: ["Team A"] } },
      says: "at '/watch/namespaces/0'",
      reason: "no name of a namespace",
    },
    { values: { settings: { pollSeconds: 1 } }, says: "at '/settings/pollSeconds'", reason: "faster than allowed" },
    { values: { settings: { speed: 1 } }, says: "additional properties 'speed'", reason: "no setting of the operator" },
    {
      values: { podDisruptionBudget: { minAvailable: "1/2" } },
      says: "'/podDisruptionBudget/minAvailable'",
      reason: "a share",
    },
    {
      values: { crds: { enabled: "no" } },
      says: "at '/crds/enabled': got string, want boolean",
      reason: "a text for a flag",
    },
    {
      values: { installationKey: { existingSecret: "A Key" } },
      says: "'/installationKey/existingSecret'",
      reason: "no name of a Secret",
    },
    {
      values: { journalPolicy: { operatorUser: "it's me" } },
      says: "at '/journalPolicy/operatorUser'",
      reason: "what would end a text in an expression",
    },
    { values: { disabledKinds: ["Tagg"] }, says: "disabledKinds: there is no kind Tagg; kinds are", reason: "no kind" },
    {
      values: { disabledKinds: ["CloudAccount"] },
      says: "disabledKinds: CloudAccount cannot be disabled",
      reason: "the kind that all others need",
    },
    { values: { metrics: null }, says: "missing property 'metrics'", reason: "a section taken away" },
  ];

  it.each(refused)("$reason: $says", async ({ values, says }) => {
    const { code, stderr } = await helm(["template", "cpo", chart], { values: { ...simulated, ...values } });
    expect(code).not.toBe(0);
    expect(stderr).toContain(says);
  });

  it("a Kubernetes that is too old", async () => {
    const old = await helm(["template", "cpo", chart, "--kube-version", "1.32.9"], { values: simulated });
    expect(old.stderr).toContain("requires kubeVersion: >=1.33.0-0 which is incompatible with Kubernetes v1.32.9");
    const vendor = await helm(["template", "cpo", chart, "--kube-version", "v1.33.1-eks-1234"], { values: simulated });
    expect(vendor.stderr).toBe("");
  });
});

describe("kinds that are switched off", () => {
  it("may not read ConfigMaps where nothing is left that does", async () => {
    const verbs = async (values: object): Promise<string[]> => {
      const { manifests } = await rendered({ ...simulated, ...values });
      const roles = manifests as unknown as { rules?: { resources?: string[]; verbs: string[] }[] }[];
      const rules = roles.flatMap((manifest) => manifest.rules ?? []);
      return rules.find(({ resources }) => resources?.includes("configmaps"))?.verbs ?? [];
    };
    expect(await verbs({})).toEqual(["get", "list", "watch"]);
    expect(await verbs({ settings: { secretAccess: "get" } })).toEqual(["get"]);
    expect(await verbs({ disabledKinds: ["BucketObject"] })).toEqual([]);
  });

  it("have no definition, and only the operator gets a permission for them: to list what is left", async () => {
    const catalogs = [
      "BetaProgram",
      "ComputeType",
      "DatabaseEngine",
      "Kernel",
      "ObjectStorageCluster",
      "PublicImage",
      "Region",
    ];
    const { manifests } = await rendered({ ...simulated, disabledKinds: ["AccountAction", "Image", ...catalogs] });
    const all = await rendered(simulated);
    const definitions = (of: Manifest[]) => of.filter(({ kind }) => kind === "CustomResourceDefinition").length;
    expect(definitions(manifests)).toBe(definitions(all.manifests) - catalogs.length - 2);
    const roles = manifests.filter(({ kind }) => kind === "Role" || kind === "ClusterRole");
    // The rule for readers of metrics names a URL instead of resources.
    const rules = roles
      .flatMap(({ rules: of }) => of as { resources?: string[]; verbs: string[] }[])
      .filter((rule) => rule.resources);
    expect(rules.filter(({ resources }) => resources?.length === 0)).toEqual([]);
    const named = rules.flatMap(({ resources = [] }) => resources);
    expect(named).toContain("buckets/status");
    expect(named.filter((one) => /^(accountactions|images|regions|computetypes)/.test(one))).toEqual([
      "accountactions",
      "images",
    ]);
    const left = rules.filter(({ resources }) => resources?.includes("images"));
    expect(left.map(({ verbs }) => verbs)).toEqual([["list", "watch"]]);
    const { spec } = only(manifests, "Deployment", "cpo-cloud-platform-operator") as unknown as {
      spec: { template: { spec: { containers: { args: string[] }[] } } };
    };
    expect(spec.template.spec.containers[0]?.args).toContain("--disabled-kind=AccountAction");
  });
});

describe("the operator's settings", () => {
  /** Settings that a value of another name stands for. */
  const elsewhere: Partial<Record<keyof typeof settings, object>> = {
    namespaces: { watch: { namespaces: ["a"] } },
    endpoints: { endpoints: { default: { url: "https://x.example.org" } } },
    endpointCAs: { endpoints: { default: { url: "https://x.example.org", caSecret: { name: "ca" } } } },
    endpointLimits: { endpoints: { default: { url: "https://x.example.org", requestsInTwoMinutes: 9_600_000 } } },
    brandWord: { brandWord: "acme" },
    disabledKinds: { disabledKinds: ["Tag"] },
    imageSources: { imageSources: ["https://images.example.org"] },
    catalogs: { catalogs: { enabled: false } },
    installationId: { installationId: "x" },
    installationKeySecret: { installationKey: { existingSecret: "mine" } },
    roleName: { watch: { namespaces: ["a"] } },
    metricsAddress: { metrics: { port: 9090 } },
    metricsSecure: {},
    metricsCertificate: { metrics: { secure: { certificateSecret: "metrics-tls" } } },
    healthAddress: { probes: { port: 9091 } },
    proxy: { settings: { proxy: "http://proxy.example.org:3128" } },
    secretAccess: { settings: { secretAccess: "get" } },
    readOnly: { readOnly: true },
    protectByDefault: { protectByDefault: true },
    // A pod uses its service account; who wants otherwise brings a file by a volume.
    kubeconfig: { extraArgs: ["--kubeconfig=/etc/elsewhere/kubeconfig"] },
  };
  const sample = { integer: 30, boolean: false, string: "debug" };
  const inSettings = valuesSchema().properties?.["settings"]?.properties ?? {};

  it.each(Object.entries(settings))("%s can be set by the chart", async (name, { flag }) => {
    const schema = inSettings[name];
    const value = name === "logFormat" ? "text" : sample[schema?.type as keyof typeof sample];
    const values = elsewhere[name as keyof typeof settings] ?? { settings: { [name]: value } };
    const args = await argumentsFor({ ...simulated, installationId: "x", ...values });
    expect(
      args.some((arg) => arg.startsWith(`${flag.split(" ")[0]}=`)),
      args.join(" "),
    ).toBe(true);
    expect(() => readConfiguration(args.slice(1), {})).not.toThrow();
  });

  it("of the chart are all settings of the operator", () => {
    expect(Object.keys(inSettings).filter((name) => !(name in settings))).toEqual([]);
  });

  it.each(Object.entries(inSettings).filter(([, { type }]) => type === "integer"))(
    "%s has the same bounds in the chart",
    (name, { minimum, maximum }) => {
      const { parse: read } = settings[name as "workers"];
      expect([read(String(minimum)), read(String(maximum))]).toEqual([minimum, maximum]);
      expect(() => read(String(Number(minimum) - 1))).toThrow("must be");
      expect(() => read(String(Number(maximum) + 1))).toThrow("must be");
    },
  );
});

describe("the chart", () => {
  it("puts what is asked for on the pods and the Deployment", async () => {
    const alias = { ip: "192.0.2.1", hostnames: ["api.example.org"] };
    const sidecar = { name: "sidecar", image: "example.org/sidecar:1" };
    const { manifests } = await rendered({
      ...simulated,
      envFrom: [{ secretRef: { name: "proxy" } }],
      initContainers: [{ ...sidecar, name: "first" }],
      extraContainers: [sidecar],
      dnsPolicy: "None",
      dnsConfig: { nameservers: ["192.0.2.53"] },
      hostAliases: [alias],
      deploymentAnnotations: { "example.org/owner": "web" },
    });
    const deployment = only(manifests, "Deployment", "cpo-cloud-platform-operator");
    const { spec } = (deployment["spec"] as { template: { spec: Record<string, unknown[]> } }).template;
    expect(deployment.metadata.annotations).toEqual({ "example.org/owner": "web" });
    expect(spec).toMatchObject({ dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.53"] }, hostAliases: [alias] });
    expect(spec["initContainers"]).toEqual([{ ...sidecar, name: "first" }]);
    expect(spec["containers"]).toEqual([
      expect.objectContaining({ name: "operator", envFrom: [{ secretRef: { name: "proxy" } }] }),
      sidecar,
    ]);
  });

  it("takes registry and pull secrets from the chart around it, and puts its annotations on every object", async () => {
    const all = { prometheusRule: { enabled: true }, dashboard: { enabled: true, annotations: { folder: "cloud" } } };
    const { manifests, hooks } = await rendered({
      ...simulated,
      global: { imageRegistry: "registry.example.org/mirror", imagePullSecrets: [{ name: "pull" }], other: "ignored" },
      imagePullSecrets: [{ name: "own" }],
      commonAnnotations: { "example.org/cost": "42" },
      namespaceOverride: "elsewhere",
      podDisruptionBudget: { enabled: true },
      networkPolicy: { enabled: true },
      metrics: { ...all, serviceMonitor: { enabled: true } },
    });
    const every = [...manifests, ...hooks];
    const bare = every.filter(({ metadata }) => metadata.annotations?.["example.org/cost"] !== "42");
    expect(bare.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    expect(only(manifests, "ConfigMap").metadata.annotations).toMatchObject({ folder: "cloud" });
    expect(hooks[0]?.metadata.annotations?.["helm.sh/hook"]).toBe("pre-delete");
    const places = every.flatMap(({ metadata }) => metadata.namespace ?? []);
    expect(new Set(places)).toEqual(new Set(["elsewhere"]));
    const { spec } = (only(manifests, "Deployment", "cpo-cloud-platform-operator")["spec"] as Templated).template;
    expect(spec.imagePullSecrets).toEqual([{ name: "pull" }, { name: "own" }]);
    expect(spec.containers[0]?.image).toMatch(
      /^registry\.example\.org\/mirror\/cloud-platform-operator\/cloud-platform-operator:/,
    );
    expect(JSON.stringify(every)).not.toContain("cloud-system");
  });

  it("has the version of the program", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    const about = parse(readFileSync(`${chart}/Chart.yaml`, "utf8")) as { version: string; appVersion: string };
    expect([about.version, about.appVersion]).toEqual([version, version]);
    expect(readFileSync("deploy/manager/deployment.yaml", "utf8")).toMatch(new RegExp(`image: \\S+:${version}\n`));
  });

  it("brings the alerts and the dashboard as they are written", async () => {
    const metrics = { prometheusRule: { enabled: true }, dashboard: { enabled: true } };
    const { manifests } = await rendered({ ...simulated, metrics });
    const alerts = parse(readFileSync("deploy/monitoring/alerts.yaml", "utf8")) as object;
    expect(only(manifests, "PrometheusRule")["spec"]).toEqual(alerts);
    const { data } = only(manifests, "ConfigMap") as Manifest & { data: Record<string, string> };
    const dashboard = JSON.parse(readFileSync("deploy/monitoring/dashboard.json", "utf8")) as object;
    expect(Object.values(data).map((text) => JSON.parse(text) as object)).toEqual([dashboard]);
  });

  it("says after the installation what to do next, in commands that can be pasted", async () => {
    const { stdout } = await helm(["install", "cpo", chart, "--dry-run=client"], { values: simulated });
    const notes = stdout.slice(stdout.indexOf("NOTES:"));
    expect(notes).toContain("\nkubectl -n default create secret generic cloud-token --from-literal=token=");
    expect(notes.match(/^EOF$/gm)).toHaveLength(2);
    expect(notes).toContain("\nkubectl -n default get cloudplatform\n");
  });
});

interface Templated {
  template: { spec: { imagePullSecrets: object[]; containers: { image: string; args: string[] }[] } };
}

async function argumentsFor(values: object): Promise<string[]> {
  const { manifests } = await rendered(values);
  const deployment = only(manifests, "Deployment", "cpo-cloud-platform-operator");
  const { spec } = (deployment["spec"] as { template: { spec: { containers: { args: string[] }[] } } }).template;
  return spec.containers[0]?.args ?? [];
}
