/** What kubectl shows for specs that are refused, on a real API server. */
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { collate } from "../../src/generate/collate.ts";
import { loadKinds } from "../../src/generate/load-kinds.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { refusedObjects } from "./refused-objects.ts";
import { refused } from "./all-refused.ts";
import { expectReviewed, fieldsIn, nameOfRow } from "./fields-named.ts";

const names = new Set(refused.map(({ kind }) => kind));
const loaded = (await loadKinds(path.resolve(import.meta.dirname, "../../src/kinds"))).kinds.filter(({ kind }) =>
  names.has(kind.kind),
);
const namespace = "kinds-admission";

function manifest(kind: string, name: string, spec: unknown): string {
  return JSON.stringify({ apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata: { name, namespace }, spec });
}

/** `accepted` and what kubectl says of these objects, or what it says against them; `stored` keeps them. */
async function apply(texts: string[], { stored = false } = {}): Promise<string> {
  const { code, stdout, stderr } = await sharedControlPlane().kubectl(
    ["apply", "-f", "-", ...(stored ? [] : ["--dry-run=server"])],
    { input: texts.join("\n---\n") },
  );
  return code === 0 ? `accepted ${stdout}` : stderr;
}

/** Shows values in the status of an instance, as the operator does. */
async function show(name: string, status: object): Promise<void> {
  const { kubectl } = sharedControlPlane();
  const target = ["computeinstances.cloudplatform.dev", name, "-n", namespace];
  const patch = ["--subresource=status", "--type=merge", "-p", JSON.stringify({ status })];
  expect((await kubectl(["patch", ...target, ...patch])).stderr).toBe("");
}

