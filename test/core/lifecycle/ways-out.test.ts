/** Ways out where an account, a grant, a reference or a Secret stands in the way: each that a message names leads to Ready. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { recordOf } from "../../world/record.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, manage, messageOf, obey, paths, specs, stateOf } from "../support.ts";

const soonMs = 60_000;
const rules = { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] };

function key(world: World): string | undefined {
  return stateOf(world, "SSHKey", "laptop");
}

async function withKey(): Promise<World> {
  const world = createWorld();
  world.cluster.create("SSHKey", "laptop", specs.SSHKey);
  await world.advance(10_000);
  expect(key(world)).toBe("Ready");
  return world;
}

function storeToken({ cluster }: World, token: string): void {
  cluster.objects.patch(secrets, { namespace: "default", name: "cloud-token" }, { stringData: { token } });
}

describe("an account", () => {
  it("whose token belongs to another one goes on with the former token", async () => {
    const world = await withKey();
    world.cloud.addUser({ token: "of-another", username: "eve" });
    storeToken(world, "of-another");
    world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
    await world.advance(soonMs);
    expect(stateOf(world, "CloudAccount", "default")).toBe("AccountChanged");
    expect(key(world)).toBe("AccountChanged");
    storeToken(world, "token-of-default");
    await world.advance(soonMs);
    expect(key(world)).toBe("Ready");
    expect(world.cloud.rows(paths.SSHKey)).toMatchObject([{ label: "renamed" }]);
  });

  it("goes on with another one that spec.expectedAccount names as the message shows it", async () => {
    const world = await withKey();
    world.cloud.addUser({ token: "of-another", username: "eve" });
    storeToken(world, "of-another");
    await world.advance(soonMs);
    const [, named] = /expectedAccount: "([^"]+)"/.exec(messageOf(world, "CloudAccount", "default")) ?? [];
    world.cluster.patch("CloudAccount", "default", { spec: { expectedAccount: named } });
    await world.advance(soonMs);
    expect(world.cluster.get("CloudAccount", "default")).toBeReady();
    // What is in the former account stays there, and is said; it goes on in the new one by leave.
    expect(key(world)).toBe("AccountChanged");
    world.cluster.create("SSHKey", "another", specs.SSHKey);
    await world.advance(soonMs);
    expect(world.cluster.get("SSHKey", "another")).toBeReady();
    expect(world.cloud.rows(paths.SSHKey, "eve")).toHaveLength(1);
    expect(world.cloud.rows(paths.SSHKey, "ada")).toHaveLength(1);
  });

  it("that does not fit spec.expectedAccount goes on when that is corrected", async () => {
    const world = await withKey();
    world.cluster.patch("CloudAccount", "default", { spec: { expectedAccount: "euuid-9" } });
    await world.advance(soonMs);
    expect(stateOf(world, "CloudAccount", "default")).toBe("AccountChanged");
    world.cluster.patch("CloudAccount", "default", { spec: { expectedAccount: "euuid-1" } });
    await world.advance(soonMs);
    expect(world.cluster.get("CloudAccount", "default")).toBeReady();
  });

  it.each([
    ["TokenRejected", (world: World) => storeToken(world, "wrong")],
    ["TokenMalformed", (world: World) => storeToken(world, "two words")],
    ["TokenMissing", (world: World) => storeToken(world, "")],
  ])("that is %s goes on with a valid token", async (reason, spoil) => {
    const world = await withKey();
    spoil(world);
    world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
    await world.advance(soonMs);
    expect(stateOf(world, "CloudAccount", "default")).toBe(reason);
    storeToken(world, "token-of-default");
    await world.advance(soonMs);
    expect(world.cluster.get("CloudAccount", "default")).toBeReady();
    expect(key(world)).toBe("Ready");
    expect(world.cloud.rows(paths.SSHKey)).toMatchObject([{ label: "renamed" }]);
  });

  it("whose token was withdrawn lets a deleted object go as its message says", async () => {
    const world = await withKey();
    world.cloud.revoke("token-of-default");
    world.cluster.delete("SSHKey", "laptop");
    await world.advance(soonMs);
    expect(key(world)).toBe("TokenRejected");
    expect(messageOf(world, "SSHKey", "laptop")).toContain("stays in the cloud");
    obey(world, "SSHKey", "laptop");
    await world.advance(10_000);
    expect(world.cluster.get("SSHKey", "laptop")).toBeUndefined();
  });

  it("of another namespace serves once spec.sharing names this one, and existing things by a grant of their own", async () => {
    const world = await withKey();
    const accountRef = { name: "default", namespace: "default" };
    const { id } = world.cloud.add(paths.Firewall, { label: "wall", rules });
    const management = { adopt: { id } };
    world.cluster.create("Firewall", "wall", { ...specs.Firewall, accountRef }, { namespace: "shop", management });
    const wall = () => world.cluster.get("Firewall", "wall", "shop")?.status;
    const share = (sharing: object) => world.cluster.patch("CloudAccount", "default", { spec: { sharing } });
    await world.advance(soonMs);
    expect(wall()).toMatchObject({ conditions: [{ reason: "NotShared" }, {}] });
    share({ namespaces: ["shop"] });
    await world.advance(soonMs);
    expect(wall()).toMatchObject({ conditions: [{ reason: "NotShared" }, {}] });
    share({ namespaces: ["shop"], existing: ["shop"] });
    await world.advance(soonMs);
    expect(wall()).toMatchObject({ id, conditions: [{ reason: "Ready" }] });
  });
});

describe("a grant that was withdrawn", () => {
  async function hidden(): Promise<World> {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", specs.Firewall);
    await world.advance(10_000);
    const [row] = world.cloud.history();
    world.cloud.withdraw("ada", [row!.serial]);
    await world.advance(130_000);
    expect(stateOf(world, "Firewall", "wall")).toBe("NotVisible");
    return world;
  }

  it("is restored, and all is as before", async () => {
    const world = await hidden();
    world.cloud.user("ada").hidden.clear();
    await world.advance(700_000);
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
    expect(world.cloud.history()).toHaveLength(1);
  });

  it("holds a deleted object until its message is obeyed", async () => {
    const world = await hidden();
    world.cluster.delete("Firewall", "wall");
    await world.advance(soonMs);
    expect(stateOf(world, "Firewall", "wall")).toBe("NotVisible");
    obey(world, "Firewall", "wall");
    await world.advance(10_000);
    expect(world.cluster.get("Firewall", "wall")).toBeUndefined();
  });
});

describe("a grant that was withdrawn just when", () => {
  it("the deletion was recorded and not sent holds the object", async () => {
    const world = createWorld();
    world.cloud.withdraw("ada", []);
    world.cluster.create("SSHKey", "laptop", specs.SSHKey);
    await world.advance(soonMs);
    expect(key(world)).toBe("Ready");
    world.cluster.writeFaults.push({ verb: "patch-status", how: "lostAfter", times: 1 });
    world.cluster.delete("SSHKey", "laptop");
    for (let ms = 0; ms < 1_000 && recordOf(world.cluster.get("SSHKey", "laptop")).deletedID === undefined; ms++)
      await world.advance(1);
    const [row] = world.cloud.history();
    world.cloud.withdraw("ada", [row!.serial]);
    await world.advance(10_000);
    world.cloud.user("ada").hidden.clear();
    expect(world.cloud.ledger().filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(world.cluster.get("SSHKey", "laptop")).toBeDefined();
    await world.advance(700_000);
    expect(world.cluster.get("SSHKey", "laptop")).toBeUndefined();
    expect(world.cloud.rows(paths.SSHKey)).toEqual([]);
  });

  it("others have a bucket of the name that this operator has deleted: its content is not gone", async () => {
    const world = createWorld();
    world.cluster.secret("robots", { content: "allow" });
    await world.advance(5_000);
    world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
    await world.advance(soonMs);
    world.cluster.delete("Bucket", "media");
    await world.advance(soonMs);
    world.cloud.add("/object-storage/buckets", { label: "media", cluster: "us-east-1" });
    await world.advance(soonMs);
    const robots = { objectKey: "robots.txt", contentSecretRef: { name: "robots" } };
    world.cluster.create("BucketObject", "robots", { bucketRef: { id: "us-east-1/media" }, ...robots });
    await world.advance(soonMs);
    expect(stateOf(world, "BucketObject", "robots"), messageOf(world, "BucketObject", "robots")).toBe("Ready");
    const serials = world.cloud.history().flatMap((row) => (row.removed ? [] : [row.serial]));
    world.cloud.withdraw("ada", serials);
    await world.advance(5_000);
    world.cluster.delete("BucketObject", "robots");
    await world.advance(700_000);
    expect(stateOf(world, "BucketObject", "robots")).toBe("NotVisible");
  });
});

describe("an adoption", () => {
  it.each([
    ["an id that is not there", { id: "77" }],
    ["a filter that nothing matches", { filter: { label: "none" } }],
    ["a filter that two match", { filter: { status: "enabled" } }],
  ])("by %s goes on when it is corrected", async (_, adopt) => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.Firewall, { label: "one", rules });
    world.cloud.add(paths.Firewall, { label: "two", rules });
    world.cluster.create("Firewall", "wall", { ...specs.Firewall, label: "one" }, { management: { adopt } });
    await world.advance(soonMs);
    expect(stateOf(world, "Firewall", "wall")).toBe("AdoptionFailed");
    world.cluster.patch("Firewall", "wall", { spec: { management: { adopt: null } } });
    manage(world, "Firewall", "wall", { adopt: "id" in adopt ? { id } : { filter: { label: "one" } } });
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
    expect(idOf(world, "Firewall", "wall")).toBe(id);
  });

  it("is what an object that only observes needs", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.SSHKey, { label: "one", ssh_key: specs.SSHKey.sshKey });
    world.cluster.create("SSHKey", "laptop", specs.SSHKey, { management: { policy: "Observe" } });
    await world.advance(soonMs);
    expect(key(world)).toBe("AdoptionFailed");
    manage(world, "SSHKey", "laptop", { adopt: { id } });
    await world.advance(soonMs);
    expect(key(world)).toBe("Ready");
  });
});

describe("drift that is left alone", () => {
  async function drifted(): Promise<World> {
    const world = createWorld();
    world.cluster.create("SSHKey", "laptop", specs.SSHKey, { management: { driftPolicy: "Report" } });
    await world.advance(10_000);
    world.cloud.change(paths.SSHKey, idOf(world, "SSHKey", "laptop"), { label: "else" });
    await world.advance(120_000);
    expect(drift(world)).toBe(true);
    return world;
  }

  function drift({ cluster }: World): boolean {
    const { conditions = [] } = cluster.get("SSHKey", "laptop")!.status as { conditions?: { type: string }[] };
    return conditions.some(({ type }) => type === "Drifted");
  }

  it("is corrected by driftPolicy Correct", async () => {
    const world = await drifted();
    manage(world, "SSHKey", "laptop", { driftPolicy: "Correct" });
    await world.advance(soonMs);
    expect(drift(world)).toBe(false);
    expect(world.cloud.rows(paths.SSHKey)).toMatchObject([{ label: "laptop" }]);
  });

  it("ends with a change of the spec to what is there", async () => {
    const world = await drifted();
    world.cluster.patch("SSHKey", "laptop", { spec: { label: "else" } });
    await world.advance(soonMs);
    expect(drift(world)).toBe(false);
  });

  it("ends with a change of the cloud object", async () => {
    const world = await drifted();
    world.cloud.change(paths.SSHKey, idOf(world, "SSHKey", "laptop"), { label: "laptop" });
    await world.advance(120_000);
    expect(drift(world)).toBe(false);
  });
});
