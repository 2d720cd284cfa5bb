/** An object that another operator manages is not reconciled, and that is said for as long as it is so. */
import { operatorAnnotation } from "../../../src/core/kind/annotations.ts";
import { expect, it } from "vitest";
import type { Holding } from "../../../src/cluster/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World, WorldOptions } from "../../world/world.ts";
import { paths, specs, untilSent } from "../support.ts";

const minutes = (count: number): number => count * 60_000;

/** A world with an object that names another lease, of which so much is known. */
async function elsewhere(holder: string, holds: { of: Holding }): Promise<World> {
  const others = { holds: () => Promise.resolve(holds.of) };
  const world = createWorld({ operators: { own: "cloud-system/operator", others } });
  world.cluster.create("SSHKey", "laptop", specs.SSHKey);
  await world.advance(minutes(1));
  world.cluster.annotate("CloudAccount", "default", { [operatorAnnotation]: holder });
  world.cluster.annotate("SSHKey", "laptop", { [operatorAnnotation]: holder });
  await world.settle();
  return world;
}

const said = ({ cluster }: World): string[] =>
  cluster
    .events()
    .filter(({ reason, key }) => reason === "ManagedElsewhere" && key === "default/laptop")
    .map(({ note }) => note);

const operatorOf = ({ cluster }: World): string | undefined =>
  cluster.get("SSHKey", "laptop")?.metadata.annotations?.[operatorAnnotation];

it.each<{ holds: Holding; says: string; why: string }>([
  { holds: "yes", says: "the operator with lease west/cpo manages it", why: "its operator is at work" },
  { holds: "unknown", says: "the lease west/cpo that it names cannot be read", why: "it may be at work" },
])("an object of a lease that holds: $holds, is not reconciled, and that is said every ten minutes", async (row) => {
  const world = await elsewhere("west/cpo", { of: row.holds });
  world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await world.advance(minutes(25));
  expect(said(world)).toHaveLength(3);
  expect(said(world)[0]).toContain(row.says);
  expect(said(world)[0]).toContain(
    "kubectl annotate cloudaccount -n default default --overwrite cloudplatform.dev/operator-",
  );
  // Of the account and of the object.
  expect(world.logged().filter(({ message }) => message === said(world)[0])).toHaveLength(6);
  expect(world.cloud.ledger().filter(({ method }) => method === "PUT")).toEqual([]);
  expect(operatorOf(world)).toBe("west/cpo");
});

it("it is taken over when the other operator is gone, and said anew if that one comes back", async () => {
  const holds: { of: Holding } = { of: "yes" };
  const world = await elsewhere("west/cpo", holds);
  holds.of = "no";
  await world.advance(minutes(1));
  expect(operatorOf(world)).toBe("cloud-system/operator");
  holds.of = "yes";
  world.cluster.annotate("CloudAccount", "default", { [operatorAnnotation]: "west/cpo" });
  world.cluster.annotate("SSHKey", "laptop", { [operatorAnnotation]: "west/cpo" });
  await world.advance(minutes(1));
  expect(said(world)).toHaveLength(2);
});

it("an object goes with its account: the operator that manages the account takes it in, whoever took it over", async () => {
  const world = await elsewhere("west/cpo", { of: "yes" });
  world.cluster.annotate("CloudAccount", "default", { [operatorAnnotation]: "cloud-system/operator" });
  world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await world.advance(minutes(1));
  expect(operatorOf(world)).toBe("cloud-system/operator");
  expect(world.cloud.ledger().filter(({ method }) => method === "PUT")).toHaveLength(1);
});

it("…and is left to the operator that manages the account, also by the one that it names", async () => {
  const world = await elsewhere("west/cpo", { of: "yes" });
  world.cluster.annotate("SSHKey", "laptop", { [operatorAnnotation]: "cloud-system/operator" });
  world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await world.advance(minutes(1));
  expect(world.cloud.ledger().filter(({ method }) => method === "PUT")).toEqual([]);
  expect(said(world).at(-1)).toContain("the operator with lease west/cpo manages it");
});

it.each(["default", "default/", "/", "kube-system/", "a/b/c"])(
  "%j names no lease, and holds nothing",
  async (holder) => {
    const world = await elsewhere(holder, { of: "yes" });
    await world.advance(minutes(1));
    expect(operatorOf(world)).toBe("cloud-system/operator");
    expect(said(world)).toEqual([]);
  },
);

it("who does not manage an account any more asks nothing in it", async () => {
  const world = await elsewhere("cloud-system/operator", { of: "yes" });
  await world.advance(minutes(5));
  world.cluster.annotate("CloudAccount", "default", { [operatorAnnotation]: "west/cpo" });
  await world.advance(minutes(1));
  const since = world.cloud.ledger().length;
  await world.advance(minutes(30));
  expect(world.cloud.ledger().slice(since)).toEqual([]);
});

/** The account goes to another operator, while what was made for an object that is gone refuses its deletion so often. */
async function loseAccount(refusals: number): Promise<World> {
  const operators = { own: "cloud-system/operator", others: { holds: () => Promise.resolve("yes" as const) } };
  const world = createWorld({ operators });
  await world.advance(5_000);
  world.cluster.create("Firewall", "wall", specs.Firewall);
  const end = world.cluster.beginDelete("Firewall", "wall");
  world.cloud.fault({ kind: "busy", method: "DELETE", times: refusals });
  await untilSent(world, "POST");
  end();
  await world.advance(minutes(0.5));
  world.cluster.annotate("CloudAccount", "default", { [operatorAnnotation]: "west/cpo" });
  return world;
}

