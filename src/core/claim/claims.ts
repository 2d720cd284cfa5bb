/** The index of claims: which objects claim a given cloud object. */
import type { JsonObject } from "../../api/types.ts";

/** What an object claims: a cloud object by its id, or, while it is being created, whatever gets the natural key. */
export interface Claimed {
  collection: string;
  id?: string | undefined;
  naturalKey: JsonObject;
}

/** Index of claims: which objects claim a given cloud object. */
export interface Claims {
  /** Replaces what the object claims; undefined: nothing. */
  note: (key: string, claimed: Claimed | undefined) => void;
  /** Keys of the objects that claim this id of the collection. */
  ofId: (collection: string, id: string) => string[];
  of: (key: string) => Claimed | undefined;
  /** Keys of the objects that have, or are creating, something with this natural key in the collection. */
  ofName: (collection: string, naturalKey: JsonObject) => string[];
}

export function createClaims(): Claims {
  const byKey = new Map<string, Claimed>();
  const keysIn = new Map<string, Set<string>>();
  const byId = (collection: string, id: string): string => `${collection}|${id}`;
  const byName = (collection: string, key: JsonObject): string => `${collection}?${JSON.stringify(key)}`;

  const slotsOf = ({ collection, id, naturalKey }: Claimed): string[] => [
    byName(collection, naturalKey),
    ...(id === undefined ? [] : [byId(collection, id)]),
  ];

  function leave(key: string, slot: string): void {
    const keys = keysIn.get(slot);
    keys?.delete(key);
    if (keys?.size === 0) keysIn.delete(slot);
  }

  return {
    note(key, claimed) {
      const before = byKey.get(key);
      if (before) for (const slot of slotsOf(before)) leave(key, slot);
      if (!claimed) return void byKey.delete(key);
      for (const slot of slotsOf(claimed)) keysIn.set(slot, (keysIn.get(slot) ?? new Set()).add(key));
      byKey.set(key, claimed);
    },
    of: (key) => byKey.get(key),
    ofId: (collection, id) => [...(keysIn.get(byId(collection, id)) ?? [])],
    ofName: (collection, naturalKey) => [...(keysIn.get(byName(collection, naturalKey)) ?? [])],
  };
}
