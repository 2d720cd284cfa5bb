/** What somebody who tried to break the claim from outside could do once: none of it may be possible again. */
import { journalAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import {
  begin,
  buckets,
  changes,
  crashedAnywhere,
  create,
  idOf,
  left,
  messageOf,
  minutes,
  publicKey,
  shapes,
  sshKeys,
  stateOf,
  untilSent,
} from "../support.ts";
import type { Shape } from "../support.ts";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

/** What a person makes with the same name, as the console would. */
function madeByHand(world: World, kind: Shape, label: string): string {
  const { path, spec } = shapes[kind];
  const fields = { ...spec, ...(kind === "SSHKey" && { ssh_key: publicKey }), status: "running" };
  return world.cloud.add(path, { label, ...fields }).id;
}

describe("an old manifest with its signed entry is no licence for the name", () => {
  // The tag of the installation shows which cloud object is meant. An SSH key and a bucket have no tags.
  const kinds = ["Firewall", "ComputeInstance"] as const;
  const each = kinds.flatMap((kind) => [false, true].map((restart) => ({ kind, restart })));

  it.each(each)("$kind: what a person made later is neither taken nor deleted; restart: $restart", async (of) => {
    const { kind, restart } = of;
    const world = await begin();
    create(world, kind, "web");
    await world.advance(minutes(5));
    const { [journalAnnotation]: entry = "" } = world.cluster.get(kind, "web")!.metadata.annotations ?? {};
    world.cluster.delete(kind, "web");
    await world.advance(minutes(30));
    expect(left(world)).toEqual([]);
    madeByHand(world, kind, "web");
    if (restart) world.restart();
    const before = world.cloud.ledger().length;
    world.cluster.create(kind, "web", shapes[kind].spec, { annotations: { [journalAnnotation]: entry } });
    await world.advance(minutes(20));
    expect(stateOf(world, kind, "web")).toMatch(/^(Conflict|CreateUncertain)$/);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(20));
    expect(changes(world, before)).toEqual([]);
    expect(world.cloud.rows(shapes[kind].path)).toHaveLength(1);
  });
});

describe("an account that becomes another one", () => {
  /** A key in the account of `ada`; then the token is one of `eve`, and that is said to be meant. */
  async function moved(): Promise<World> {
    const world = await begin();
    create(world, "SSHKey", "web");
    await world.advance(minutes(2));
    world.cloud.addUser({ token: "of-another", username: "eve" });
    const token = Buffer.from("of-another").toString("base64");
    const secret = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
    const { tokenSecretRef } = world.cluster.get("CloudAccount", "default")!.spec as {
      tokenSecretRef: { name: string };
    };
    const ref = { namespace: "default", name: tokenSecretRef.name };
    world.cluster.objects.patch(secret, ref, { data: { token } });
    await world.advance(minutes(2));
    const [, named] = /expectedAccount: "([^"]+)"/.exec(messageOf(world, "CloudAccount", "default")) ?? [];
    world.cluster.patch("CloudAccount", "default", { spec: { expectedAccount: named } });
    await world.advance(minutes(2));
    return world;
  }

  it.each([false, true])("makes nothing anew for what is in the former one; restart: %s", async (restart) => {
    const world = await moved();
    if (restart) world.restart();
    await world.advance(minutes(20));
    expect(stateOf(world, "SSHKey", "web")).toBe("AccountChanged");
    expect(world.cloud.rows(sshKeys, "eve")).toEqual([]);
  });

  it("lets go of nothing that is in the former one, but by leave", async () => {
    const world = await moved();
    world.cluster.delete("SSHKey", "web");
    await world.advance(minutes(20));
    expect(stateOf(world, "SSHKey", "web")).toBe("AccountChanged");
    world.cluster.annotate("SSHKey", "web", { "cloudplatform.dev/orphan": "true" });
    await world.advance(minutes(2));
    expect(world.cluster.get("SSHKey", "web")).toBeUndefined();
    expect(left(world)).toHaveLength(1);
  });
});