it("…but for what it made for an object that is gone, of which no other operator knows", async () => {
  const world = await loseAccount(10);
  await world.advance(minutes(10));
  expect(world.cloud.rows(paths.Firewall)).toEqual([]);
  const since = world.cloud.ledger().length;
  await world.advance(minutes(30));
  expect(world.cloud.ledger().slice(since)).toEqual([]);
});

it("…and takes nothing new in there, though what it made for an object that is gone keeps it connected", async () => {
  const world = await loseAccount(1_000);
  await world.advance(minutes(1));
  world.cluster.create("SSHKey", "laptop", specs.SSHKey);
  await world.advance(minutes(10));
  expect(world.cloud.ledger().filter(({ method, path }) => method === "POST" && path === paths.SSHKey)).toEqual([]);
  expect(world.cluster.get("SSHKey", "laptop")?.metadata.finalizers ?? []).toEqual([]);
  // The other one takes it in.
  expect(said(world)).toEqual([]);
});

/** Two operators of which each asks this table whether the other one is at work. */
async function pair(holds: (lease: string, namespace: string) => Holding): Promise<World> {
  const custodyOf = (own: string) => ({
    own: `ops/${own}`,
    others: { holds: ({ name }: { name: string }, namespace: string) => Promise.resolve(holds(name, namespace)) },
  });
  const options: WorldOptions = { operators: custodyOf("first") };
  const world = createWorld(options);
  await world.advance(5_000);
  options.operators = custodyOf("second");
  world.secondOperator();
  return world;
}

const walls = Array.from({ length: 20 }, (_, index) => `wall-${index}`);

it.each([
  { what: "looks gone for ten seconds", isGone: { first: true }, most: 30 },
  { what: "looks gone, and so does the other's", isGone: { first: true, second: true }, most: 60 },
])("a lease that $what: account and objects change hands once", async ({ isGone, most }) => {
  const gone: Record<string, boolean> = {};
  const world = await pair((lease) => (gone[lease] === true ? "no" : "yes"));
  for (const name of walls) {
    world.cluster.create("Firewall", name, { ...specs.Firewall, label: name });
    await world.advance(1_700);
  }
  await world.advance(minutes(5));
  world.cluster.latency.ms = 50;
  world.cluster.watch.delayMs = 50;
  const before = world.cluster.writes().length;
  Object.assign(gone, isGone);
  await world.advance(10_000);
  for (const lease of Object.keys(gone)) gone[lease] = false;
  for (const name of walls) world.cluster.patch("Firewall", name, { spec: { inboundPolicy: "ACCEPT" } });
  await world.advance(minutes(10));
  const writes = world.cluster.writes().slice(before);
  expect(writes.filter(({ verb }) => verb === "patch").length).toBeLessThanOrEqual(most);
  const holders = new Set(
    walls.map((name) => world.cluster.get("Firewall", name)?.metadata.annotations?.[operatorAnnotation]),
  );
  expect(holders).toEqual(
    new Set([world.cluster.get("CloudAccount", "default")?.metadata.annotations?.[operatorAnnotation]]),
  );
  for (const name of walls) world.cluster.delete("Firewall", name);
  await world.advance(minutes(10));
  expect(world.cluster.list("Firewall")).toEqual([]);
  expect(world.cloud.rows(paths.Firewall)).toEqual([]);
});

it("an account that an operator manages which does not watch the namespace of an object: an event says so", async () => {
  const holds = (lease: string, namespace: string): Holding =>
    lease === "west" && namespace === "default" ? "yes" : "no";
  const others = { holds: ({ name }: { name: string }, namespace: string) => Promise.resolve(holds(name, namespace)) };
  const world = createWorld({ operators: { own: "ops/east", others } });
  world.cluster.patch("CloudAccount", "default", {
    spec: { sharing: { namespaces: ["shop"], accountWide: ["shop"] } },
  });
  await world.advance(5_000);
  const accountRef = { name: "default", namespace: "default" };
  world.cluster.create("SSHKey", "key", { ...specs.SSHKey, accountRef }, { namespace: "shop" });
  await world.advance(minutes(1));
  world.cluster.annotate("CloudAccount", "default", { [operatorAnnotation]: "ops/west" });
  await world.advance(minutes(1));
  world.cluster.patch("SSHKey", "key", { spec: { label: "renamed" } }, "shop");
  await world.advance(minutes(1));
  world.cluster.create("SSHKey", "new", { ...specs.SSHKey, label: "new", accountRef }, { namespace: "shop" });
  await world.advance(minutes(1));
  const ofNew = world.cluster.events().filter(({ reason, key }) => reason === "ManagedElsewhere" && key === "shop/new");
  expect(ofNew).toHaveLength(1);
  const notes = world.cluster
    .events()
    .flatMap(({ reason, key, note }) => (reason === "ManagedElsewhere" && key === "shop/key" ? [note] : []));
  expect(notes[0]).toContain("manages CloudAccount default/default, and does not watch namespace shop");
});
