/** A record or an ID that somebody changed is corrected by the next write, and nothing is sent for it. */
import { describe, expect, it } from "vitest";
import { forgedRecord } from "../../world/record.ts";
import type { World } from "../../world/world.ts";
import { changes, minutes, shapeNames, storeStatus, withReady } from "../support.ts";
import type { Shape } from "../support.ts";

const edits: { what: string; edit: (world: World, kind: Shape) => object }[] = [
  { what: "removed", edit: () => ({ record: null }) },
  {
    what: "changed",
    edit: ({ cluster }, kind) => ({
      record: forgedRecord(cluster.get(kind, "web"), { id: "7", appliedGeneration: 99 }),
    }),
  },
  { what: "made unreadable", edit: () => ({ record: "{" }) },
  { what: "kept, and the ID changed", edit: () => ({ id: "7" }) },
];

const table = edits.flatMap(({ what, edit }) => [
  { what, edit, restart: false },
  { what, edit, restart: true },
]);

describe.each(shapeNames)("the record of a %s", (kind) => {
  it.each(table)("that was $what is written again; restart: $restart", async ({ edit, restart }) => {
    const { world } = await withReady(kind);
    const { id, record } = world.cluster.get(kind, "web")!.status ?? {};
    const since = world.cloud.ledger().length;
    if (restart) world.crash();
    storeStatus(world, kind, "web", edit(world, kind));
    if (restart) world.restart();
    await world.advance(minutes(12));
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(world.cluster.get(kind, "web")?.status).toMatchObject({ id, record });
    expect(changes(world, since)).toEqual([]);
    const writes = world.cluster.writes().length;
    await world.advance(minutes(12));
    expect(world.cluster.writes()).toHaveLength(writes);
  });
});