describe("what another object has is not taken from it", () => {
  it("by one that only observed it so far, however old it is", async () => {
    const world = await begin();
    const management = { policy: "Observe", adopt: { filter: { label: "prod" } } };
    create(world, "SSHKey", "watcher", { label: "prod", management });
    await world.advance(minutes(1));
    create(world, "SSHKey", "prod");
    await world.advance(minutes(15));
    expect(world.cluster.get("SSHKey", "watcher")).toBeReady();
    world.cluster.patch("SSHKey", "watcher", { spec: { management: { policy: null } } });
    await world.advance(minutes(2));
    expect([stateOf(world, "SSHKey", "watcher"), stateOf(world, "SSHKey", "prod")]).toEqual(["Conflict", "Ready"]);
    world.cluster.delete("SSHKey", "watcher");
    await world.advance(minutes(2));
    expect(left(world)).toHaveLength(1);
  });

  it("while its creation has no answer yet", async () => {
    const world = await begin();
    world.cloud.fault({ kind: "slow", method: "POST", path: /sshkeys$/, ms: 5_000 });
    create(world, "SSHKey", "prod");
    await world.advance(1_000);
    create(world, "SSHKey", "thief", { label: "prod", management: { adopt: { filter: { label: "prod" } } } });
    await world.advance(minutes(5));
    expect([stateOf(world, "SSHKey", "thief"), stateOf(world, "SSHKey", "prod")]).toEqual(["Conflict", "Ready"]);
  });
});

it("a bucket that the lists do not show yet, with which a creation would answer, is not taken", async () => {
  const world = await begin();
  world.cloud.settings.listLagMs = 120_000;
  world.cloud.add(buckets, { label: "web", cluster: "us-east-1" });
  await world.advance(minutes(1));
  const before = world.cloud.ledger().length;
  create(world, "Bucket", "web", { acl: "public-read-write" });
  await world.advance(minutes(2));
  expect(stateOf(world, "Bucket", "web")).toBe("Conflict");
  expect(changes(world, before)).toEqual([]);
});

it("a name that another installation has says so, where it carries that one's tag", async () => {
  const world = await begin();
  world.cloud.add(shapes.ComputeInstance.path, { ...shapes.ComputeInstance.spec, label: "web", tags: ["cpo-east"] });
  create(world, "ComputeInstance", "web");
  await world.advance(minutes(2));
  expect(stateOf(world, "ComputeInstance", "web")).toBe("Conflict");
  expect(messageOf(world, "ComputeInstance", "web")).toContain("the tag cpo-east of another installation");
});

it("a Bucket does not take over one of another name, which it could never have", async () => {
  const world = await begin();
  const id = world.cloud.add(buckets, { label: "theirs", cluster: "us-east-1" }).id;
  create(world, "Bucket", "web", { management: { adopt: { id: `us-east-1/theirs` } } });
  await world.advance(minutes(2));
  expect(id).toBeDefined();
  expect(stateOf(world, "Bucket", "web")).toBe("AdoptionFailed");
  expect(messageOf(world, "Bucket", "web")).toContain('"theirs"');
});

describe("what cannot be trusted for a moment loses nothing", () => {
  it("a DELETE that was answered and not done, and one 404 after it", async () => {
    const world = await begin();
    create(world, "SSHKey", "web");
    await world.advance(minutes(5));
    world.cloud.fault({ kind: "empty", method: "DELETE", path: /sshkeys/, times: 1 });
    world.cluster.delete("SSHKey", "web");
    world.cloud.fault({ kind: "notFound", method: "GET", path: /sshkeys\/\d+$/, times: 1 });
    await world.advance(minutes(10));
    expect(left(world)).toEqual([]);
  });

  it.each([false, true])("lists and reads that do not show what is young; deleted: %s", async (deleted) => {
    const world = await begin();
    create(world, "SSHKey", "web");
    await world.advance(1_000);
    const id = idOf(world, "SSHKey", "web");
    world.restart();
    world.cloud.settings.listLagMs = 10_000;
    world.cloud.fault({ kind: "notFound", method: "GET", path: /sshkeys\/\d+$/, times: 3 });
    if (deleted) world.cluster.delete("SSHKey", "web");
    await world.advance(minutes(10));
    if (deleted) return expect(left(world)).toEqual([]);
    expect(idOf(world, "SSHKey", "web")).toBe(id);
    expect(left(world)).toHaveLength(1);
  });

  it("a bucket that somebody else made a moment ago, wherever the process goes before it has said so", async () => {
    const scene = async () => {
      const world = await begin();
      world.cluster.latency.ms = 5;
      world.cloud.settings.listLagMs = 8_000;
      create(world, "Bucket", "web");
      madeByHand(world, "Bucket", "web");
      return world;
    };
    const isRight = async (world: World) => {
      world.cluster.delete("Bucket", "web");
      await world.advance(minutes(12));
      return changes(world, 0).length === 0 && world.cloud.rows(buckets).length === 1;
    };
    expect(await crashedAnywhere(scene, isRight)).toEqual([]);
  });

  it("a gateway that answers 404 to items, but not to lists, is asked with growing delay", async () => {
    const world = await begin();
    world.cluster.latency.ms = 10;
    world.cloud.settings.latencyMs = 100;
    create(world, "SSHKey", "web");
    await world.advance(minutes(1));
    world.cloud.fault({ kind: "notFound", path: /\/\d+$/, times: 1_000_000 });
    const before = world.cloud.ledger().length;
    world.cluster.delete("SSHKey", "web");
    await world.advance(minutes(1));
    expect(left(world)).toHaveLength(1);
    expect(world.cloud.ledger().length - before).toBeLessThan(60);
  });
});

