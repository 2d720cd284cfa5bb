/** Index of claims: finds the objects that claim a cloud object. */
import type { JsonObject } from "../../api/types.ts";
import type { Identity } from "../kind/account-spec.ts";

/** Claim of an object: a cloud object by its ID. During a creation, the claim covers every cloud object with the natural key. */
export interface Claimed {
  collection: string;
  id?: string | undefined;
  naturalKey: JsonObject;
  /**
   * The creation attempt with an unknown result. `since`: time at which the process learned of the attempt, clock milliseconds.
   */
  open?: { attempt: string; since: number } | undefined;
  /** Account in the journal entry. The status of a restored CloudAccount has no identity before its first connection. */
  account?: Identity | undefined;
}

/** Index of claims: finds the objects that claim a cloud object. */
export interface Claims {
  /** Replaces the claim of an object, or removes the claim with undefined. Wakes the objects that waited for a removed claim. */
  note: (key: string, claimed: Claimed | undefined) => void;
  /** Returns the keys of the objects that claim the ID in the collection. */
  ofId: (collection: string, id: string) => string[];
  of: (key: string) => Claimed | undefined;
  /** Records that the claim of `holder` blocks an object. The next change of the claim wakes the object once. */
  keepBack: (key: string, holder: string) => void;
  /** Returns the keys of the objects with the natural key in the collection, including creations in progress. */
  ofName: (collection: string, naturalKey: JsonObject) => string[];
  /** Returns the keys and claims of the objects with a creation without a recorded result in the collection. */
  pendingIn: (collection: string) => [string, Claimed][];
}

/** Creates the index. `wake` receives the key of an object whose blocker changed. */
export function createClaims(wake: (key: string) => void): Claims {
  const byKey = new Map<string, Claimed>();
  // Most slots have one key. A set for every slot would need more memory than the keys.
  const keysIn = new Map<string, string | string[]>();
  const pending = new Map<string, Map<string, Claimed>>();
  const keptBackBy = new Map<string, Set<string>>();
  // `join` makes one text. A template string would also keep its parts in memory.
  const byId = (collection: string, id: string): string => [collection, id].join("|");
  const byName = (collection: string, key: JsonObject): string => [collection, JSON.stringify(key)].join("?");

  const slotsOf = ({ collection, id, naturalKey }: Claimed): string[] => [
    byName(collection, naturalKey),
    ...(id === undefined ? [] : [byId(collection, id)]),
  ];

  const keysOf = (slot: string): string[] => [keysIn.get(slot) ?? []].flat();

  const others = (slot: string, key: string): string[] => keysOf(slot).filter((one) => one !== key);

  function put(slot: string, keys: string[]): void {
    const [first] = keys;
    if (first === undefined) keysIn.delete(slot);
    else keysIn.set(slot, keys.length === 1 ? first : keys);
  }

  function notePending(key: string, before: Claimed | undefined, claimed: Claimed | undefined): void {
    const former = before && pending.get(before.collection);
    former?.delete(key);
    if (before && former?.size === 0) pending.delete(before.collection);
    if (!claimed || (claimed.id !== undefined && !claimed.open)) return;
    const { collection } = claimed;
    pending.set(collection, (pending.get(collection) ?? new Map<string, Claimed>()).set(key, claimed));
  }

  function release(key: string): void {
    const waiting = keptBackBy.get(key) ?? [];
    keptBackBy.delete(key);
    for (const one of waiting) wake(one);
  }

  return {
    note(key, claimed) {
      const before = byKey.get(key);
      const held = before ? slotsOf(before) : [];
      const slots = claimed ? slotsOf(claimed) : [];
      for (const slot of held) if (!slots.includes(slot)) put(slot, others(slot, key));
      for (const slot of slots) if (keysIn.get(slot) !== key) put(slot, [...others(slot, key), key]);
      notePending(key, before, claimed);
      if (claimed) byKey.set(key, claimed);
      else byKey.delete(key);
      if (held.some((slot) => !slots.includes(slot))) release(key);
    },
    keepBack: (key, holder) => void keptBackBy.set(holder, (keptBackBy.get(holder) ?? new Set()).add(key)),
    of: (key) => byKey.get(key),
    ofId: (collection, id) => keysOf(byId(collection, id)),
    ofName: (collection, naturalKey) => keysOf(byName(collection, naturalKey)),
    pendingIn: (collection) => [...(pending.get(collection) ?? [])],
  };
}
