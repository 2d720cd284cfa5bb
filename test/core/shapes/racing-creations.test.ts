/**
 * Somebody else creates the same bucket at the same moment, for instance another installation that uses the account: a
 * creation answers with what exists, so that only the moment tells whose it is.
 */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import { begin, buckets, changes, create, idOf, made, messageOf, minutes, obey, stateOf } from "../support.ts";

/** Somebody else creates the bucket in so many milliseconds from now. */
function rivalIn(world: World, ms: number, acl = "private"): void {
  world.clock.schedule(ms, () => {
    const { beside } = world.cloud.add(buckets, { label: "web", cluster: "us-east-1" });
    beside["access"] = { acl, cors_enabled: false };
  });
}

async function account(): Promise<World> {
  const world = await begin();
  await world.advance(minutes(3));
  return world;
}

/** The bucket is neither taken, changed nor deleted, now or after a restart, and the message names a way that works. */
async function expectLeftAlone(
  world: World,
  since: number,
  sent: string[],
  reason: "Conflict" | "CreateUncertain" = "Conflict",
): Promise<void> {
  await world.advance(minutes(3));
  expect(stateOf(world, "Bucket", "web")).toBe(reason);
  world.restart();
  await world.advance(minutes(15));
  expect(stateOf(world, "Bucket", "web")).toBe(reason);
  expect(messageOf(world, "Bucket", "web")).toContain('spec.management.adopt.id: "us-east-1/web"');
  world.cluster.delete("Bucket", "web");
  await world.advance(minutes(5));
  if (reason === "CreateUncertain") {
    world.cluster.patch("Bucket", "web", { metadata: { annotations: { "cloudplatform.dev/orphan": "true" } } });
    await world.advance(minutes(5));
  }
  expect(world.cluster.get("Bucket", "web")).toBeUndefined();
  expect(changes(world, since)).toEqual(sent);
  expect(world.cloud.find(buckets, "us-east-1/web")).toBeDefined();
}

describe("a bucket that another user creates", () => {
  it.each([
    { ms: 1_000, because: "while the entry is stored" },
    { ms: 3_500, because: "while the object is read once more, after the entry was stored" },
  ])("is not taken: $because", async ({ ms }) => {
    const world = await account();
    const since = world.cloud.ledger().length;
    world.cluster.latency.ms = 2_000;
    create(world, "Bucket", "web", { acl: "public-read-write" });
    rivalIn(world, ms);
    await expectLeftAlone(world, since, []);
  });

  it.each([
    { wanted: { acl: "public-read" }, theirAcl: "private", because: "ours is to be read by all" },
    { wanted: {}, theirAcl: "public-read", because: "theirs is, and ours would be private" },
    { wanted: { corsEnabled: true }, theirAcl: "private", because: "pages of any origin may use ours" },
  ])("is not taken while the request is on its way: $because", async ({ wanted, theirAcl }) => {
    const world = await account();
    const since = world.cloud.ledger().length;
    world.cloud.fault({ kind: "slowApply", method: "POST", path: /buckets$/, ms: 3_000 });
    create(world, "Bucket", "web", wanted);
    rivalIn(world, 1_000, theirAcl);
    // The service may also have stored the settings of this request in another form.
    await expectLeftAlone(world, since, [`POST ${buckets}`], "CreateUncertain");
  });
});

it.each([
  { when: "the operator goes on", restarts: false },
  { when: "the operator is killed", restarts: true },
])("a bucket of other settings is not taken for one whose creation never arrived: $when", async ({ restarts }) => {
  const world = await account();
  const since = world.cloud.ledger().length;
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /buckets$/ });
  create(world, "Bucket", "web");
  rivalIn(world, 2_000, "public-read");
  await world.advance(1_500);
  if (restarts) world.restart();
  await world.advance(minutes(15));
  expect(stateOf(world, "Bucket", "web")).toBe("CreateUncertain");
  expect(messageOf(world, "Bucket", "web")).toContain('spec.management.adopt.id: "us-east-1/web"');
  world.cluster.delete("Bucket", "web");
  await world.advance(minutes(5));
  expect(world.cloud.find(buckets, "us-east-1/web")).toBeDefined();
  expect(world.cluster.get("Bucket", "web")).toBeDefined();
  world.cluster.patch("Bucket", "web", { metadata: { annotations: { "cloudplatform.dev/orphan": "true" } } });
  await world.advance(minutes(5));
  expect(world.cluster.get("Bucket", "web")).toBeUndefined();
  expect(changes(world, since).filter((one) => !one.startsWith("POST"))).toEqual([]);
  expect(world.cloud.find(buckets, "us-east-1/web")).toBeDefined();
});

