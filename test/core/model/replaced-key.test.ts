/** An administrator replaced the installation key: objects that are older than the key keep their cloud objects. */
import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { recordIn } from "../../../src/core/kind/record.ts";
import { forgedRecord } from "../../world/record.ts";
import type { CloudRow } from "../../world/rows.ts";
import type { World } from "../../world/world.ts";
import {
  begin,
  changes,
  create,
  idOf,
  left,
  messageOf,
  minutes,
  shapeNames,
  stateOf,
  storeStatus,
} from "../support.ts";
import type { Shape } from "../support.ts";

const keys = { former: Buffer.alloc(32, 1), now: Buffer.alloc(32, 2) };

/** A ready object of the former key; the next operator has another one. `since`: when the Secret of that was created. */
async function withFormerKey(kind: Shape, since?: string): Promise<{ world: World; row: CloudRow }> {
  const installation = { key: keys.former, since: "2025-12-31T00:00:00Z" };
  const world = await begin({ installation });
  create(world, kind, "web");
  await world.advance(minutes(3));
  world.crash();
  Object.assign(installation, { key: keys.now, since: since ?? world.clock.date().toISOString() });
  const [row] = left(world);
  if (!row) throw new Error(messageOf(world, kind, "web"));
  return { world, row };
}

describe.each(shapeNames)("a %s with a record of the former key", (kind) => {
  it("goes on with its cloud object, signs the record anew, and is deleted with it", async () => {
    const { world, row } = await withFormerKey(kind);
    const since = world.cloud.ledger().length;
    world.restart();
    await world.advance(minutes(12));
    expect(stateOf(world, kind, "web"), messageOf(world, kind, "web")).toBe("Ready");
    expect(idOf(world, kind, "web")).toBe(row.id);
    expect(changes(world, since)).toEqual([]);
    const signed = recordIn(world.cluster.get(kind, "web")!, createSecretKey(keys.now));
    expect(signed).toMatchObject({ id: row.id, appliedGeneration: 1 });
    world.cluster.delete(kind, "web");
    await world.advance(minutes(12));
    expect(left(world)).toEqual([]);
  });

  it("gets no cloud object of another by a record that somebody writes, where it is younger than the key", async () => {
    const { world, row } = await withFormerKey(kind, "2025-12-31T00:00:00Z");
    const { id: _, ...fields } = structuredClone(row.fields);
    const other = world.cloud.add(row.path, { ...fields, label: "others" });
    const before = structuredClone(other.fields);
    storeStatus(world, kind, "web", { record: forgedRecord(world.cluster.get(kind, "web"), { id: other.id }) });
    world.restart();
    await world.advance(minutes(12));
    world.cluster.delete(kind, "web");
    await world.advance(minutes(12));
    expect(other).toMatchObject({ removed: undefined, fields: before });
  });
});
