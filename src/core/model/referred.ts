/** Cloud objects behind references: the cloud object of the referenced object, or the result of a run. */
import { statusOf } from "../kind/object.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { recordOf } from "./known.ts";
import { fixedCollectionOf } from "./note-claim.ts";
import type { Kind } from "../kind/owned.ts";
import { kindOf } from "../kind/reference.ts";
import type { Stored } from "../kind/record.ts";
import type { Run } from "../kind/status-schema.ts";
import { keyOf } from "../kind/resource.ts";
import type { Environment } from "./environment.ts";
import type { Connected } from "./context.ts";

type Used = Pick<Stored, "id" | "origin">;

/** Returns the ID and the origin behind a reference; without an ID if no cloud object exists yet. */
export function usedOf(environment: Environment, object: KubeObject): Used {
  if (!runsOnce(environment, object)) return recordOf(environment, object);
  const run = knownRunOf(environment, object);
  return run?.result === "Complete" && run.made !== undefined ? { id: run.made } : {};
}

export function unusedBecause(environment: Environment, object: KubeObject): string {
  if (!runsOnce(environment, object)) return `has no cloud object yet${stalledBy(object)}`;
  const result = knownRunOf(environment, object)?.result;
  if (result === undefined) return "is not complete yet";
  return `is ${result.toLowerCase()}. Its own condition says why. Create it again, or correct the reference`;
}

/** Names the condition of the referenced object if a user must act. */
function stalledBy(object: KubeObject): string {
  const stalled = statusOf(object).conditions?.find(({ type, status }) => type === "Stalled" && status === "True");
  return stalled ? `: its own condition is ${stalled.reason}` : "";
}

/**
 * Returns the collection of the IDs in references to the kind; undefined for a contained kind, and for an action: its
 * path is the path of the target.
 */
export function collectionOfIds(kind: Kind): string | undefined {
  return kind.shape === "once" ? undefined : fixedCollectionOf(kind);
}

function runsOnce({ kinds }: Environment, object: KubeObject): boolean {
  return kinds.get(object.kind)?.shape === "once";
}

/**
 * Returns the run, as known by this process or else as proved by the status. A forged status could name a foreign
 * backup.
 */
function knownRunOf(environment: Environment, object: KubeObject): Run | undefined {
  return environment.memory.of(object.metadata.uid).run ?? recordOf(environment, object).run;
}

/** Reconciles the targets of an action: the action can change their published and reported values. */
export function wakeReferred({ environment, kind, spec, object }: Connected): void {
  for (const reference of Object.values(kind.references ?? {})) {
    if ("secret" in reference) continue;
    for (const entry of [reference.from(spec) ?? []].flat()) {
      const { name } = entry;
      if (name === undefined) continue;
      const key = keyOf(kindOf(reference, entry), object.metadata.namespace ?? "", name);
      environment.enqueue(key, { cause: "reference" });
    }
  }
}
