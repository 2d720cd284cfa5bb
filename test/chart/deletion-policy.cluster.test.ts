import { stringify } from "yaml";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { kinds } from "../../src/kinds/registry.ts";
import type { Kubectl } from "../../tools/local-cluster/kubectl.ts";
import { sharedControlPlane, startControlPlane } from "../support/control-plane.ts";
import { installDefinitions } from "../support/definitions.ts";
import { clusterTest } from "../support/namespace.ts";

const specs: Record<string, { spec: object; loses: string }> = {
  Bucket: { spec: { cluster: "us-east-1" }, loses: "the bucket" },
  ComputeDisk: { spec: { instanceRef: { id: "1" }, sizeMB: 1024 }, loses: "the disk with its data" },
  ComputeInstance: { spec: { region: "us-east", type: "g6-standard-1" }, loses: "the instance with its disks" },
  DatabaseBackup: { spec: { databaseRef: { id: "1" } }, loses: "the backup" },
  Domain: {
    spec: { domain: "example.org", type: "master", soaEmail: "ada@example.org" },
    loses: "the zone with all its records",
  },
  Image: { spec: { source: { diskRef: { id: "1" } } }, loses: "the image" },
  ManagedMySQL: {
    spec: { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" },
    loses: "the database with its data and its backups",
  },
};

interface Situation {
  why: string;
  kind?: string;
  management?: object;
  annotations?: Record<string, string>;
  id?: string;
}

const quiet: Situation[] = [
  { why: "the API server refuses the deletion", management: { protect: true } },
  { why: "the cloud object stays", management: { deletionPolicy: "Orphan" } },
  { why: "the cloud object stays", annotations: { "cloudplatform.dev/orphan": "true" } },
  { why: "the operator only observes", management: { policy: "Observe", adopt: { id: "5" } } },
  { why: "the deletion waits for an approval", management: { policy: "Plan" } },
  { why: "no cloud object exists", id: "" },
  { why: "the kind has no data", kind: "Firewall" },
];

async function create(kubectl: Kubectl, namespace: string, name: string, one: Situation): Promise<string> {
  const { kind = "Domain", management, annotations = {}, id = "5" } = one;
  const spec = kind === "Firewall" ? { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" } : specs[kind]?.spec;
  const metadata = { name, namespace, annotations };
  const manifest = { apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata, spec: { ...spec, management } };
  const created = await kubectl(["create", "-f", "-"], { input: stringify(manifest) });
  expect(created.code, created.stderr).toBe(0);
  const patch = ["patch", kind, name, "-n", namespace, "--subresource=status", "--type=merge", "-p"];
  if (id !== "") await kubectl([...patch, JSON.stringify({ status: { id } })]);
  return kind;
}

async function warnings(kubectl: Kubectl, namespace: string, kind: string, name: string): Promise<string[]> {
  const { stderr } = await kubectl(["delete", kind, name, "-n", namespace, "--dry-run=server"]);
  return stderr.split("\n").filter((line) => line.includes("deletion.cloudplatform.dev"));
}

describe("a deletion that deletes data in the cloud is warned of", () => {
  const { kubectl } = sharedControlPlane();

  beforeAll(async () => {
    await installDefinitions(kubectl);
    await create(kubectl, "default", "probe", { why: "for a first answer" });
    // The API server knows of a policy a moment after it was stored.
    await vi.waitFor(async () => expect(await warnings(kubectl, "default", "Domain", "probe")).toHaveLength(1), 20_000);
  });

  test("for every kind that loses data", () => {
    const losing = kinds.filter(({ loses }) => loses !== undefined).map(({ kind }) => kind);
    expect(losing.toSorted()).toEqual(Object.keys(specs).toSorted());
    expect(kinds.filter(({ holdsData, loses }) => holdsData && loses === undefined)).toEqual([]);
  });

  clusterTest.for(Object.entries(specs))("of a %s", async ([kind, { loses }], { cluster, namespace }) => {
    await create(cluster.kubectl, namespace, "web", { why: "", kind });
    const [text, ...more] = await warnings(cluster.kubectl, namespace, kind, "web");
    expect(more).toEqual([]);
    expect(text).toContain(`${kind} web: the operator also deletes ${loses}`);
    expect(text).toContain("(ID 5) in the cloud");
    expect(text).toContain("set spec.management.protect to true");
  });

  clusterTest("of an adopted cloud object without data", async ({ cluster, namespace }) => {
    const management = { adopt: { id: "5" } };
    await create(cluster.kubectl, namespace, "wall", { why: "", kind: "Firewall", management });
    const [text, ...more] = await warnings(cluster.kubectl, namespace, "Firewall", "wall");
    expect(more).toEqual([]);
    expect(text).toContain("Firewall wall: the operator also deletes the adopted firewall (ID 5) in the cloud");
  });

  clusterTest("but not if nothing is lost", async ({ cluster, namespace }) => {
    const told: [string, string[]][] = [];
    for (const [index, one] of quiet.entries()) {
      const kind = await create(cluster.kubectl, namespace, `quiet-${index}`, one);
      told.push([one.why, await warnings(cluster.kubectl, namespace, kind, `quiet-${index}`)]);
    }
    expect(told).toEqual(quiet.map(({ why }) => [why, []]));
  });

  clusterTest("and not refused", async ({ cluster, namespace }) => {
    await create(cluster.kubectl, namespace, "web", { why: "" });
    const { code, stderr } = await cluster.kubectl(["delete", "domain", "web", "-n", namespace]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("the zone with all its records")]);
  });
});

test(
  "with protectByDefault, only protect: false lets an object with data be deleted",
  { timeout: 120_000 },
  async () => {
    const cluster = await startControlPlane();
    onTestFinished(() => cluster.stop());
    const { kubectl } = cluster;
    await installDefinitions(kubectl);
    await kubectl(["apply", "--server-side", "-f", "deploy/admission/protect-by-default.yaml"]);
    const deletion = async (management: object | undefined, kind = "Domain"): Promise<string> => {
      await create(kubectl, "default", "web", { why: "", kind, ...(management && { management }) });
      const { stderr } = await kubectl(["delete", kind, "web", "--dry-run=server"]);
      await kubectl(["patch", kind, "web", "--type=merge", "-p", '{"spec":{"management":{"protect":false}}}']);
      const deleted = await kubectl(["delete", kind, "web"]);
      expect(deleted.code, deleted.stderr).toBe(0);
      return stderr;
    };
    const refusal = "set spec.management.protect to false before deleting this object";
    await vi.waitFor(async () => expect(await deletion(undefined)).toContain(refusal), { timeout: 20_000 });
    expect(await deletion(undefined, "ComputeInstance")).toContain(refusal);
    expect(await deletion({ protect: true })).toContain("spec.management.protect is true");
    expect(await deletion({ protect: false })).not.toContain(refusal);
    expect(await deletion({ deletionPolicy: "Orphan" })).toContain(refusal);
    expect(await deletion(undefined, "Firewall")).toBe("");
  },
);
