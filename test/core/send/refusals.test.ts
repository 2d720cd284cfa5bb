/** What the cloud API goes on refusing is sent again at growing intervals, whatever wakes its object: its own records do. */
import { statedEntryIn } from "../../../src/core/model/journal.ts";
import { retryCreateAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import { createWorld, token } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, madeMs, messageOf, paths, specs, stateOf } from "../support.ts";

const minute = 60_000;
const bigger = { type: "g6-standard-2", allowDisruption: ["Resize"] };
const other = { image: "compute/alpine3.20", allowDisruption: ["Rebuild"] };
const refusals = ["busy", "refused", "notFound", "unauthorized", "unreachable"] as const;

it.each(refusals.flatMap((kind) => [bigger, other].map((change) => ({ kind, change }))))(
  "an operation of an instance: $kind, $change",
  async ({ kind, change }) => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance);
    await world.advance(madeMs);
    world.cloud.fault({ kind, method: "POST", path: /(resize|rebuild)$/, times: 100_000, reason: "There is no room" });
    const since = world.cloud.ledger().length;
    world.cluster.patch("ComputeInstance", "vm", { spec: change });
    const sent = () => world.cloud.ledger().slice(since);
    await world.advance(2 * minute);
    const posts = sent().filter(({ method }) => method === "POST");
    expect(posts.length, messageOf(world, "ComputeInstance", "vm")).toBeGreaterThan(0);
    expect(posts.length, messageOf(world, "ComputeInstance", "vm")).toBeLessThan(10);
    expect(sent().length).toBeLessThan(100);
    world.cloud.clearFaults();
    await world.advance(20 * minute);
    expect(stateOf(world, "ComputeInstance", "vm"), messageOf(world, "ComputeInstance", "vm")).toBe("Ready");
  },
);

it.each(["Firewall", "Domain", "Bucket", "SSHKey", "ManagedMySQL"] as const)(
  "a creation while a job of the cloud runs: %s",
  async (kind) => {
    const world = createWorld();
    await world.advance(minute);
    world.cloud.fault({ kind: "busy", method: "POST", times: 100_000 });
    const since = world.cloud.ledger().length;
    world.cluster.create(kind, "thing", specs[kind]);
    await world.advance(2 * minute);
    const sent = world.cloud.ledger().slice(since);
    expect(sent.filter(({ method }) => method === "POST").length).toBeLessThan(10);
    expect(stateOf(world, kind, "thing")).toBe("Busy");
    world.cloud.clearFaults();
    await world.advance(40 * minute);
    expect(stateOf(world, kind, "thing"), messageOf(world, kind, "thing")).toBe("Ready");
  },
);

it("a creation that the former token may not send, once the token is rotated", async () => {
  const world = createWorld();
  await world.advance(minute);
  world.cloud.fault({ kind: "refused", method: "POST", token, times: Infinity });
  world.cluster.create("SSHKey", "thing", specs.SSHKey);
  await world.advance(10_000);
  expect(stateOf(world, "SSHKey", "thing")).toBe("Refused");
  world.cloud.addToken("rotated", "ada");
  world.cluster.patch("Secret", "cloud-token", { data: { token: Buffer.from("rotated").toString("base64") } });
  await world.advance(10_000);
  expect(stateOf(world, "SSHKey", "thing"), messageOf(world, "SSHKey", "thing")).toBe("Ready");
});

it.each([
  {
    what: "is sent at once after a change of the spec that does not change it",
    change: { spec: { management: { driftPolicy: "Report" } } },
    ended: "Ready",
  },
  {
    what: "waits whatever else of the object is changed",
    change: { metadata: { labels: { team: "web" } } },
    ended: "Refused",
  },
])("what stood in the way of a creation is gone: it $what", async ({ change, ended }) => {
  const world = createWorld();
  await world.advance(minute);
  world.cloud.fault({ kind: "refused", method: "POST", times: Infinity });
  world.cluster.create("SSHKey", "thing", specs.SSHKey);
  await world.advance(10_000);
  expect(stateOf(world, "SSHKey", "thing")).toBe("Refused");
  world.cloud.clearFaults();
  world.cluster.patch("SSHKey", "thing", change);
  // The next attempt comes 15 seconds after the first one.
  await world.advance(3_000);
  expect(stateOf(world, "SSHKey", "thing"), messageOf(world, "SSHKey", "thing")).toBe(ended);
});

it("a name that something has which the token does not see: Refused is said once, and stays while it is tried again", async () => {
  const world = createWorld();
  await world.advance(minute);
  world.cloud.fault({ kind: "lostAfter", method: "POST", path: /instances$/ });
  world.cluster.create("ManagedMySQL", "thing", specs.ManagedMySQL);
  await world.advance(1_000);
  const [made] = world.cloud.history();
  world.cloud.withdraw("ada", [made!.serial]);
  await world.advance(40 * minute);
  expect(stateOf(world, "ManagedMySQL", "thing"), messageOf(world, "ManagedMySQL", "thing")).toBe("Refused");
  const since = world.cluster.writes().length;
  const seen = new Set<string | undefined>();
  for (let n = 0; n < 120; n++) {
    await world.advance(minute / 2);
    seen.add(stateOf(world, "ManagedMySQL", "thing"));
  }
  expect([...seen]).toEqual(["Refused"]);
  expect(
    world.cluster
      .writes()
      .slice(since)
      .filter(({ verb }) => verb === "patch-status"),
  ).toEqual([]);
  world.cloud.user("ada").hidden.clear();
  await world.advance(40 * minute);
  expect(stateOf(world, "ManagedMySQL", "thing"), messageOf(world, "ManagedMySQL", "thing")).toBe("Ready");
  expect(world.cloud.history()).toHaveLength(1);
});

