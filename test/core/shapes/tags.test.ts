/** Tags: they follow the specs of what they list, and remove themselves only from what they were added to by their object. */
import { describe, expect, it } from "vitest";
import { resources } from "../../../src/twin/definitions.ts";
import { forgedRecord, recordOf } from "../../world/record.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs, messageOf, paths, specs, stateOf } from "../support.ts";

it.each([
  { kind: "ComputeInstance", field: "instanceRefs" },
  { kind: "Domain", field: "domainRefs" },
] as const)("a Tag says soon that a $kind of its list sets its own tags, and goes on once it does not", async (row) => {
  const { kind, field } = row;
  const world = createWorld();
  world.cluster.create(kind, "web", specs[kind]);
  await world.advance(madeMs);
  world.cluster.create("Tag", "shop", { [field]: [{ name: "web" }] });
  await world.advance(madeMs);
  expect(world.cluster.get("Tag", "shop")).toBeReady();
  world.cluster.patch(kind, "web", { spec: { tags: ["prod"] } });
  await world.advance(5_000);
  expect(stateOf(world, "Tag", "shop")).toBe("InvalidSpec");
  expect(messageOf(world, "Tag", "shop")).toMatch(
    new RegExp(`^spec\\.${field}\\[0\\]: web sets its own tags in spec\\.tags\\. The operator tags nothing\\.`),
  );
  world.cluster.patch(kind, "web", { spec: { tags: null } });
  await world.advance(5_000);
  expect(stateOf(world, "Tag", "shop")).not.toBe("InvalidSpec");
});

describe("a Tag removes itself only from objects to which its object added it", () => {
  const instances = "/compute/instances";
  const lists = (...names: string[]) => ({ instanceRefs: names.map((name) => ({ name })) });

  async function withTag(...names: string[]): Promise<World> {
    const world = createWorld();
    for (const name of ["web", "api"]) world.cluster.create("ComputeInstance", name, specs.ComputeInstance);
    world.cloud.add(instances, { label: "by-hand", status: "running", region: "us-east", type: "g6-nanode-1" });
    await world.advance(madeMs);
    world.cluster.create("Tag", "shop", lists(...names));
    await world.advance(60_000);
    expect(world.cluster.get("Tag", "shop")).toBeReady();
    return world;
  }

  const carrying = ({ cloud }: World): string[] =>
    cloud.rows(instances).flatMap(({ label, tags }) => ((tags as string[]).includes("shop") ? [label as string] : []));

  const idOfRow = (cloud: World["cloud"], label: string): string => {
    const row = cloud.rows(instances).find((one) => one["label"] === label);
    return JSON.stringify(row?.["id"]);
  };

  function tagByHand({ cloud }: World, label: string): void {
    cloud.change(instances, idOfRow(cloud, label), { tags: ["shop"] });
  }

  async function list(world: World, ...names: string[]): Promise<void> {
    world.cluster.patch("Tag", "shop", { spec: lists(...names) });
    await world.advance(130_000);
    expect(world.cluster.get("Tag", "shop")).toBeReady();
  }

  it("an empty list leaves the tag on what another user tagged", async () => {
    const world = await withTag("web");
    tagByHand(world, "by-hand");
    await list(world);
    expect(carrying(world)).toEqual(["by-hand"]);
  });

  it("a shorter list leaves it on what carried the tag before the object listed it", async () => {
    const world = await withTag("web");
    tagByHand(world, "api");
    await world.advance(130_000);
    await list(world, "web", "api");
    await list(world);
    expect(carrying(world)).toEqual(["api"]);
  });

  it("a restart keeps what was added, by the creation and later", async () => {
    const world = await withTag("web");
    await list(world, "web", "api");
    world.restart();
    await world.advance(10_000);
    await list(world);
    expect(carrying(world)).toEqual([]);
  });

  it("a crash before the response to the request keeps it too", async () => {
    const world = await withTag("web");
    world.cloud.fault({ kind: "lostAfter", method: "POST", path: /^\/tags$/ });
    world.cluster.patch("Tag", "shop", { spec: lists("web", "api") });
    await world.advance(200);
    world.restart();
    await world.advance(130_000);
    await list(world);
    expect(carrying(world)).toEqual([]);
  });

  it("nobody adds to the record by editing the status", async () => {
    const world = await withTag("web");
    tagByHand(world, "by-hand");
    const before = world.cluster.get("Tag", "shop");
    const { applied } = recordOf(before);
    const forged = { ...applied, compute: `${applied?.["compute"]},${idOfRow(world.cloud, "by-hand")}` };
    world.crash();
    const record = forgedRecord(before, { applied: forged });
    const ref = { namespace: "default", name: "shop" };
    world.cluster.objects.patch(resources.get("Tag")!, ref, { status: { record } }, "status");
    world.restart();
    await list(world);
    expect(carrying(world)).toContain("by-hand");
  });

  it("the tag is readable and deletable while a reserved address carries it, which has no ID", async () => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(madeMs);
    world.cluster.create("Tag", "shop", lists("web"));
    await world.advance(60_000);
    world.cloud.add("/networking/ips", { address: "192.0.2.77", reserved: true, tags: ["shop"] });
    await world.advance(130_000);
    expect(world.cluster.get("Tag", "shop")).toBeReady();
    world.cluster.patch("Tag", "shop", { spec: { instanceRefs: [] } });
    await world.advance(130_000);
    expect([stateOf(world, "Tag", "shop"), carrying(world)]).toEqual(["Ready", []]);
    world.cluster.delete("Tag", "shop");
    await world.advance(130_000);
    expect(world.cluster.get("Tag", "shop")).toBeUndefined();
    expect(changes(world).filter((one) => one.startsWith("DELETE"))).toEqual([]);
  });

  it("the deletion leaves the tag on what another user tagged", async () => {
    const world = await withTag("web");
    tagByHand(world, "by-hand");
    world.cluster.delete("Tag", "shop");
    await world.advance(130_000);
    expect(world.cluster.get("Tag", "shop")).toBeUndefined();
    expect(carrying(world)).toEqual(["by-hand"]);
    expect(changes(world).filter((one) => one.startsWith("DELETE"))).toEqual([]);
  });
});

