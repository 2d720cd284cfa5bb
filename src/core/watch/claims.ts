/** The index of claims: which objects claim a given cloud object. */
import type { JsonObject } from "../../api/types.ts";
import type { Identity } from "../kind/account-spec.ts";

/** What an object claims: a cloud object by its id, or, while it is being created, whatever gets the natural key. */
export interface Claimed {
  collection: string;
  id?: string | undefined;
  naturalKey: JsonObject;
  /** The attempt whose outcome is open, where one is, and clock milliseconds since when this process has known that. */
  open?: { attempt: string; since: number } | undefined;
  /** Whose account its intent names: a restored CloudAccount says that only once it is connected. */
  account?: Identity | undefined;
}

/** Index of claims: which objects claim a given cloud object. */
export interface Claims {
  /** Replaces what the object claims; undefined: nothing. Wakes those whom what is claimed no more has kept back. */
  note: (key: string, claimed: Claimed | undefined) => void;
  /** Keys of the objects that claim this id of the collection. */
  ofId: (collection: string, id: string) => string[];
  of: (key: string) => Claimed | undefined;
  /** Keeps in mind that the claim of `holder` keeps an object back; it is woken once when that claim changes. */
  keepBack: (key: string, holder: string) => void;
  /** Keys of the objects that have, or are creating, something with this natural key in the collection. */
  ofName: (collection: string, naturalKey: JsonObject) => string[];
  /** Keys of the objects whose creation in this collection has no recorded result, each with its claim. */
  pendingIn: (collection: string) => [string, Claimed][];
}

/** `wake`: told of the key of an object that was kept back. */
export function createClaims(wake: (key: string) => void): Claims {
  const byKey = new Map<string, Claimed>();
  // Nearly every slot has one key: a set for each took more memory than the keys.
  const keysIn = new Map<string, string | string[]>();
  const pending = new Map<string, Map<string, Claimed>>();
  const keptBackBy = new Map<string, Set<string>>();
  // One text each, where a template would keep its pieces beside it.
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
