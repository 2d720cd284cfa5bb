/** A cache of the operator, fed by the watch events of objects in memory. The store of the cache is the real one. */
import { keyOf } from "../cluster/paths.ts";
import { createStore } from "../cluster/store.ts";
import type { Cache, CacheChange, KubeObject, Resource } from "../cluster/types.ts";
import { keptOfDisabled, keptOfObjects, keptOfValues } from "../core/model/kept.ts";
import type { Clock } from "../queue/clock.ts";
import type { Objects, WatchEvent } from "./objects.ts";

export interface FeedOptions {
  objects: Objects;
  clock: Clock;
  /** True: the operator does not manage the kind, and watches only metadata. */
  isDisabled?: boolean;
  /** Returns false for objects that the operator does not watch. Default: all objects. */
  isWatched?: (object: KubeObject) => boolean;
  /** Returns false after the process ended. Default: true. */
  isAlive?: () => boolean;
  /** Returns true if each event comes twice, as after a reconnection. Default: false. */
  isRepeated?: () => boolean;
  /** Delivers an event, now or later. Default: before the next task of the event loop. */
  deliver?: (resource: Resource, bring: () => void) => void;
}

export interface Feed {
  cache: Cache;
  /** Delivers waiting events one by one, or replaces the events by a list. */
  release: (how: "each" | "list") => void;
}

/** Opens a cache. The cache is complete immediately. */
export function openFeed(options: FeedOptions, resource: Resource): Feed {
  const { objects, clock, isDisabled = false, isWatched = () => true, isAlive = () => true } = options;
  const { isRepeated = () => false, deliver = (_resource, bring) => queueMicrotask(bring) } = options;
  const handlers: ((change: CacheChange) => void)[] = [];
  const metadataOnly = isDisabled || ["secrets", "configmaps"].includes(resource.plural);
  const kept = isDisabled ? keptOfDisabled : metadataOnly ? keptOfValues : keptOfObjects;
  const announce = (change: CacheChange) => handlers.forEach((handler) => handler(change));
  const store = createStore({ resource, clock, metadataOnly, kept }, announce);
  const sink = store.sink(undefined, () => undefined);
  const slim = (object: KubeObject) => sink.slim?.(object) ?? object;
  const replace = () => sink.replace(objects.list(resource).filter(isWatched).map(slim), objects.version());
  const waiting: WatchEvent[] = [];
  const bringNext = () => {
    const event = waiting.shift();
    if (event === undefined || !isAlive()) return;
    sink.apply(event.type, slim(event.object));
    if (isRepeated()) sink.apply(event.type, slim(event.object));
  };
  replace();
  objects.watch(resource, (event) => {
    if (!isAlive() || !isWatched(event.object)) return;
    waiting.push(event);
    deliver(resource, bringNext);
  });
  return {
    cache: {
      get: (ref) => store.get(keyOf(ref)),
      list: (namespace) => store.list(namespace),
      objects: () => store.objects(),
      written: (object) => store.written(object),
      noteRead: (object) => store.noteRead(object),
      onChange(handler) {
        handlers.push(handler);
        for (const object of store.list()) handler({ type: "added", object, initial: true });
      },
      synced: Promise.resolve(),
    },
    release(how) {
      if (how === "list") {
        waiting.length = 0;
        replace();
      }
      while (waiting.length > 0) bringNext();
    },
  };
}
