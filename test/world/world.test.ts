import { expect, it } from "vitest";
import { conditionOf, createWorld } from "./world.ts";
import type { World } from "./world.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const web = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };

const made: [string, string, object, number][] = [
  ["SSHKey", "laptop", { sshKey }, 0],
  ["Domain", "example", { domain: "example.org", type: "master", soaEmail: "ada@example.org" }, 0],
  ["Bucket", "media", { cluster: "us-east-1", acl: "public-read" }, 0],
  ["ComputeInstance", "web", web, 60_000],
  ["ManagedMySQL", "shop", { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" }, 1_300_000],
];

function ready({ cluster }: World, kind: string, name: string): string | undefined {
  return conditionOf(cluster.get(kind, name), "Ready")?.status;
}

it.each(made)("%s goes from kubectl to the cloud, and away again", async (kind, name, spec, ms) => {
  const world = createWorld();
  world.cluster.create(kind, name, spec);
  await world.advance(ms);
  expect(ready(world, kind, name)).toBe("True");
  world.cluster.delete(kind, name);
  await world.advance(120_000);
  expect(world.cluster.get(kind, name)).toBeUndefined();
  expect(world.cloud.history().filter(({ removed }) => !removed)).toEqual([]);
  expect(world.logged()).toEqual([]);
});

it("what refers to others waits for them", async () => {
  const world = createWorld();
  const policies = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
  world.cluster.create("Firewall", "wall", { ...policies, instanceRefs: [{ name: "web" }] });
  await world.settle();
  expect(ready(world, "Firewall", "wall")).toBe("False");
  world.cluster.create("ComputeInstance", "web", web);
  await world.advance(60_000);
  expect(ready(world, "Firewall", "wall")).toBe("True");
});

it("a crash leaves everything as it stands, and the next process goes on", async () => {
  const world = createWorld();
  world.cluster.create("SSHKey", "laptop", { sshKey });
  world.crashAfter(20);
  await world.advance(3_600_000);
  expect(world.processes()).toEqual([]);
  const asked = world.cloud.ledger().length;
  world.restart();
  await world.advance(60_000);
  expect(world.cloud.ledger().length).toBeGreaterThan(asked);
  expect(ready(world, "SSHKey", "laptop")).toBe("True");
  expect(world.cloud.rows("/profile/sshkeys")).toHaveLength(1);
});

it.each(["each", "list"] as const)("events of watches may be late and come as %s", async (how) => {
  const world = createWorld();
  await world.settle();
  Object.assign(world.cluster.watch, { held: true, repeated: true });
  world.cluster.create("SSHKey", "laptop", { sshKey });
  world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await world.advance(60_000);
  expect(ready(world, "SSHKey", "laptop")).toBeUndefined();
  world.cluster.watch.held = false;
  world.cluster.releaseWatches(how);
  await world.advance(1_000);
  expect(ready(world, "SSHKey", "laptop")).toBe("True");
  expect(world.cloud.rows("/profile/sshkeys")).toMatchObject([{ label: "renamed" }]);
});

it("a status that its definition does not allow is refused", async () => {
  const world = createWorld();
  world.cluster.create("SSHKey", "laptop", { sshKey });
  await world.settle();
  const status = { id: "x".repeat(300) };
  const { objects } = world.cluster;
  const keys = { group: "cloudplatform.dev", version: "v1alpha1", plural: "sshkeys", kind: "SSHKey", namespaced: true };
  expect(() => objects.patch(keys, { namespace: "default", name: "laptop" }, { status }, "status")).toThrow("id: ");
});

it("a second operator does not lead by itself: both act", async () => {
  const world = createWorld();
  world.secondOperator();
  await world.settle();
  expect(new Set(world.cloud.ledger().map(({ process }) => process))).toEqual(new Set([1, 2]));
});

it("the watch of one kind is silent until a test releases that kind", async () => {
  const world = createWorld();
  await world.settle();
  world.cluster.watch.stalled.add("SSHKey");
  world.cluster.create("SSHKey", "laptop", { sshKey });
  world.cluster.create("Domain", "example", { domain: "example.org", type: "master", soaEmail: "ada@example.org" });
  await world.advance(60_000);
  expect([ready(world, "SSHKey", "laptop"), ready(world, "Domain", "example")]).toEqual([undefined, "True"]);
  world.cluster.watch.stalled.delete("SSHKey");
  world.cluster.releaseWatches("each", "SSHKey");
  await world.advance(1_000);
  expect(ready(world, "SSHKey", "laptop")).toBe("True");
});

it("a process does not reconcile a disabled kind, and the next process does", async () => {
  const world = createWorld({ start: false });
  world.cluster.create("SSHKey", "laptop", { sshKey });
  world.restart(["SSHKey"]);
  await world.advance(60_000);
  expect(ready(world, "SSHKey", "laptop")).toBeUndefined();
  world.restart();
  await world.advance(60_000);
  expect(ready(world, "SSHKey", "laptop")).toBe("True");
});

it("jitter, and each request with it, follows from `random`", async () => {
  const requests = async (random?: () => number) => {
    const world = createWorld(random && { random });
    world.cluster.create("SSHKey", "laptop", { sshKey });
    await world.advance(3_600_000);
    return world.cloud.ledger().map(({ atMs, method, path }) => `${atMs} ${method} ${path}`);
  };
  const first = await requests();
  expect(await requests()).toEqual(first);
  expect(await requests(() => 0.5)).not.toEqual(first);
});
