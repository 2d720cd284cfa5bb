/** What an object stands for that another one refers to: its cloud object, or what its one run has made. */
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

/** What a reference to it means in the cloud; without an id where there is nothing (yet). */
export function usedOf(environment: Environment, object: KubeObject): Used {
  if (!runsOnce(environment, object)) return recordOf(environment, object);
  const run = runOf(environment, object);
  return run?.result === "Complete" && run.made !== undefined ? { id: run.made } : {};
}

/** Why there is nothing. */
export function unusedBecause(environment: Environment, object: KubeObject): string {
  if (!runsOnce(environment, object)) return `has no cloud object yet${stalledBy(object)}`;
  const result = runOf(environment, object)?.result;
  if (result === undefined) return "is not complete yet";
  return `is ${result.toLowerCase()}. Its own condition says why. Create it again, or correct the reference`;
}

/** What only a person mends is named, so that whoever waits for it knows where to look. */
function stalledBy(object: KubeObject): string {
  const stalled = statusOf(object).conditions?.find(({ type, status }) => type === "Stalled" && status === "True");
  return stalled ? `: its own condition is ${stalled.reason}` : "";
}

/** Where the ids are that a reference to this kind may give. What runs once is no cloud object, and its path is that of what it acts on. */
export function collectionOfIds(kind: Kind): string | undefined {
  return kind.shape === "once" ? undefined : fixedCollectionOf(kind);
}

function runsOnce({ kinds }: Environment, object: KubeObject): boolean {
  return kinds.get(object.kind)?.shape === "once";
}

/** As this process knows it, else as the status proves it: whoever may write that could name anybody's backup. */
function runOf(environment: Environment, object: KubeObject): Run | undefined {
  return environment.memory.of(object.metadata.uid).run ?? recordOf(environment, object).run;
}

/** What was acted on is reconciled: what its objects publish and report may be another by now. */
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