it("a bucket whose settings the cloud does not show is left to people where its creation lost its response", async () => {
  const world = await account();
  world.cloud.fault({ kind: "lostAfter", method: "POST", path: /buckets$/ });
  world.cloud.fault({ kind: "refused", method: "GET", path: /access$/, reason: "not here", times: Infinity });
  create(world, "Bucket", "web");
  await world.advance(minutes(15));
  expect(stateOf(world, "Bucket", "web")).toBe("CreateUncertain");
  expect(messageOf(world, "Bucket", "web")).toContain('spec.management.adopt.id: "us-east-1/web"');
  world.cloud.clearFaults();
  world.cluster.patch("Bucket", "web", { spec: { management: { adopt: { id: "us-east-1/web" } } } });
  await world.advance(minutes(15));
  expect(world.cluster.get("Bucket", "web")).toBeReady();
});

it("a bucket of another user with other settings becomes a conflict after the command in the message", async () => {
  const world = await account();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /buckets$/ });
  create(world, "Bucket", "web");
  rivalIn(world, 5_000, "public-read");
  await world.advance(minutes(15));
  expect(stateOf(world, "Bucket", "web")).toBe("CreateUncertain");
  const before = changes(world).length;
  obey(world, "Bucket", "web");
  await world.advance(minutes(3));
  expect(stateOf(world, "Bucket", "web")).toBe("Conflict");
  expect(changes(world).slice(before)).toEqual([]);
  world.cluster.delete("Bucket", "web");
  await world.advance(minutes(3));
  expect(world.cluster.get("Bucket", "web")).toBeUndefined();
  expect(world.cloud.rows(buckets)).toHaveLength(1);
});

describe("a bucket that no other user creates", () => {
  it.each([
    { latencyMs: 0, slowMs: 0, because: "the cloud answers at once" },
    { latencyMs: 900, slowMs: 0, because: "each request is on its way for a second" },
    { latencyMs: 4_000, slowMs: 0, because: "each request is on its way for long" },
    { latencyMs: 0, slowMs: 20_000, because: "the creation takes long" },
  ])("is taken without a word: $because", async ({ latencyMs, slowMs }) => {
    for (let part = 0; part < 1_000; part += 250) {
      const world = await account();
      await world.advance(part);
      Object.assign(world.cloud.settings, { latencyMs });
      if (slowMs > 0) world.cloud.fault({ kind: "slowApply", method: "POST", path: /buckets$/, ms: slowMs });
      create(world, "Bucket", "web", { acl: "public-read" });
      await world.advance(minutes(2));
      expect(world.cluster.get("Bucket", "web")).toBeReady();
      expect(idOf(world, "Bucket", "web")).toBe("us-east-1/web");
      expect(made(world, buckets)).toBe(1);
    }
  });
});

it("the absence of a bucket is read before its entry is stored, and right before its creation", async () => {
  const world = await account();
  const since = world.cloud.ledger().length;
  create(world, "Bucket", "web");
  await world.advance(minutes(2));
  const about = world.cloud.ledger().slice(since);
  const reads = about.filter(({ method, path }) => method === "GET" && path === `${buckets}/us-east-1/web`);
  expect(reads).toHaveLength(2);
  expect(about.findIndex((entry) => entry === reads[1])).toBeLessThan(
    about.findIndex(({ method }) => method === "POST"),
  );
});
