/** Updates that take effect and are changed back by somebody, or by a service whose list shows another form than its answer. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { seededRandom } from "../../support/chance.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, paths, specs } from "../support.ts";

const minute = 60_000;

// When polls and resyncs come is up to chance, and so is what they find.
beforeEach(() => void vi.spyOn(Math, "random").mockImplementation(seededRandom(1)));
afterEach(() => void vi.restoreAllMocks());

/** Every minute somebody sets the label again. */
async function fought(minutes: number, labelAt: (turn: number) => string = () => "theirs"): Promise<World> {
  const world = createWorld();
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, label: "ours" });
  await world.advance(5 * minute);
  for (let turn = 0; turn < minutes; turn += 1) {
    change(world, labelAt(turn));
    await world.advance(minute);
  }
  await world.advance(minute / 2);
  return world;
}

function change(world: World, label: string): void {
  world.cloud.change(paths.Firewall, idOf(world, "Firewall", "wall"), { label });
}

const sentBy = (world: World, since = 0): number =>
  changes(world, since).filter((call) => call.startsWith("PUT")).length;

const told = (world: World): string[] =>
  world.cluster.events().flatMap(({ reason, note }) => (reason === "Drifted" ? [note] : []));

describe("what is changed back each time", () => {
  it("is corrected at once a few times, then every few minutes, and told in one event", async () => {
    const world = await fought(120);
    expect(sentBy(world)).toBeGreaterThanOrEqual(5 + 8);
    expect(sentBy(world)).toBeLessThanOrEqual(5 + 24);
    expect(told(world)).toEqual([
      'spec.label: cloud has "theirs", spec says "ours": the operator corrected the difference 5 times, and another client changed it back. The operator now corrects it every few minutes. Find the other client, or remove the field from the spec',
    ]);
    expect(conditionOf(world.cluster.get("Firewall", "wall"), "Drifted")).toMatchObject({
      status: "True",
      message: 'spec.label: cloud has "theirs", spec says "ours"',
    });
  });

  it("is as specified again soon after that has ended, and corrected at once half an hour later", async () => {
    const world = await fought(30);
    await world.advance(25 * minute);
    expect(conditionOf(world.cluster.get("Firewall", "wall"), "Drifted")).toBeUndefined();
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
    const since = world.cloud.ledger().length;
    change(world, "theirs");
    await world.advance(2 * minute);
    expect(sentBy(world, since)).toBe(1);
  });

  it("does not hold up what else is changed, nor a new spec", async () => {
    const world = await fought(20);
    const since = world.cloud.ledger().length;
    change(world, "somebody-else's");
    await world.advance(2 * minute);
    expect(sentBy(world, since)).toBe(1);
    change(world, "theirs");
    world.cluster.patch("Firewall", "wall", { spec: { label: "new" } });
    await world.advance(2 * minute);
    expect(world.cloud.rows(paths.Firewall)).toMatchObject([{ label: "new" }]);
  });

  it("is corrected every few minutes also where it is changed to two values in turn", async () => {
    const world = await fought(120, (turn) => (turn % 2 === 0 ? "theirs" : "others"));
    expect(sentBy(world)).toBeGreaterThanOrEqual(2 * (5 + 4));
    expect(sentBy(world)).toBeLessThanOrEqual(2 * (5 + 24));
    expect(told(world)).toHaveLength(2);
  });

  it.each([7, 12])("is corrected every few minutes also where it is changed to %i forms in turn", async (forms) => {
    const world = await fought(120, (turn) => `theirs-${turn % forms}`);
    expect(sentBy(world)).toBeGreaterThanOrEqual(forms * 5 + 8);
    expect(sentBy(world)).toBeLessThanOrEqual(forms * 6 + 24);
    expect(told(world)).toHaveLength(forms);
  });

  it("is corrected every few minutes also where it is beside the row", async () => {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", specs.Firewall);
    world.cluster.create("ComputeInstance", "web", { ...specs.ComputeInstance, powerState: "Running" });
    await world.advance(5 * minute);
    const since = world.cloud.ledger().length;
    for (let turn = 0; turn < 60; turn += 1) {
      const [row] = world.cloud.rows(paths.Firewall);
      const rules = { ...(row?.["rules"] as object), inbound_policy: "ACCEPT" };
      world.cloud.change(paths.Firewall, idOf(world, "Firewall", "wall"), { rules });
      world.cloud.change(paths.ComputeInstance, idOf(world, "ComputeInstance", "web"), { status: "offline" });
      await world.advance(minute);
    }
    const sent = changes(world, since);
    for (const end of ["/rules", "/boot"]) {
      const times = sent.filter((call) => call.endsWith(end)).length;
      expect(times).toBeGreaterThanOrEqual(5 + 4);
      expect(times).toBeLessThanOrEqual(5 + 12);
    }
    expect(told(world)).toHaveLength(2);
    expect(told(world)[0]).toContain("corrected the difference 5 times, and another client changed it back");
    world.cluster.patch("Firewall", "wall", { spec: { inboundPolicy: "ACCEPT" } });
    await world.advance(2 * minute);
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
    expect(conditionOf(world.cluster.get("Firewall", "wall"), "Drifted")).toBeUndefined();
  });

  it("is corrected at once where the change is another one each time", async () => {
    const world = await fought(20, (turn) => `theirs-${turn}`);
    // Polls are a little more than a minute apart at times.
    expect(sentBy(world)).toBeGreaterThanOrEqual(16);
    expect(told(world)).toEqual([]);
  });
});
