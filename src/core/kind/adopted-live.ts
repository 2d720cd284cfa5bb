/** An adopted cloud object for the functions of a kind, outside of the operator. */
import type { JsonObject } from "../../api/types.ts";
import type { Kind } from "./owned.ts";
import type { Resolved } from "./reference.ts";

/** A cloud object, as a program has read it. */
export interface Shown {
  name: string;
  id: string;
  row: JsonObject;
  /** Path of the list. */
  list: string;
  /** The known references, by the name of the reference. */
  refs: Record<string, Resolved | Resolved[] | undefined>;
}

export type AnyLive = Parameters<NonNullable<Kind["steps"]>[string]["calls"]>[0];

/**
 * Returns the parameters of the functions of a kind. The cloud object has no record, and the functions cannot read the clock or the
 * installation key.
 */
export function adoptedLive({ name, id, row, list, refs }: Shown, spec: Record<string, unknown> = {}): AnyLive {
  const never = (): never => {
    throw new Error("the value is known only to the operator");
  };
  return {
    name,
    namespace: "",
    spec,
    refs,
    id,
    wire: row,
    list,
    applied: undefined,
    adopted: true,
    operations: [],
    scopesHeard: () => [],
    now: never,
    reported: () => ({}),
    notes: {},
    done: [],
    account: { uid: 0 },
    managerOf: () => undefined,
    digest: never,
  };
}

/** Returns a value of a kind; undefined if the value depends on something unknown. */
export function valueOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The kind throws for a reference, a Secret or a part of the spec that is not known.
    return undefined;
  }
}
