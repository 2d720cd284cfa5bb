/** What people write who mean no good, and what a backup brings back. */
import { journalAnnotation } from "../../src/core/kind/annotations.ts";
import type { JsonObject } from "../../src/api/types.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { actorOf, beginDelete, patch, victimAt } from "./actor.ts";
import type { Actor, Stage } from "./actor.ts";
import type { Forgery } from "./story.ts";

/** The cluster is lost, and comes back from a backup that keeps annotations but no status. */
export function restore(stage: Stage, actor: Actor, object: KubeObject, how: Forgery | undefined): void {
  const { world, chronicle } = stage;
  const { name, namespace = "", annotations = {}, uid } = object.metadata;
  const text = how && forged(stage, actor, how);
  world.crash();
  chronicle.mark(uid, { stripped: true });
  patch(stage, object, { metadata: { finalizers: [] } });
  if (world.cluster.get(object.kind, name, namespace)) beginDelete(stage, object)();
  const { [journalAnnotation]: kept, ...others } = annotations;
  const entry = how === undefined ? kept : text;
  const made = world.cluster.create(object.kind, name, object.spec, {
    namespace,
    annotations: { ...others, ...(entry !== undefined && entry !== null && { [journalAnnotation]: entry }) },
  });
  chronicle.mark(made.metadata.uid, { restored: true, ...(how && markOf(how)) });
  world.restart();
}

/** A journal entry that somebody wrote; null where the annotation is taken off. */
export function forged(stage: Stage, actor: Actor, how: Forgery): string | null {
  const { world, life } = stage;
  const entry = entryOf(actor);
  const victim = victimAt(world, actor.path, actor.user);
  switch (how) {
    case "removed":
      return null;
    case "garbage":
      return "{";
    case "copied": {
      const other = life.residents
        .map((_, index) => actorOf(stage, index))
        .find(({ name, object }) => object && name !== actor.name);
      return other?.object?.metadata.annotations?.[journalAnnotation] ?? null;
    }
    case "adopted":
      return JSON.stringify({ ...entry, adopted: victim?.id ?? "1" });
    case "collection": {
      const elsewhere = world.cloud.history().find(({ path, madeBy }) => madeBy === undefined && path !== actor.path);
      return JSON.stringify({ ...entry, collection: elsewhere?.path ?? "/domains", adopted: elsewhere?.id ?? "1" });
    }
    case "pattern":
      return JSON.stringify({ ...entry, pattern: {} });
    case "known":
      return JSON.stringify({ ...entry, known: [], pattern: { label: "victim" }, time: "2025-01-01T00:00:00.000Z" });
  }
}

function entryOf({ object, name, namespace, path, label }: Actor): JsonObject {
  const stored = object?.metadata.annotations?.[journalAnnotation];
  try {
    if (stored !== undefined) return JSON.parse(stored) as JsonObject;
  } catch {
    // Garbage was written before.
  }
  const uid = object?.metadata.uid ?? "00000000-0000-4000-8000-999999999999";
  const time = "2026-01-01T00:00:00.000Z";
  return {
    uid,
    namespace,
    name,
    attempt: "forged00",
    time,
    collection: path,
    pattern: { label },
    known: [],
    epoch: "e",
  };
}

export function attemptOf({ metadata }: KubeObject): string {
  return /"attempt":"([^"]+)"/.exec(metadata.annotations?.[journalAnnotation] ?? "")?.[1] ?? "none";
}

/** A journal entry that is gone or unreadable gives nobody anything. */
export function markOf(how: Forgery): { forged: true } | { spoiled: true } {
  return how === "removed" || how === "garbage" ? { spoiled: true } : { forged: true };
}
