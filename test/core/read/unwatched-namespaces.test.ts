/** Holders in namespaces that the operator does not watch: the sharing of the account decides. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { palette } from "../../explorer/palette.ts";
import { createWorld, token } from "../../world/world.ts";
import type { World, WorldOptions } from "../../world/world.ts";
import { keys, kind as keyKind } from "../secrets/keys.ts";
import {
  calm,
  changes,
  idOf,
  left,
  madeMs,
  messageOf,
  minutes,
  shapes,
  stateOf,
  untilSent,
  walls,
} from "../support.ts";

const home = "default";
const foreign = "team-b";
const withExisting = { namespaces: [foreign], existing: [foreign] };
const zone = { domain: "example.org", type: "master", soaEmail: "ada@example.org" };
const inAccount = { accountRef: { name: "default", namespace: home } };
const wall = shapes.Firewall.spec;

function share(world: World, sharing: object | null, account = "default"): void {
  world.cluster.patch("CloudAccount", account, { spec: { sharing } });
}

function deletions(world: World): string[] {
  return changes(world).filter((one) => one.startsWith("DELETE"));
}

/** A world whose operator watches the namespace of the account only. */
async function limited(sharing: object | null, options: WorldOptions = {}): Promise<World> {
  const world = createWorld({ ...options, start: false });
  share(world, sharing);
  world.restart([], [home]);
  await world.advance(minutes(1));
  return world;
}

/** A zone that the namespace of the account adopted, with a protected record of team-b. The operator then stops watching team-b. */
async function withForeignRecord(): Promise<World> {
  const world = createWorld();
  const { id } = world.cloud.add("/domains", { domain: "example.org", type: "master", soa_email: "ada@example.org" });
  share(world, withExisting);
  const record = { domainRef: { id }, type: "A", name: "www", target: "192.0.2.1", ...inAccount };
  const protect = { namespace: foreign, management: { protect: true } };
  await world.advance(minutes(1));
  world.cluster.create("DomainRecord", "www", record, protect);
  await world.advance(minutes(2));
  expect(world.cluster.get("DomainRecord", "www", foreign)).toBeReady();
  world.cluster.create("Domain", "zone", zone, { management: { adopt: { id } } });
  await world.advance(minutes(2));
  world.restart([], [home]);
  await world.advance(minutes(1));
  return world;
}

describe("a Domain that an object of an unwatched namespace can hold", () => {
  it("keeps its zone, and its condition names the setting and both cures", async () => {
    const world = await withForeignRecord();
    world.cluster.delete("Domain", "zone");
    await world.advance(minutes(10));
    expect(deletions(world)).toEqual([]);
    expect(stateOf(world, "Domain", "zone")).toBe("WaitingForDependents");
    const message = messageOf(world, "Domain", "zone");
    for (const part of [foreign, "--namespace", "watch.namespaces", "spec.sharing."]) expect(message).toContain(part);
  });

  it("is deleted after the owner of the account withdraws the share", async () => {
    const world = await withForeignRecord();
    world.cluster.delete("Domain", "zone");
    await world.advance(minutes(5));
    share(world, null);
    await world.advance(minutes(5));
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
    expect(world.cloud.rows("/domains")).toEqual([]);
  });

  it("waits for the protected record after the operator watches the namespace", async () => {
    const world = await withForeignRecord();
    world.cluster.delete("Domain", "zone");
    await world.advance(minutes(5));
    world.restart([], [home, foreign]);
    await world.advance(minutes(5));
    expect(deletions(world)).toEqual([]);
    expect(messageOf(world, "Domain", "zone")).toContain("DomainRecord team-b/www (protected)");
    world.cluster.patch("DomainRecord", "www", { spec: { management: { protect: false } } }, foreign);
    await world.advance(minutes(5));
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
  });

  it("keeps its zone if another CloudAccount of the same real account has the share", async () => {
    const world = await withForeignRecord();
    world.cluster.create("CloudAccount", "second", { tokenSecretRef: { name: "cloud-token" }, sharing: withExisting });
    share(world, null);
    await world.advance(minutes(1));
    world.cluster.delete("Domain", "zone");
    await world.advance(minutes(5));
    expect(deletions(world)).toEqual([]);
    expect(messageOf(world, "Domain", "zone")).toContain("CloudAccount second");
  });
});

/** The first swatch of each kind with cloud objects that the operator deletes. */
const owned = [...Map.groupBy(palette, ({ kind }) => kind)].flatMap(([name, [first]]) => {
  const kind = kinds.find((one) => one.kind === name);
  return first && kind?.shape === "owned" && kind.stays === undefined ? [first] : [];
});

