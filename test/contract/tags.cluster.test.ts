/** Tags and the objects that carry them: one owner for each, and nothing is taken off what others have tagged. */
import { statusOf } from "../../src/core/kind/object.ts";
import { expect, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World, WorldOptions } from "../support/world.ts";
import { createStranger } from "./support/stranger.ts";

const vm = { region: "us-east", type: "g6-standard-1" };
const onWeb = { instanceRefs: [{ name: "web" }] };

async function withInstances(specs: Record<string, object>, options: WorldOptions = {}): Promise<World> {
  const world = await startWorld(sharedControlPlane(), options);
  const all = Object.entries(specs).map(([name, spec]) => world.object("ComputeInstance", name, { ...vm, ...spec }));
  await world.apply(...all);
  for (const name of Object.keys(specs)) await world.ready("ComputeInstance", name);
  return world;
}

async function idOf(world: World, name: string): Promise<number> {
  return Number(statusOf(await world.ready("ComputeInstance", name)).id);
}

/** Instances that carry the tag, by their labels. */
function tagged({ simulator }: World, label: string): Set<unknown> {
  const rows = simulator.control.rows("instance").filter(({ tags }) => (tags as string[]).includes(label));
  return new Set(rows.map((row) => row["label"]));
}

/** What was sent that concerns tags. */
function sent({ simulator }: World): string[] {
  const calls = simulator.control.ledger({ mutating: true });
  return calls.filter(({ path, body }) => path.includes("/tags") || body.includes('"tags"')).map(asLine);
}

function asLine({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`;
}

async function gone(world: World, name: string): Promise<void> {
  await world.remove("Tag", name);
  await world.gone("Tag", name);
}

test("a tag that others carry too is taken off the listed objects, and stays", async () => {
  const world = await withInstances({ web: {}, other: {} });
  const [web, other] = [await idOf(world, "web"), await idOf(world, "other")];
  await world.apply(world.object("Tag", "shop", onWeb));
  await world.ready("Tag", "shop");
  await world.stopOperator();
  const stranger = createStranger(world.simulator);
  await stranger.send("POST", "/tags", { label: "shop", computes: [other] });
  world.simulator.control.clearLedger();
  await world.remove("Tag", "shop");
  await world.restartOperator();
  await world.gone("Tag", "shop");
  expect(tagged(world, "shop")).toEqual(new Set(["other"]));
  expect(sent(world)).toEqual([`PUT /v4/compute/instances/${web}`]);
  await world.stop();
});

test("a tag that somebody adds to an object since the tagged ones were listed stays when another is taken off", async () => {
  const world = await withInstances({ web: {}, other: {} }, { operator: { pollMs: 600_000, feedMs: 600_000 } });
  const both = { instanceRefs: [{ name: "web" }, { name: "other" }] };
  await world.apply(world.object("Tag", "shop", both));
  await world.ready("Tag", "shop");
  const row = world.simulator.control.rows("instance").find(({ label }) => label === "other");
  const tags = row?.["tags"] as string[];
  const theirs = { tags: [...tags, "theirs"] };
  await createStranger(world.simulator).send("PUT", `/compute/instances/${await idOf(world, "other")}`, theirs);
  await world.apply(world.object("Tag", "shop", onWeb));
  await expect.poll(() => tagged(world, "shop")).toEqual(new Set(["web"]));
  expect(tagged(world, "theirs")).toEqual(new Set(["other"]));
  await world.stop();
});

test("a tag that a firewall carries stays, though no list of tagged objects shows that", async () => {
  const world = await withInstances({ web: {} });
  await world.apply(world.object("Tag", "shop", onWeb));
  await world.ready("Tag", "shop");
  const stranger = createStranger(world.simulator);
  const rules = { inbound_policy: "DROP", outbound_policy: "ACCEPT" };
  await stranger.send("POST", "/networking/firewalls", { label: "wall", rules, tags: ["shop"] });
  await gone(world, "shop");
  expect(world.simulator.control.rows("firewall")).toMatchObject([{ tags: ["shop"] }]);
  expect(await stranger.get("/tags/shop")).toBeDefined();
  await world.stop();
});

test("without a list nothing is put on or taken off, and a tag that something carries stays", async () => {
  const world = await withInstances({ web: {} });
  await world.apply(world.object("Tag", "shop", {}));
  await world.ready("Tag", "shop");
  const stranger = createStranger(world.simulator);
  await stranger.send("POST", "/tags", { label: "shop", computes: [await idOf(world, "web")] });
  world.simulator.control.clearLedger();
  await world.patch("Tag", "shop", { metadata: { annotations: { "example.org/edit": "1" } } });
  await gone(world, "shop");
  expect(sent(world)).toEqual([]);
  expect(tagged(world, "shop")).toEqual(new Set(["web"]));
  await world.stop();
});

test("an instance that sets its own tags is not listed, and keeps them", async () => {
  const world = await withInstances({ web: {}, own: { tags: ["shop", "own"] } });
  world.simulator.control.clearLedger();
  const management = { adopt: { id: "shop" } };
  const both = { instanceRefs: [{ name: "web" }, { name: "own" }] };
  await world.apply(world.object("Tag", "shop", { ...both, management }));
  const refused = await world.condition("Tag", "shop", "Stalled", "InvalidSpec");
  expect(conditionOf(refused, "Ready")?.message).toContain("spec.instanceRefs[1]: own sets its own tags in spec.tags");
  expect(sent(world)).toEqual([]);
  await world.patch("Tag", "shop", { spec: onWeb });
  await world.ready("Tag", "shop");
  expect(tagged(world, "shop")).toEqual(new Set(["web", "own"]));
  expect(sent(world)).toEqual(["POST /v4/tags"]);
  await gone(world, "shop");
  expect(tagged(world, "shop")).toEqual(new Set(["own"]));
  await world.stop();
});
