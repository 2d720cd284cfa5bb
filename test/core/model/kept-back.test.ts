/** What stands in the way of a creation goes: the object that it kept back is woken, and believes no list of before. */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import { begin, create, left, made, minutes, shapes, stateOf } from "../support.ts";

const kind = "Firewall";
const { path } = shapes[kind];
const label = "same-label";
const soonMs = 5_000;
const pollMs = 60_000;
/** Jitter delays a poll by a tenth of the interval at most. */
const longestPollMs = 1.1 * pollMs;

/** `two` wants the label of `one`, in the same CloudAccount or in another one of the same real account. */
async function kept(account: "same" | "second"): Promise<World> {
  const world = await begin();
  world.cluster.create("CloudAccount", "second", { tokenSecretRef: { name: "cloud-token" } });
  await world.settle();
  create(world, kind, "one", { label });
  await world.advance(soonMs);
  create(world, kind, "two", { label, ...(account === "second" && { accountRef: { name: "second" } }) });
  await world.advance(pollMs / 2);
  expect([stateOf(world, kind, "one"), stateOf(world, kind, "two")]).toEqual(["Ready", "Conflict"]);
  return world;
}

describe.each(["same", "second"] as const)(
  "an object that another one of the %s CloudAccount keeps back",
  (account) => {
    it("creates at once when that is deleted", async () => {
      const world = await kept(account);
      world.cluster.delete(kind, "one");
      await world.advance(soonMs);
      expect(world.cluster.get(kind, "two")).toBeReady();
      expect(left(world)).toHaveLength(1);
      expect(made(world, path)).toBe(2);
    });

    it("creates when that has got another name, at once or after a poll of its own account", async () => {
      const world = await kept(account);
      world.cluster.patch(kind, "one", { spec: { label: "other-label" } });
      await world.advance(soonMs + (account === "second" ? longestPollMs : 0));
      expect([stateOf(world, kind, "one"), stateOf(world, kind, "two")]).toEqual(["Ready", "Ready"]);
      expect(made(world, path)).toBe(2);
    });
  },
);

describe("an object that something which nobody manages keeps back", () => {
  it("creates with the poll that does not show it any more", async () => {
    const world = await begin({ random: () => 0.999_999 });
    const rules = { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] };
    const { id } = world.cloud.add(path, { label, rules });
    create(world, kind, "two", { label });
    await world.advance(minutes(20));
    expect(stateOf(world, kind, "two")).toBe("Conflict");
    await untilListed(world);
    world.cloud.remove(path, id);
    await world.advance(longestPollMs + soonMs);
    expect(world.cluster.get(kind, "two")).toBeReady();
  });
});

/** Ends at once after the operator has listed the collection. */
async function untilListed({ cloud, advance }: World): Promise<void> {
  const lists = () => cloud.ledger().filter((entry) => entry.path === path).length;
  for (const before = lists(); lists() === before;) await advance(100);
}