it.each(owned)("a $kind keeps its cloud object until no unwatched namespace may use it", async (swatch) => {
  const world = await limited(withExisting, calm);
  const { cluster } = world;
  cluster.secret("user-data", { "user-data": "#cloud-config" });
  cluster.secret("root-password", { password: "s3cret-of-root" });
  for (const needed of [swatch.below, swatch.beside])
    if (needed) cluster.create(needed.kind, needed.name, needed.spec(home));
  if (swatch.below) await world.advance(madeMs);
  cluster.create(swatch.kind, "one", swatch.spec("one"));
  await world.advance(madeMs);
  expect(idOf(world, swatch.kind, "one"), messageOf(world, swatch.kind, "one")).toBeDefined();
  cluster.delete(swatch.kind, "one");
  await world.advance(minutes(10));
  expect(deletions(world)).toEqual([]);
  expect(stateOf(world, swatch.kind, "one")).toBe("WaitingForDependents");
  share(world, { namespaces: [foreign], existing: [] });
  await world.advance(minutes(30));
  expect(cluster.get(swatch.kind, "one")).toBeUndefined();
});

describe("the sharing of an account", () => {
  it("without sharing.existing keeps no cloud object that its own namespace created", async () => {
    const world = await limited({ namespaces: [foreign] });
    world.cluster.create("Firewall", "wall", wall);
    await world.advance(minutes(1));
    world.cluster.delete("Firewall", "wall");
    await world.advance(minutes(5));
    expect(world.cluster.get("Firewall", "wall")).toBeUndefined();
  });

  it("without sharing.existing keeps an adopted cloud object, which an unwatched object may have created", async () => {
    const world = createWorld();
    share(world, { namespaces: [foreign] });
    world.cluster.create("Firewall", "theirs", { ...wall, ...inAccount }, { namespace: foreign });
    await world.advance(minutes(1));
    const id = idOf(world, "Firewall", "theirs", foreign);
    world.restart([], [home]);
    world.cluster.create("Firewall", "taken", wall, { management: { adopt: { id } } });
    await world.advance(minutes(2));
    world.cluster.delete("Firewall", "taken");
    await world.advance(minutes(5));
    expect(deletions(world)).toEqual([]);
    expect(messageOf(world, "Firewall", "taken")).toContain("spec.sharing.namespaces");
  });

  it.each([
    ["every namespace by *", { namespaces: ["*"], existing: ["*"] }],
    ["every namespace by * with existing for one of them", { namespaces: ["*"], existing: [foreign] }],
    ["one namespace with existing for every one of them", { namespaces: [foreign], existing: ["*"] }],
  ])("with %s keeps a cloud object", async (_, sharing) => {
    const world = await limited(sharing);
    world.cluster.create("Firewall", "wall", wall);
    await world.advance(minutes(1));
    world.cluster.delete("Firewall", "wall");
    await world.advance(minutes(5));
    expect(deletions(world)).toEqual([]);
    expect(stateOf(world, "Firewall", "wall")).toBe("WaitingForDependents");
    share(world, { namespaces: [home], existing: ["*"] });
    await world.advance(minutes(5));
    expect(world.cluster.get("Firewall", "wall")).toBeUndefined();
  });

  it("with unwatched namespaces does not keep an orphaned cloud object", async () => {
    const world = await limited(withExisting);
    world.cluster.create("Firewall", "wall", wall, { management: { deletionPolicy: "Orphan" } });
    await world.advance(minutes(1));
    world.cluster.delete("Firewall", "wall");
    await world.advance(minutes(5));
    expect(world.cluster.get("Firewall", "wall")).toBeUndefined();
    expect(world.cloud.rows(walls)).toHaveLength(1);
  });
});

it("the condition of a tenant does not name the other namespaces of the account", async () => {
  const world = createWorld({ start: false });
  share(world, { namespaces: [foreign, "team-c"], existing: ["team-c"] });
  world.restart([], [home, foreign]);
  await world.advance(minutes(1));
  world.cluster.create("Firewall", "theirs", { ...wall, ...inAccount }, { namespace: foreign });
  await world.advance(minutes(1));
  world.cluster.delete("Firewall", "theirs", foreign);
  await world.advance(minutes(5));
  expect(deletions(world)).toEqual([]);
  const message = messageOf(world, "Firewall", "theirs", foreign);
  expect(message).toContain("watch.namespaces");
  expect(message).not.toContain("team-c");
});

