/** Requests that the rate limit held back: what was read before they could leave may be somebody else's by the time that they do. */
import { describe, expect, it } from "vitest";
import type { CloudRow } from "../../world/rows.ts";
import type { World } from "../../world/world.ts";
import {
  applied,
  changes,
  create,
  follow,
  giveAway,
  messageOf,
  minutes,
  shapeNames,
  stateOf,
  untilHeld,
  withReady,
} from "../support.ts";

const reboot = { instanceRef: { name: "web" }, action: "Reboot" };

describe.each(shapeNames)("a %s whose id is given to something else while a request is held", (kind) => {
  it("does not change that", async () => {
    const { world, row } = await withReady(kind);
    const method = kind === "Bucket" ? "POST" : "PUT";
    world.cloud.fault({ kind: "tooMany", method, ms: 1_000 });
    world.cluster.patch(kind, "web", { spec: kind === "Bucket" ? { acl: "public-read" } : { label: "renamed" } });
    await untilHeld(world, method);
    const other = giveAway(world, row);
    const before = structuredClone(other.fields);
    const since = world.cloud.ledger().length;
    await world.advance(minutes(12));
    expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Conflict");
    expect(changes(world, since)).toEqual([]);
    expect(other.fields).toEqual(before);
  });

  it("does not delete that", async () => {
    const { world, row } = await withReady(kind);
    world.cloud.fault({ kind: "tooMany", method: "DELETE", ms: 1_000 });
    world.cluster.delete(kind, "web");
    await untilHeld(world, "DELETE");
    const other = giveAway(world, row);
    await world.advance(minutes(12));
    expect(other.removed).toBeUndefined();
    expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Conflict");
    follow(world, kind, "web", "orphan");
    await world.advance(minutes(1));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(other.removed).toBeUndefined();
  });

  it("is changed and deleted as ever where nothing was replaced", async () => {
    const { world, row } = await withReady(kind);
    world.cloud.fault({ kind: "tooMany", method: "DELETE", ms: 1_000 });
    world.cluster.delete(kind, "web");
    await untilHeld(world, "DELETE");
    await world.advance(minutes(1));
    expect(row.removed).toBeDefined();
    expect(world.cluster.get(kind, "web")).toBeUndefined();
  });
});

it("what cannot be read any more, and is known by its time, is deleted after it was held", async () => {
  const { world, row } = await withReady("ComputeInstance");
  world.cloud.change(row.path, row.id, { label: null });
  world.cloud.fault({ kind: "tooMany", method: "DELETE", ms: 1_000 });
  world.cluster.delete("ComputeInstance", "web");
  await untilHeld(world, "DELETE");
  // Held for a second: it is not put off for longer than that.
  await world.advance(1_300);
  expect(row.removed).toBeDefined();
  await world.advance(minutes(1));
  expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
});

describe("an action that is held, since another one was told to wait", () => {
  async function held(isLimited = false): Promise<{ world: World; row: CloudRow }> {
    const { world, row } = await withReady("ComputeInstance");
    create(world, "ComputeInstance", "other");
    await world.advance(minutes(3));
    world.cloud.fault({ kind: "tooMany", method: "POST", path: /reboot$/, ms: 5_000 });
    world.cluster.create("ComputeAction", "first", { ...reboot, instanceRef: { name: "other" } });
    await untilHeld(world, "POST");
    const limit = new Date(world.clock.date().getTime() + 4_000).toISOString();
    world.cluster.create("ComputeAction", "second", { ...reboot, ...(isLimited && { notAfter: limit }) });
    await world.advance(1_500);
    expect(applied(world, "POST", /reboot$/)).toEqual([]);
    return { world, row };
  }

  it("does not act on what has its instance's id by then, and has ended", async () => {
    const { world, row } = await held();
    giveAway(world, row);
    await world.advance(minutes(12));
    expect(applied(world, "POST", new RegExp(`${row.id}/reboot$`))).toEqual([]);
    expect(messageOf(world, "ComputeAction", "second")).not.toContain("no clear response");
  });

  it("does not leave after its notAfter", async () => {
    const { world, row } = await held(true);
    await world.advance(minutes(3));
    expect(applied(world, "POST", new RegExp(`${row.id}/reboot$`))).toEqual([]);
    expect(messageOf(world, "ComputeAction", "second")).toContain("notAfter");
  });

  it("runs once where nothing was replaced", async () => {
    const { world, row } = await held();
    await world.advance(minutes(3));
    expect(applied(world, "POST", new RegExp(`${row.id}/reboot$`))).toHaveLength(1);
    expect(stateOf(world, "ComputeAction", "second"), messageOf(world, "ComputeAction", "second")).toBe("Ready");
  });
});
