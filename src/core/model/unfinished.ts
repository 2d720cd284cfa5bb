/**
 * Creations without a recorded outcome. The operator remembers their objects after the API server deleted the objects.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { keyOfObject } from "../kind/resource.ts";

export interface Unfinished {
  /** Begins a creation. If the custom resource vanishes, the operator still searches for the result. */
  creating: (object: KubeObject) => void;
  /** Begins a claim before a request. The returned function ends the claim if no request left. */
  claiming: (object: KubeObject) => () => void;
  /** Stores the newest version of the object. For a deletion, the newest spec counts, not the spec of the creation. */
  seen: (object: KubeObject) => void;
  /** Ends a creation: the object records the outcome, or the request certainly did nothing. */
  created: (uid: string) => void;
  /**
   * Returns the objects with an unfinished creation. `key`: only objects with this key and without the UID `present`.
   */
  orphanedCreates: (key?: string, present?: string) => KubeObject[];
  onEnded: (listener: (object: KubeObject) => void) => void;
  /**
   * Returns true if this process must still find and delete the result of a creation, even without the custom resource.
   */
  isUnfinished: (uid: string) => boolean;
}

interface Creation {
  object: KubeObject;
  isSent: boolean;
}

export function createUnfinished(): Unfinished {
  const open = new Map<string, Creation>();
  // Each change of an object calls `orphanedCreates`, and thousands of creations can be open.
  const byKey = new Map<string, Creation[]>();
  const listeners: ((object: KubeObject) => void)[] = [];
  const forget = (uid: string): KubeObject | undefined => {
    const creation = open.get(uid);
    if (!creation) return undefined;
    const key = keyOfObject(creation.object);
    const others = byKey.get(key)?.filter((one) => one !== creation) ?? [];
    if (others.length > 0) byKey.set(key, others);
    else byKey.delete(key);
    open.delete(uid);
    return creation.object;
  };
  const begin = (object: KubeObject, isSent: boolean): Creation => {
    const creation = { object, isSent };
    const key = keyOfObject(object);
    byKey.set(key, [...(byKey.get(key) ?? []), creation]);
    open.set(object.metadata.uid, creation);
    return creation;
  };
  const end = (uid: string): void => {
    const object = forget(uid);
    if (object) for (const listener of listeners) listener(object);
  };
  return {
    claiming(object) {
      const { uid } = object.metadata;
      if (open.has(uid)) return () => {};
      const creation = begin(object, false);
      return () => {
        if (open.get(uid) === creation && !creation.isSent) end(uid);
      };
    },
    creating(object) {
      const creation = open.get(object.metadata.uid) ?? begin(object, true);
      Object.assign(creation, { object, isSent: true });
    },
    seen(object) {
      const creation = open.get(object.metadata.uid);
      if (creation) creation.object = object;
    },
    created: end,
    onEnded: (listener) => void listeners.push(listener),
    isUnfinished: (uid) => open.has(uid),
    orphanedCreates: (key, present) =>
      key === undefined
        ? [...open.values()].map(({ object }) => object)
        : (byKey.get(key) ?? []).map(({ object }) => object).filter(({ metadata }) => metadata.uid !== present),
  };
}