describe("for hours", () => {
  async function inAnHour(world: World): Promise<{ sent: number; reads: number; writes: number }> {
    await world.advance(60 * minute);
    const [calls, writes] = [world.cloud.ledger().length, world.cluster.writes().length];
    await world.advance(60 * minute);
    const asked = world.cloud.ledger().slice(calls);
    const reads = asked.filter(({ method, path }) => method === "GET" && !/account|profile$/.test(path)).length;
    const sent = asked.filter(({ method }) => method !== "GET").length;
    return { sent, reads, writes: world.cluster.writes().length - writes };
  }

  it.each([
    { kind: "tooMany", sent: 65, reads: 300 },
    { kind: "busy", sent: 65, reads: 300 },
    { kind: "html502", sent: 32, reads: 250 },
    { kind: "empty", sent: 32, reads: 250 },
    { kind: "lostBefore", sent: 32, reads: 250 },
  ] as const)("a creation that is answered with $kind is sent less and less often", async ({ kind, sent, reads }) => {
    const world = createWorld();
    await world.advance(minute);
    world.cloud.fault({ kind, method: "POST", times: Infinity });
    world.cluster.create("Firewall", "thing", specs.Firewall);
    const hour = await inAnHour(world);
    expect(hour.sent).toBeGreaterThan(0);
    expect(hour.sent).toBeLessThanOrEqual(sent);
    expect(hour.reads).toBeLessThanOrEqual(reads);
    expect(hour.writes).toBeLessThanOrEqual(2 * sent);
    world.cloud.clearFaults();
    await world.advance(15 * minute);
    expect(world.cluster.get("Firewall", "thing")).toBeReady();
    expect(world.cloud.rows(paths.Firewall)).toHaveLength(1);
  });

  it.each(["tooMany", "busy"] as const)("an edit that is answered with %s is, too", async (kind) => {
    const world = createWorld();
    world.cluster.create("Firewall", "thing", specs.Firewall);
    await world.advance(minute);
    world.cloud.fault({ kind, method: "PUT", times: Infinity });
    world.cluster.patch("Firewall", "thing", { spec: { inboundPolicy: "ACCEPT" } });
    const hour = await inAnHour(world);
    expect(hour.sent).toBeLessThanOrEqual(700);
    expect(hour.writes).toBe(0);
    world.cloud.clearFaults();
    await world.advance(minute);
    expect(world.cluster.get("Firewall", "thing")).toBeReady();
  });

  it("a creation that gets no clear response is not held up longer where it is deleted, or people decide", async () => {
    const world = createWorld();
    await world.advance(minute);
    world.cloud.fault({ kind: "html502", method: "POST", times: Infinity });
    for (const name of ["one", "two"]) world.cluster.create("Firewall", name, { ...specs.Firewall, label: name });
    await world.advance(60 * minute);
    world.cloud.clearFaults();
    world.cluster.delete("Firewall", "one");
    const { attempt = "" } = statedEntryIn(world.cluster.get("Firewall", "two")!) ?? {};
    world.cluster.annotate("Firewall", "two", { [retryCreateAnnotation]: attempt });
    await world.advance(45_000);
    expect(world.cluster.get("Firewall", "one")).toBeUndefined();
    expect(world.cluster.get("Firewall", "two")).toBeReady();
  });

  it("a deletion of what refers to others says why, also where its kind asks for more than the row", async () => {
    const world = createWorld();
    world.cluster.secret("robots", { content: "allow" });
    world.cluster.create("Bucket", "media", specs.Bucket);
    await world.advance(minute);
    const robots = { objectKey: "robots.txt", contentSecretRef: { name: "robots" }, acl: "public-read" };
    world.cluster.create("BucketObject", "robots", { bucketRef: { name: "media" }, ...robots });
    await world.advance(minute);
    expect(world.cluster.get("BucketObject", "robots")).toBeReady();
    world.cloud.fault({ kind: "forbidden", method: "POST", path: /object-url$/, times: Infinity });
    world.cluster.delete("BucketObject", "robots");
    await world.advance(minute);
    expect(stateOf(world, "BucketObject", "robots")).toBe("Forbidden");
    world.cloud.clearFaults();
    await world.advance(20 * minute);
    expect(world.cluster.get("BucketObject", "robots")).toBeUndefined();
  });

  it("a creation that refers to what is gone, which nobody says, writes nothing", async () => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "host", specs.ComputeInstance);
    await world.advance(5 * minute);
    world.cluster.patch("ComputeInstance", "host", { spec: { management: { policy: "Paused" } } });
    await world.advance(minute);
    world.cloud.remove(paths.ComputeInstance, idOf(world, "ComputeInstance", "host"));
    await world.advance(30 * minute);
    world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "host" }] });
    const hour = await inAnHour(world);
    expect(stateOf(world, "Firewall", "wall")).toBe("WaitingForReference");
    expect(hour).toMatchObject({ sent: 0, writes: 0 });
  });
});
