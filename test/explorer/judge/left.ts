/** Cloud objects that are left to people, who were told of them. */
import type { CloudRow } from "../../world/rows.ts";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import type { Record } from "../chronicle.ts";

/** What an attempt made that nothing proves is left to people, and named. */
export function isReported({ object, removedAt }: Record, { id }: CloudRow): boolean {
  const text = conditionOf(object, "Duplicate")?.message ?? "";
  return removedAt === undefined && text.split(/[\s,"]+/).includes(id);
}

/** A person took another one, and an event named this: more than one matched, or it was made late. */
export function wasLeftByChoice({ cluster }: World, { key, adopts }: Record, { id }: CloudRow): boolean {
  const [kind, ...object] = key.split("/");
  return (
    adopts.length > 0 &&
    cluster
      .events()
      .some(
        (event) =>
          event.kind === kind &&
          event.key === object.join("/") &&
          ["CreateUncertain", "CreatedLate"].includes(event.reason) &&
          event.note.split(/[\s,."]+/).includes(id),
      )
  );
}