describe.each(["ComputeInstance", "Firewall", "Domain"] as const)("tags of a %s that differ only in case", (kind) => {
  it("are no difference, since the service shows a tag in the case in which it exists", async () => {
    const world = createWorld();
    world.cluster.create(kind, "web", { ...specs[kind], tags: ["Prod", "WEB", "web"] });
    await world.advance(madeMs);
    const { [kind]: collection } = paths;
    const shown = (): string[] => world.cloud.rows(collection)[0]?.["tags"] as string[];
    const id = JSON.stringify(world.cloud.rows(collection)[0]?.["id"]);
    world.cloud.change(collection, id, { tags: shown().map((tag) => tag.toLowerCase()) });
    const before = world.cloud.ledger().length;
    await world.advance(1_800_000);
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(changes(world, before)).toEqual([]);
    world.cluster.patch(kind, "web", { spec: { tags: ["PROD", "data"] } });
    await world.advance(60_000);
    expect(shown()).toContain("data");
    expect(shown()).not.toContain("web");
  });
});

const minuteMs = 60_000;

describe("a Tag whose label exists in another case", () => {
  const requests = ({ cloud }: World) =>
    cloud.ledger().filter(({ method, path }) => method === "POST" && path === "/tags");

  it("is a Conflict that names the tag and the cure, without a request", async () => {
    const world = createWorld();
    world.cloud.add("/tags", { label: "Web" });
    world.cluster.create("Tag", "web", {});
    await world.advance(60 * minuteMs);
    expect(stateOf(world, "Tag", "web")).toBe("Conflict");
    expect(messageOf(world, "Tag", "web")).toContain(
      "The account already has tag Web, and the cloud API ignores upper and lower case. The operator creates nothing",
    );
    expect(messageOf(world, "Tag", "web")).toContain(
      'To adopt it, create this object again with equal upper and lower case, and with spec.management.adopt.id: "Web"',
    );
    expect(requests(world)).toEqual([]);
    world.cluster.delete("Tag", "web");
    world.cluster.create("Tag", "own", { label: "Web" }, { management: { adopt: { id: "Web" } } });
    await world.advance(minuteMs);
    expect(world.cluster.get("Tag", "own")).toBeReady();
    expect(requests(world)).toEqual([]);
  });

  it("names the Tag that manages the label", async () => {
    const world = createWorld();
    world.cluster.create("Tag", "one", { label: "Web" });
    await world.advance(minuteMs);
    world.cluster.create("Tag", "two", { label: "web" });
    await world.advance(60 * minuteMs);
    expect(stateOf(world, "Tag", "two")).toBe("Conflict");
    expect(messageOf(world, "Tag", "two")).toContain("Tag default/one manages it");
    expect(requests(world)).toHaveLength(1);
    world.cluster.delete("Tag", "two");
    await world.advance(minuteMs);
    expect(world.cluster.get("Tag", "one")).toBeReady();
    expect(world.cloud.rows("/tags").map(({ label }) => label)).toEqual(["Web"]);
  });

  it("gets few requests if both Tags are created at one moment, and one of both manages the tag", async () => {
    const world = createWorld();
    world.cluster.create("Tag", "one", { label: "Web" });
    world.cluster.create("Tag", "two", { label: "web" });
    await world.advance(60 * minuteMs);
    expect(new Set(["one", "two"].map((name) => stateOf(world, "Tag", name)))).toEqual(new Set(["Conflict", "Ready"]));
    expect(requests(world).length).toBeLessThanOrEqual(2);
    expect(world.cloud.rows("/tags")).toHaveLength(1);
  });
});
