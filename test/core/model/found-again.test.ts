/** What once looked like a loss, or like something new, and was neither: restored, repeated, moved to another user, or made by another. */
import { journalAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it } from "vitest";
import { begin, create, follow, idOf, left, messageOf, minutes, sshKeys, stateOf, walls } from "../support.ts";
import type { World } from "../../world/world.ts";

const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const zone = { domain: "mine.example", type: "master", soaEmail: "dns@mine.example" };

function entryOf(world: World, kind: string, name: string): Record<string, string> {
  const { [journalAnnotation]: entry = "" } = world.cluster.get(kind, name)!.metadata.annotations ?? {};
  return { [journalAnnotation]: entry };
}

it("an id that was given to a domain of another name is neither changed nor deleted", async () => {
  const world = await begin();
  world.cluster.create("Domain", "mine", zone);
  await world.advance(minutes(2));
  const id = idOf(world, "Domain", "mine");
  world.cloud.replace("/domains", id, { domain: "theirs.example", type: "master", soa_email: "dns@theirs.example" });
  await world.advance(minutes(20));
  expect(stateOf(world, "Domain", "mine")).toBe("Conflict");
  world.cluster.delete("Domain", "mine");
  await world.advance(minutes(5));
  expect(world.cloud.rows("/domains")).toMatchObject([{ domain: "theirs.example", soa_email: "dns@theirs.example" }]);
});

describe("a backup that is older than the last change, restored without status", () => {
  /** A firewall that was renamed after its manifest was kept, and is gone from the cluster but not from the cloud. */
  async function restored(): Promise<World> {
    const world = await begin();
    create(world, "Firewall", "wall", { label: "first", management: { deletionPolicy: "Orphan" } });
    await world.advance(minutes(2));
    const annotations = entryOf(world, "Firewall", "wall");
    world.cluster.patch("Firewall", "wall", { spec: { label: "second" } });
    await world.advance(minutes(2));
    world.cluster.delete("Firewall", "wall");
    await world.advance(minutes(30));
    const spec = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT", label: "first" };
    world.cluster.create("Firewall", "wall", spec, { annotations });
    await world.advance(minutes(5));
    return world;
  }

  it("makes no second one: it waits for people, and takes what they name", async () => {
    const world = await restored();
    expect(stateOf(world, "Firewall", "wall")).toBe("CreateUncertain");
    const [row] = world.cloud.rows(walls);
    const id = JSON.stringify(row?.["id"]);
    expect(world.cloud.rows(walls)).toHaveLength(1);
    world.cluster.patch("Firewall", "wall", { spec: { management: { adopt: { id } } } });
    await world.advance(minutes(2));
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
    expect(world.cloud.rows(walls)).toMatchObject([{ id: row?.["id"], label: "first" }]);
  });

  it("makes another one by leave", async () => {
    const world = await restored();
    follow(world, "Firewall", "wall", "retry-create");
    await world.advance(minutes(2));
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
    expect(world.cloud.rows(walls)).toHaveLength(2);
  });
});

it("a lost creation that is refused as its own duplicate is found, and goes with its object", async () => {
  const world = await begin();
  world.cloud.settings.listLagMs = minutes(3);
  world.cloud.fault({ kind: "lostAfter", method: "POST", path: /firewalls$/ });
  create(world, "Firewall", "wall");
  await world.advance(minutes(2));
  expect(stateOf(world, "Firewall", "wall")).not.toBe("Ready");
  world.cloud.settings.listLagMs = 0;
  world.restart();
  await world.advance(minutes(1));
  expect(world.cluster.get("Firewall", "wall")).toBeReady();
  world.cluster.delete("Firewall", "wall");
  await world.advance(minutes(2));
  expect(left(world)).toEqual([]);
});

it("a lost creation does not take what another object creates under the name that it had", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /sshkeys$/ });
  create(world, "SSHKey", "one", { label: "wanted" });
  await world.settle();
  world.cluster.patch("SSHKey", "one", { spec: { label: "other" } });
  world.cloud.fault({ kind: "slow", method: "POST", path: /sshkeys$/, ms: 5_000 });
  create(world, "SSHKey", "two", { label: "wanted" });
  await world.advance(minutes(20));
  expect([stateOf(world, "SSHKey", "one"), stateOf(world, "SSHKey", "two")]).toEqual(["Ready", "Ready"]);
  const labels = world.cloud.rows(sshKeys).map(({ label }) => label);
  expect(new Set(labels)).toEqual(new Set(["other", "wanted"]));
  expect(labels).toHaveLength(2);
});

it("the keys of a user stay that user's when the token is another user's of the same account", async () => {
  const world = await begin();
  create(world, "SSHKey", "ours");
  create(world, "SSHKey", "going");
  await world.advance(minutes(2));
  world.cloud.addUser({ token: "of-a-colleague", username: "colleague", account: world.cloud.user("ada").account });
  const token = Buffer.from("of-a-colleague").toString("base64");
  const { tokenSecretRef } = world.cluster.get("CloudAccount", "default")!.spec as { tokenSecretRef: { name: string } };
  world.cluster.objects.patch(secrets, { namespace: "default", name: tokenSecretRef.name }, { data: { token } });
  await world.advance(minutes(1));
  world.cluster.delete("SSHKey", "going");
  await world.advance(minutes(20));
  expect(stateOf(world, "SSHKey", "ours")).toBe("AccountChanged");
  expect(world.cluster.get("SSHKey", "going")).toBeDefined();
  expect(messageOf(world, "SSHKey", "going")).toContain("orphan");
  expect(world.cloud.rows(sshKeys, "ada")).toHaveLength(2);
  expect(world.cloud.rows(sshKeys, "colleague")).toEqual([]);
});

it("the Secret that held the token before is let go when the account names another", async () => {
  const world = await begin();
  await world.advance(minutes(1));
  const { tokenSecretRef } = world.cluster.get("CloudAccount", "default")!.spec as { tokenSecretRef: { name: string } };
  const former = { namespace: "default", name: tokenSecretRef.name };
  const data = (world.cluster.objects.get(secrets, former) as unknown as { data: Record<string, string> }).data;
  world.cluster.secret("token-2", { token: Buffer.from(data["token"] ?? "", "base64").toString() });
  world.cluster.patch("CloudAccount", "default", { spec: { tokenSecretRef: { name: "token-2" } } });
  await world.advance(minutes(1));
  expect(world.cluster.get("CloudAccount", "default")).toBeReady();
  expect(world.cluster.objects.get(secrets, former)?.metadata.finalizers ?? []).toEqual([]);
});
