/** A rotated key stays valid for the grace period. The operator deletes it afterwards, and together with its object. */
import { resources } from "../../../src/twin/definitions.ts";
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import { idOf, left, messageOf, minutes } from "../support.ts";
import { dataOf, keys, kind, living, rightIn, rotate, withKey } from "./keys.ts";

const keyResource = resources.get(kind)!;
const graceSeconds = 3_600;
const hour = minutes(60);

/** A world with a rotated key. `former`: the ID of the replaced key. */
async function rotated(seconds: number = graceSeconds): Promise<{ world: World; former: string }> {
  const world = await withKey();
  const former = idOf(world, kind, "web");
  rotate(world, 1, seconds);
  await world.advance(minutes(1));
  return { world, former };
}

const idsOf = (world: World): string[] => living(world).map(({ id }) => id);

describe("a rotated key", () => {
  it("stays valid for the grace period, while the Secret contains the new key", async () => {
    const { world, former } = await rotated();
    const current = idOf(world, kind, "web");
    expect(current).not.toBe(former);
    expect(idsOf(world)).toEqual([former, current]);
    const { AWS_ACCESS_KEY_ID: published } = dataOf(world) ?? {};
    expect(living(world).find(({ id }) => id === current)?.fields["access_key"]).toBe(published);
    expect(messageOf(world, kind, "web")).toMatch(
      /The replaced object storage key \d+ stays valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
    );
    await world.advance(hour - minutes(2));
    expect(idsOf(world)).toEqual([former, current]);
    await world.advance(minutes(4));
    expect(rightIn(world)).toEqual([]);
    expect(idsOf(world)).toEqual([current]);
    expect(messageOf(world, kind, "web")).not.toContain("replaced");
  });

  it("stays valid for an hour by default", async () => {
    const world = await withKey();
    world.cluster.patch(kind, "web", { spec: { rotation: 1 } });
    await world.advance(minutes(55));
    expect(living(world)).toHaveLength(2);
    await world.advance(minutes(10));
    expect(living(world)).toHaveLength(1);
  });

  it("is deleted immediately without a grace period", async () => {
    const { world } = await rotated(0);
    expect(living(world)).toHaveLength(1);
    expect(rightIn(world)).toEqual([]);
  });

  it("is deleted when the user ends the grace period", async () => {
    const { world } = await rotated();
    world.cluster.patch(kind, "web", { spec: { gracePeriodSeconds: 0 } });
    await world.advance(minutes(1));
    expect(living(world)).toHaveLength(1);
    expect(rightIn(world)).toEqual([]);
  });

  it("is deleted at the same time after a restart of the operator", async () => {
    const { world, former } = await rotated();
    await world.advance(minutes(30));
    world.crash();
    await world.advance(minutes(5));
    world.restart();
    await world.advance(minutes(20));
    expect(idsOf(world)).toContain(former);
    await world.advance(minutes(10));
    expect(idsOf(world)).not.toContain(former);
    expect(rightIn(world)).toEqual([]);
  });

  it("is deleted after the end of a period that passed without an operator", async () => {
    const { world } = await rotated();
    world.crash();
    await world.advance(2 * hour);
    world.restart();
    await world.advance(minutes(2));
    expect(rightIn(world)).toEqual([]);
  });

  it("keeps its grace period if another client removes the status", async () => {
    const { world, former } = await rotated();
    world.cluster.objects.patch(keyResource, { namespace: "default", name: "web" }, { status: null }, "status");
    world.restart();
    await world.advance(minutes(50));
    expect(idsOf(world)).toContain(former);
    await world.advance(minutes(15));
    expect(idsOf(world)).not.toContain(former);
  });

  it("is deleted by the next rotation, which starts a period for its successor", async () => {
    const { world, former } = await rotated();
    const second = idOf(world, kind, "web");
    rotate(world, 2, graceSeconds);
    await world.advance(minutes(1));
    expect(idsOf(world)).not.toContain(former);
    expect(idsOf(world)).toEqual([second, idOf(world, kind, "web")]);
    await world.advance(hour);
    expect(rightIn(world)).toEqual([]);
  });

  it.each([true, false])(
    "is deleted together with its object during the grace period; restart: %s",
    async (restart) => {
      const { world } = await rotated();
      if (restart) world.restart();
      world.cluster.delete(kind, "web");
      await world.advance(minutes(2));
      expect(world.cluster.get(kind, "web")).toBeUndefined();
      expect(left(world).filter(({ path }) => path === keys)).toEqual([]);
    },
  );

  it("stays in the cloud together with its successor if deletionPolicy is Orphan", async () => {
    const { world, former } = await rotated();
    const current = idOf(world, kind, "web");
    world.cluster.patch(kind, "web", { spec: { management: { deletionPolicy: "Orphan" } } });
    world.cluster.delete(kind, "web");
    await world.advance(minutes(2));
    expect(idsOf(world)).toEqual([former, current]);
  });

  it("costs no write and no request during the grace period", async () => {
    const { world } = await rotated();
    await world.advance(minutes(5));
    const [writes, requests] = [world.cluster.writes().length, world.cloud.ledger().length];
    await world.advance(minutes(30));
    const sent = world.cloud.ledger().slice(requests);
    expect(world.cluster.writes().length).toBe(writes);
    expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});
