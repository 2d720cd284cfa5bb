/** What a spec says in the cloud's own word means the same as in `compute`. */
import { describe, expect, it } from "vitest";
import { conditionOf } from "../../world/world.ts";
import { recordOf, signedRecord } from "../../world/record.ts";
import type { World } from "../../world/world.ts";
import { begin, changes, create, idOf, instances, left, made, messageOf, minutes, storeStatus } from "../support.ts";

const own = { image: "acme/debian12" };
const documented = { image: "compute/debian12" };

async function branded(): Promise<World> {
  return begin({ brandWord: "acme" });
}

async function running(fields: object): Promise<World> {
  const world = await branded();
  create(world, "ComputeInstance", "web", fields);
  await world.advance(minutes(3));
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  return world;
}

function drift({ cluster }: World): string | undefined {
  return conditionOf(cluster.get("ComputeInstance", "web"), "Drifted")?.message;
}

/** After a restart: nothing is sent and nothing written for what is as it should be. */
async function restsAfterRestart(world: World): Promise<void> {
  const [sent, writes] = [world.cloud.ledger().length, world.cluster.writes().length];
  world.restart();
  await world.advance(minutes(15));
  expect(changes(world, sent)).toEqual([]);
  expect(world.cluster.writes().slice(writes)).toEqual([]);
  expect(drift(world)).toBeUndefined();
}

describe("an instance whose image is named in the cloud's own word", () => {
  it.each([
    { fields: own, because: "as the cloud's own tools show it" },
    { fields: documented, because: "as the documents say" },
  ])("is made once and is no drift: $because", async ({ fields }) => {
    const world = await running(fields);
    expect(left(world)).toMatchObject([{ fields: documented }]);
    expect(drift(world)).toBeUndefined();
    await restsAfterRestart(world);
  });

  it.each(["lostAfter", "lateApply", "html502After"] as const)(
    "is found where its answer is lost: %s",
    async (kind) => {
      const world = await branded();
      world.cloud.fault({ kind, method: "POST", path: /instances$/, ms: 6_000 });
      create(world, "ComputeInstance", "web", own);
      await world.advance(minutes(5));
      expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
      expect(made(world, instances)).toBe(1);
    },
  );

  it.each([
    { from: documented, to: own, because: "the manifest takes up the cloud's own word" },
    { from: own, to: documented, because: "the manifest takes up the documents' word" },
  ])("is not rebuilt onto the image that it has: $because", async ({ from, to }) => {
    const world = await running({ ...from, allowDisruption: ["Rebuild"] });
    const sent = world.cloud.ledger().length;
    world.cluster.patch("ComputeInstance", "web", { spec: to });
    await world.advance(minutes(15));
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(changes(world, sent)).toEqual([]);
    await restsAfterRestart(world);
  });

  it("is not rebuilt because the record does not say what was applied, and the cloud shows another image", async () => {
    const world = await running({ ...own, allowDisruption: ["Rebuild"] });
    world.crash();
    const object = world.cluster.get("ComputeInstance", "web")!;
    const record = signedRecord(object, { ...recordOf(object), applied: undefined });
    storeStatus(world, "ComputeInstance", "web", { record });
    world.cloud.change(instances, idOf(world, "ComputeInstance", "web"), { image: "compute/debian13" });
    const sent = world.cloud.ledger().length;
    world.restart();
    await world.advance(minutes(15));
    expect(changes(world, sent)).toEqual([]);
    expect(drift(world)).toBe('spec.image: cloud has "compute/debian13", spec says "compute/debian12"');
  });

  it("is rebuilt where another image is asked for", async () => {
    const world = await running({ ...own, allowDisruption: ["Rebuild"] });
    world.cluster.patch("ComputeInstance", "web", { spec: { image: "acme/debian13" } });
    await world.advance(minutes(5));
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(left(world)).toMatchObject([{ fields: { image: "compute/debian13" } }]);
    await restsAfterRestart(world);
  });

  it("needs no Secret of its creation while nothing asks for another image", async () => {
    const world = await branded();
    world.cluster.secret("root", { password: "correct horse" });
    create(world, "ComputeInstance", "web", { ...own, rootPasswordSecretRef: { name: "root" } });
    await world.advance(minutes(3));
    const before = world.cloud.ledger().length + world.cluster.writes().length;
    world.cluster.patch("Secret", "root", { data: { password: "b3RoZXI=" } });
    await world.settle();
    expect(world.cloud.ledger().length + world.cluster.writes().length).toBe(before);
  });
});

describe("an adoption", () => {
  it.each([
    { filter: { image: "acme/debian12" }, because: "by a value in the cloud's own word" },
    { filter: { image: "compute/debian12" }, because: "by a value as the documents say" },
  ])("finds what exists $because", async ({ filter }) => {
    const world = await branded();
    const fields = { region: "us-east", type: "g6-standard-1", status: "running", tags: [] };
    const { id } = world.cloud.add(instances, { ...fields, ...documented, label: "web" });
    world.cloud.add(instances, { ...fields, image: "compute/debian13", label: "other" });
    const management = { adopt: { filter } };
    create(world, "ComputeInstance", "web", { ...own, management });
    await world.advance(minutes(3));
    expect(messageOf(world, "ComputeInstance", "web")).not.toMatch(/matches/);
    expect(idOf(world, "ComputeInstance", "web")).toBe(id);
    expect(drift(world)).toBeUndefined();
  });
});