/** What kubectl says against each of these objects, by name: in one process, which takes longer to start than to ask. */
async function refusals(texts: string[]): Promise<Map<string, string>> {
  const said = (await apply(texts)).split(/^(?=Error from server)/m);
  return new Map(said.map((one) => [/"([^"]+)" is invalid/.exec(one)?.[1] ?? "", one]));
}

/** Rows with a name for the object of each. */
function named<T>(rows: T[], prefix: string): (T & { name: string })[] {
  return rows.map((row, index) => ({ ...row, name: `${prefix}-${index}` }));
}

beforeAll(async () => {
  const { kubectl } = sharedControlPlane();
  await kubectl(["create", "namespace", namespace]);
  const { files, problems } = collate(loaded);
  // Not all kinds are loaded.
  expect(problems.filter((problem) => !problem.includes("needs the example"))).toEqual([]);
  const crds = [...files]
    .filter(([file]) => file.startsWith("crds/") && file.endsWith(".yaml"))
    .map(([, text]) => text);
  const applied = await kubectl(["apply", "--server-side", "--force-conflicts", "-f", "-"], {
    input: crds.join("\n---\n"),
  });
  expect(applied.stderr).toBe("");
  const established = await kubectl([
    "wait",
    "--for=condition=Established",
    "crd",
    ...loaded.map(({ kind }) => `${kind.plural}.cloudplatform.dev`),
  ]);
  expect(established.code).toBe(0);
});

describe("kubectl shows why a spec is refused", () => {
  const rows = named(refused, "refused");
  let said: Map<string, string>;
  beforeAll(async () => {
    said = await refusals(rows.map(({ kind, name, spec }) => manifest(kind, name, spec)));
  });

  it.each(rows)("$kind: $because", ({ kind, name, says }) => {
    expect(said.get(name)).toContain(`${kind}.cloudplatform.dev "${name}" is invalid`);
    expect(said.get(name)).toContain(says);
  });

  it("names the field, for each as it was reviewed", () => {
    const found = Object.fromEntries(
      rows.map((row) => [nameOfRow(row), fieldsIn(said.get(row.name) ?? "").join(", ")]),
    );
    expect(Object.keys(found)).toHaveLength(rows.length);
    expectReviewed(found);
  });

  it.each(refusedObjects)("$kind: as a whole, $name is refused: $says", async ({ kind, name, spec, says }) => {
    expect(await apply([manifest(kind, name, spec)])).toContain(says);
  });
});

it.each([
  { length: 100, why: "each is compared with each" },
  { length: 500, why: "the parser compares them" },
])("$length references with the longest names are within what a rule may cost: $why", async ({ length }) => {
  const instanceRefs = Array.from({ length }, (_, index) => ({ name: String(index).padStart(253, "a") }));
  const spec = { inboundPolicy: "DROP", outboundPolicy: "DROP", instanceRefs };
  expect(await apply([manifest("Firewall", "large", spec)])).toContain("accepted");
});

it("a template has no key that the parser would leave out without a word", async () => {
  const spec = JSON.parse('{"connectionSecret":{"template":{"__proto__":"x"}}}') as object;
  expect(await apply([manifest("ObjectStorageKey", "proto", spec)])).toContain("must be keys of a Secret with texts");
});

it("references are applied by server-side apply, too", async () => {
  const spec = { inboundPolicy: "DROP", outboundPolicy: "DROP", instanceRefs: [{ name: "web-1" }, { id: "1001" }] };
  const input = manifest("Firewall", "server-side", spec);
  const applied = await sharedControlPlane().kubectl(["apply", "--server-side", "-f", "-"], { input });
  expect(applied).toMatchObject({ code: 0, stderr: "" });
});

it("an image may be renamed to its other spelling without a permission to rebuild", async () => {
  const vm = { region: "us-east", type: "g6-standard-1" };
  for (const image of ["compute/debian12", "acme/debian12", "compute/debian12"])
    expect(await apply([manifest("ComputeInstance", "respelled", { ...vm, image })], { stored: true })).toContain(
      "accepted",
    );
  await show("respelled", { id: "1001" });
  for (const image of ["compute/debian13", "private/debian12"])
    expect(await apply([manifest("ComputeInstance", "respelled", { ...vm, image })])).toContain("add Rebuild");
});

describe("to say what holds without being said is no change", () => {
  const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
  const vm = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
  const rows = named(
    [
      { kind: "ManagedMySQL", before: database, said: { clusterSize: 1, replicationType: "none" } },
      { kind: "ManagedMySQL", before: database, said: { encrypted: false, sslConnection: true } },
      { kind: "ManagedMySQL", before: database, said: { accountRef: { name: "default" } } },
      { kind: "ComputeInstance", before: vm, said: { privateIP: false, swapSizeMB: 512 } },
      { kind: "ComputeInstance", before: vm, said: { authorizedKeys: [], authorizedUsers: [] } },
      { kind: "Bucket", before: { cluster: "us-east-1" }, said: { label: "said-5" } },
      { kind: "Tag", before: {}, said: { label: "said-6" } },
      { kind: "ComputeSnapshot", before: { instanceRef: { name: "web-1" } }, said: { label: "said-7" } },
      {
        kind: "BucketObject",
        before: { bucketRef: { name: "media" }, objectKey: "a", contentSecretRef: { name: "a" } },
        said: { contentType: "application/octet-stream" },
      },
      { kind: "CloudAccount", before: { tokenSecretRef: { name: "token" } }, said: { endpoint: "default" } },
    ],
    "said",
  );

  it.each(rows)("$kind: $said", async ({ kind, name, before, said }) => {
    for (const spec of [before, { ...before, ...said }, before])
      expect(await apply([manifest(kind, name, spec)], { stored: true })).toContain("accepted");
  });
});

describe("an instance that has its type already", () => {
  const vm = { region: "us-east", type: "g6-standard-1" };
  const write = (spec: object) => apply([manifest("ComputeInstance", "there", spec)], { stored: true });

  it("is asked for that type again while the permission to resize is taken away", async () => {
    await write({ ...vm, allowDisruption: ["Resize"] });
    await show("there", { id: "1001" });
    await write({ ...vm, type: "g6-standard-2", allowDisruption: ["Resize"] });
    expect(await write(vm)).toContain("add Resize to spec.allowDisruption");
    await show("there", { observedGeneration: 1, type: "g6-standard-1" });
    expect(await write({ ...vm, type: "g6-standard-3" })).toContain("add Resize to spec.allowDisruption");
    expect(await write(vm)).toContain("accepted");
  });
});

it("an instance that does not exist in the cloud yet changes region, type and image without a permission", async () => {
  const specs = [
    { region: "us-nowhere", type: "g6-standard-1", image: "compute/debian12" },
    { region: "us-east", type: "g6-standard-2", image: "compute/arch" },
  ];
  for (const spec of specs)
    expect(await apply([manifest("ComputeInstance", "refused", spec)], { stored: true })).toContain("accepted");
  await show("refused", { id: "1001" });
  for (const change of [{ region: "us-west" }, { type: "g6-standard-1" }, { image: "compute/debian12" }])
    expect(await apply([manifest("ComputeInstance", "refused", { ...specs[1], ...change })])).toContain(
      "to spec.allowDisruption",
    );
});

describe("the message of what cannot change after creation says what another object costs", () => {
  it.each([
    {
      kind: "Bucket",
      before: { cluster: "us-east-1" },
      after: { cluster: "us-west-1" },
      says: "spec.cluster cannot change after creation. Create another Bucket. If you delete this Bucket, the operator also deletes the cloud object and its data, unless spec.management.deletionPolicy is Orphan",
    },
    {
      kind: "CloudAccount",
      before: { tokenSecretRef: { name: "token" } },
      after: { tokenSecretRef: { name: "token" }, endpoint: "other" },
      says: "spec.endpoint cannot change after creation. Create another CloudAccount, and refer to the new object",
    },
    {
      kind: "ComputeSnapshot",
      before: { instanceRef: { name: "web-1" } },
      after: { instanceRef: { name: "web-2" } },
      says: "spec.instanceRef cannot change after creation. Create another ComputeSnapshot",
    },
    {
      kind: "Profile",
      before: {},
      after: { accountRef: { name: "other" } },
      says: "spec.accountRef cannot change after creation. Delete this Profile, and create another. The deletion changes nothing in the cloud",
    },
  ])("$kind", async ({ kind, before, after, says }) => {
    expect(await apply([manifest(kind, "costs", before)], { stored: true })).toContain("accepted");
    expect(await apply([manifest(kind, "costs", after)])).toContain(says);
  });
});

describe("kubectl shows why a change is refused", () => {
  const vm = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
  const record = { domainRef: { name: "example-org" }, type: "A", target: "192.0.2.1" };
  const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
  const zone = { domain: "example.org", type: "master", soaEmail: "dns@example.org" };

  const rows = named(
    [
      {
        kind: "ComputeInstance",
        before: vm,
        after: { ...vm, type: "g6-standard-2" },
        says: "add Resize to spec.allowDisruption",
      },
      {
        kind: "ComputeInstance",
        before: vm,
        after: { ...vm, region: "us-west" },
        says: "add Migrate to spec.allowDisruption",
      },
      {
        kind: "ComputeInstance",
        before: vm,
        after: { ...vm, image: "compute/arch" },
        says: "add Rebuild to spec.allowDisruption",
      },
      {
        kind: "ComputeInstance",
        before: vm,
        after: { region: vm.region, type: vm.type, allowDisruption: ["Rebuild"] },
        says: "image cannot be removed",
      },
      { kind: "ComputeInstance", before: vm, after: { ...vm, swapSizeMB: 1024 }, says: "spec.swapSizeMB" },
      { kind: "ComputeInstance", before: vm, after: { ...vm, privateIP: true }, says: "spec.privateIP" },
      { kind: "ComputeInstance", before: vm, after: { ...vm, authorizedUsers: ["ada"] }, says: "spec.authorizedUsers" },
      { kind: "ComputeInstance", before: vm, after: { ...vm, stackScript: { id: 1 } }, says: "spec.stackScript" },
      {
        kind: "DomainRecord",
        before: record,
        after: { ...record, type: "TXT" },
        says: "spec.type cannot change after creation",
      },
      {
        kind: "DomainRecord",
        before: record,
        after: { ...record, domainRef: { name: "other" } },
        says: "spec.domainRef cannot change after creation",
      },
      {
        kind: "Domain",
        before: zone,
        after: { ...zone, domain: "example.net" },
        says: "spec.domain cannot change after creation",
      },
      {
        kind: "Domain",
        before: zone,
        after: { ...zone, source: { import: { remoteNameserver: "a" } } },
        says: "spec.source",
      },
      {
        kind: "Bucket",
        before: { cluster: "us-east-1" },
        after: { cluster: "us-west-1" },
        says: "spec.cluster cannot change after creation",
      },
      {
        kind: "Bucket",
        before: { cluster: "us-east-1" },
        after: { cluster: "us-east-1", label: "other" },
        says: "spec.label",
      },
      {
        kind: "ManagedMySQL",
        before: database,
        after: { ...database, region: "us-west" },
        says: "spec.region cannot change after creation",
      },
      {
        kind: "ObjectStorageKey",
        before: { bucketAccess: [] },
        after: {},
        says: "spec.bucketAccess cannot change after creation",
      },
      {
        kind: "ObjectStorageKey",
        before: { bucketAccess: [] },
        after: { bucketAccess: [{ bucketRef: { name: "media" }, permissions: "read_only" }] },
        says: "spec.bucketAccess cannot change after creation",
      },
      { kind: "ManagedMySQL", before: database, after: { ...database, clusterSize: 3 }, says: "spec.clusterSize" },
      { kind: "ManagedMySQL", before: database, after: { ...database, encrypted: true }, says: "spec.encrypted" },
    ],
    "changed",
  );
  let said: Map<string, string>;
  beforeAll(async () => {
    const before = rows.map((row) => manifest(row.kind, row.name, row.before));
    expect(await apply(before, { stored: true })).toContain("accepted");
    for (const { kind, name } of rows) if (kind === "ComputeInstance") await show(name, { id: "1001" });
    said = await refusals(rows.map((row) => manifest(row.kind, row.name, row.after)));
  });

  it.each(rows)("$kind: $says", ({ kind, name, says }) => {
    expect(said.get(name)).toContain(`${kind}.cloudplatform.dev "${name}" is invalid`);
    expect(said.get(name)).toContain(says);
  });
});