describe("a name that two objects want at the same moment", () => {
  it.each(["SSHKey", "Firewall"] as const)(
    "%s: nothing is created with it once another one is to be renamed to it",
    async (kind) => {
      const world = await begin();
      create(world, kind, "one", { label: "first" });
      await world.advance(minutes(3));
      const since = world.cloud.ledger().length;
      world.cluster.latency.ms = 500;
      create(world, kind, "two", { label: "second" });
      // While its journal entry is stored.
      await untilStored(world, "two");
      world.cluster.patch(kind, "one", { spec: { label: "second" } });
      await world.advance(minutes(5));
      expect(changes(world, since)).toEqual([expect.stringMatching(/^PUT/)]);
      expect([stateOf(world, kind, "one"), stateOf(world, kind, "two")]).toEqual(["Ready", "Conflict"]);
      expect(messageOf(world, kind, "two")).toContain(`${kind} default/one`);
      world.restart();
      await world.advance(minutes(5));
      world.cluster.patch(kind, "one", { spec: { label: "third" } });
      await world.advance(minutes(1));
      expect([stateOf(world, kind, "one"), stateOf(world, kind, "two")]).toEqual(["Ready", "Ready"]);
      expect(changes(world, since)).toHaveLength(3);
    },
  );
});

it.each(["SSHKey", "Firewall"] as const)(
  "%s: nothing is created with the name of a creation on its way, though its object only observes by now",
  async (kind) => {
    const world = await begin();
    world.cloud.fault({ kind: "slowApply", method: "POST", ms: 10_000 });
    create(world, kind, "one", { label: "web" });
    await untilSent(world, "POST");
    world.cluster.patch(kind, "one", { spec: { management: { policy: "Observe" } } });
    create(world, kind, "two", { label: "web" });
    await world.advance(minutes(5));
    expect(changes(world)).toEqual([`POST ${shapes[kind].path}`]);
    expect(stateOf(world, kind, "two")).toBe("Conflict");
  },
);

const skews = [-600_000, 0, 600_000];
it.each(
  (["SSHKey", "ComputeInstance"] as const).flatMap((kind) =>
    [false, true].flatMap((restart) => skews.map((nodeAheadMs) => ({ kind, restart, nodeAheadMs }))),
  ),
)("…and is created once that may not appear any more, whatever the clocks say: %o", async (row) => {
  const { kind, restart, nodeAheadMs } = row;
  const world = await begin({ nodeAheadMs });
  world.cloud.fault({ kind: "lostBefore", method: "POST" });
  create(world, kind, "one", { label: "web" });
  await untilSent(world, "POST");
  world.cluster.patch(kind, "one", { spec: { management: { policy: "Observe" } } });
  if (restart) world.restart();
  await world.advance(1_000);
  create(world, kind, "two", { label: "web" });
  await world.advance(25_000);
  expect(stateOf(world, kind, "two")).toBe("Conflict");
  expect(changes(world)).toHaveLength(1);
  await world.advance(minutes(30));
  expect(world.cluster.get(kind, "two")).toBeReady();
  expect(changes(world)).toHaveLength(2);
});

/** Until the API server has this object's journal entry, and not answered yet. */
async function untilStored({ cluster, advance }: World, name: string): Promise<void> {
  const isStored = () => cluster.writes().some(({ verb, key }) => verb === "patch" && key === `default/${name}`);
  for (let ms = 0; ms < minutes(1) && !isStored(); ms += 10) await advance(10);
  if (!isStored()) throw new Error(`no entry of ${name} was stored`);
}

it("a namespace that may not use existing cloud objects reads a condition whose sentences begin with capitals", async () => {
  const world = await begin();
  world.cluster.patch("CloudAccount", "default", { spec: { sharing: { namespaces: ["team-b"] } } });
  world.cloud.add(shapes.ComputeInstance.path, { ...shapes.ComputeInstance.spec, label: "web" });
  const accountRef = { namespace: "default", name: "default" };
  world.cluster.create(
    "ComputeInstance",
    "web",
    { ...shapes.ComputeInstance.spec, accountRef },
    { namespace: "team-b" },
  );
  await world.advance(minutes(2));
  const message = conditionOf(world.cluster.get("ComputeInstance", "web", "team-b"), "Ready")?.message ?? "";
  expect(message).toMatch(/The operator creates nothing\. Set another spec\.label$/);
  expect(message).not.toMatch(/\. [a-z]/);
});