describe("a CloudAccount that unwatched namespaces share", () => {
  /** The token's Secret and the account, both in deletion, with a Firewall of team-b. */
  async function deleted(): Promise<World> {
    const world = createWorld();
    share(world, { namespaces: [foreign] });
    world.cluster.create("Firewall", "theirs", { ...wall, ...inAccount }, { namespace: foreign });
    await world.advance(minutes(1));
    expect(world.cluster.get("Firewall", "theirs", foreign)).toBeReady();
    world.restart([], [home]);
    await world.advance(minutes(1));
    world.cluster.delete("CloudAccount", "default");
    world.cluster.objects.beginDelete(secrets, { namespace: home, name: "cloud-token" })();
    await world.advance(minutes(10));
    return world;
  }

  const tokenSecret = ({ cluster }: World) => cluster.objects.get(secrets, { namespace: home, name: "cloud-token" });

  it("keeps its token, and its condition names the setting and both cures", async () => {
    const world = await deleted();
    expect(tokenSecret(world)).toMatchObject({ data: { token: Buffer.from(token).toString("base64") } });
    expect(stateOf(world, "CloudAccount", "default")).toBe("WaitingForDependents");
    const message = messageOf(world, "CloudAccount", "default");
    for (const part of [foreign, "--namespace", "watch.namespaces", "spec.sharing.namespaces"])
      expect(message).toContain(part);
  });

  it("is released after the owner withdraws the share", async () => {
    const world = await deleted();
    share(world, null);
    await world.advance(minutes(10));
    expect(world.cluster.get("CloudAccount", "default")).toBeUndefined();
    expect(tokenSecret(world)).toBeUndefined();
  });

  it("waits for the objects of the namespace after the operator watches it", async () => {
    const world = await deleted();
    world.restart([], [home, foreign]);
    await world.advance(minutes(5));
    expect(messageOf(world, "CloudAccount", "default")).toContain("1 object of namespace team-b");
    world.cluster.delete("Firewall", "theirs", foreign);
    await world.advance(minutes(10));
    expect(world.cloud.rows(walls)).toEqual([]);
    expect(world.cluster.get("CloudAccount", "default")).toBeUndefined();
  });

  it("keeps its token although a second account with the same Secret is released", async () => {
    const world = await deleted();
    world.cluster.create("CloudAccount", "second", { tokenSecretRef: { name: "cloud-token" } });
    await world.advance(minutes(1));
    world.cluster.delete("CloudAccount", "second");
    await world.advance(minutes(5));
    expect(world.cluster.get("CloudAccount", "second")).toBeUndefined();
    expect(tokenSecret(world)).toBeDefined();
  });
});

it("a key in whose place another one was created stays while an unwatched namespace may use it", async () => {
  const world = await limited(withExisting, calm);
  world.cluster.create(keyKind, "web", { gracePeriodSeconds: 0 });
  await world.advance(minutes(1));
  world.cluster.patch(keyKind, "web", { spec: { rotation: 1 } });
  await world.advance(minutes(5));
  expect(world.cloud.rows(keys)).toHaveLength(2);
  expect(stateOf(world, keyKind, "web")).toBe("WaitingForDependents");
  share(world, null);
  await world.advance(minutes(5));
  expect(world.cloud.rows(keys)).toHaveLength(1);
  expect(world.cluster.get(keyKind, "web")).toBeReady();
});

describe("a cloud object whose object is gone", () => {
  /** The API server ends a deletion while the cloud creates. */
  async function stray(sharing: object | null): Promise<World> {
    const world = await limited(sharing);
    world.cluster.latency.ms = 10;
    world.cluster.create("Firewall", "web", wall);
    const end = world.cluster.beginDelete("Firewall", "web");
    await untilSent(world, "POST");
    end();
    await world.advance(minutes(2));
    return world;
  }

  it("is deleted if no unwatched namespace may use it", async () => {
    expect(left(await stray(null))).toEqual([]);
  });

  it("stays while an unwatched namespace may use it", async () => {
    const world = await stray(withExisting);
    expect(left(world)).toHaveLength(1);
    share(world, null);
    await world.advance(minutes(5));
    expect(left(world)).toEqual([]);
  });

  it("is named by one event and by the next object with the name while it stays", async () => {
    const world = await stray(withExisting);
    world.cluster.create("Firewall", "web", wall);
    await world.advance(minutes(15));
    const events = world.cluster.events().filter(({ reason }) => reason === "WaitingForDependents");
    expect(events.map(({ note }) => note)).toEqual([expect.stringContaining("watch.namespaces")]);
    expect(messageOf(world, "Firewall", "web")).toContain("WaitingForDependents");
    share(world, null);
    await world.advance(minutes(5));
    expect(world.cluster.get("Firewall", "web")).toBeReady();
    expect(left(world)).toHaveLength(1);
  });
});
