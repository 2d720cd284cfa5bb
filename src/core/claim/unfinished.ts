/** Creations of which it is not recorded yet what came of them: their objects are known also after these are gone. */
import type { KubeObject } from "../../cluster/types.ts";
import { keyOfObject } from "../kind/resource.ts";

export interface Unfinished {
  /** A creation is under way: if the object goes meanwhile, what came of it must be found all the same. */
  creating: (object: KubeObject) => void;
  /** A claim begins, and what is sent for it may follow. The answer ends it, where nothing was sent. */
  claiming: (object: KubeObject) => () => void;
  /** What came of the creation is recorded on the object, or is certainly nothing. */
  created: (uid: string) => void;
  /** Objects whose creation is not brought to an end; with a key, those of it that are not `present` any more. */
  strays: (key?: string, present?: string) => KubeObject[];
  /** Told of each object whose creation is brought to an end, or is certainly nothing. */
  onEnded: (listener: (object: KubeObject) => void) => void;
  /** What was created for it is deleted by this process, also once it is gone. */
  isUnfinished: (uid: string) => boolean;
}

export function createUnfinished(): Unfinished {
  const open = new Map<string, KubeObject>();
  // Asked for each change of an object, while thousands may be open.
  const byKey = new Map<string, KubeObject[]>();
  const listeners: ((object: KubeObject) => void)[] = [];
  const forget = (uid: string): KubeObject | undefined => {
    const object = open.get(uid);
    if (!object) return undefined;
    const key = keyOfObject(object);
    const others = byKey.get(key)?.filter((one) => one !== object) ?? [];
    if (others.length > 0) byKey.set(key, others);
    else byKey.delete(key);
    open.delete(uid);
    return object;
  };
  const keep = (object: KubeObject): void => {
    const { uid } = object.metadata;
    const before = open.get(uid);
    const key = keyOfObject(object);
    const known = byKey.get(key) ?? [];
    byKey.set(key, before ? known.map((one) => (one === before ? object : one)) : [...known, object]);
    open.set(uid, object);
  };
  const end = (uid: string): void => {
    const object = forget(uid);
    if (object) for (const listener of listeners) listener(object);
  };
  return {
    claiming(object) {
      const { uid } = object.metadata;
      if (open.has(uid)) return () => {};
      const unsent = { ...object };
      keep(unsent);
      return () => {
        if (open.get(uid) === unsent) end(uid);
      };
    },
    creating: keep,
    created: end,
    onEnded: (listener) => void listeners.push(listener),
    isUnfinished: (uid) => open.has(uid),
    strays: (key, present) =>
      key === undefined
        ? [...open.values()]
        : (byKey.get(key)?.filter(({ metadata }) => metadata.uid !== present) ?? []),
  };
}
