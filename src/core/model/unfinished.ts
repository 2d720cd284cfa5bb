/** Creations of which it is not recorded yet what came of them: their objects are known also after these are gone. */
import type { KubeObject } from "../../cluster/types.ts";
import { keyOfObject } from "../kind/resource.ts";

export interface Unfinished {
  /** A creation is under way: if the object goes meanwhile, what came of it must be found all the same. */
  creating: (object: KubeObject) => void;
  /** A claim begins, and what is sent for it may follow. The answer ends it, where nothing was sent. */
  claiming: (object: KubeObject) => () => void;
  /** The object as it is by now, perhaps as it was when it went: what its spec says of its end counts, not what it said at the creation. */
  seen: (object: KubeObject) => void;
  /** What came of the creation is recorded on the object, or is certainly nothing. */
  created: (uid: string) => void;
  /** Objects whose creation is not brought to an end; with a key, those of it that are not `present` any more. */
  strays: (key?: string, present?: string) => KubeObject[];
  /** Told of each object whose creation is brought to an end, or is certainly nothing. */
  onEnded: (listener: (object: KubeObject) => void) => void;
  /** What was created for it is deleted by this process, also once it is gone. */
  isUnfinished: (uid: string) => boolean;
}

interface Creation {
  object: KubeObject;
  /** False while no request of it has left. */
  isSent: boolean;
}

export function createUnfinished(): Unfinished {
  const open = new Map<string, Creation>();
  // Asked for each change of an object, while thousands may be open.
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
    strays: (key, present) =>
      key === undefined
        ? [...open.values()].map(({ object }) => object)
        : (byKey.get(key) ?? []).map(({ object }) => object).filter(({ metadata }) => metadata.uid !== present),
  };
}
