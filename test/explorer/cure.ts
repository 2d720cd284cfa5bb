/** Does what the conditions of stuck objects tell people to do; afterwards they must not be stuck for the same reason. */
import { orphanAnnotation, retryCreateAnnotation } from "../../src/core/kind/annotations.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { conditionOf } from "../world/world.ts";
import { labelOfRow } from "./chronicle.ts";
import { annotate, beginDelete, patch } from "./actor.ts";
import type { Stage } from "./actor.ts";
import { general } from "./invariants.ts";
import type { Violation } from "./invariants.ts";
import { idOf, reasonOf } from "./judge/facts.ts";

/** Longer than any pass. */
const patienceMs = 1_200_000;

type Cure = (stage: Stage, object: KubeObject, message: string) => boolean;

/** Each is tried where the message names it. */
const cures: { [name: string]: Cure } = {
  retry: (stage, object, message) => {
    const [, attempt] = /cloudplatform\.dev\/retry-create="?([\w-]+)/.exec(message) ?? [];
    if (attempt !== undefined) annotate(stage, object, { [retryCreateAnnotation]: attempt });
    return attempt !== undefined;
  },
  adopt: (stage, object, message) => {
    // One that people have named, and that does not exist, is no advice.
    const [, id] = /adopt\.id: "([^"]+)"(?! does not exist)/.exec(message) ?? [];
    if (id !== undefined) patch(stage, object, { spec: { management: { adopt: { id, filter: null } } } });
    return id !== undefined;
  },
  letGo: (stage, object, message) => {
    if (!message.includes(orphanAnnotation)) return false;
    annotate(stage, object, { [orphanAnnotation]: "true" });
    beginDelete(stage, object)();
    return true;
  },
};

export async function cure(stage: Stage): Promise<Violation[]> {
  const stuck = stage.world.cluster
    .list()
    .filter((object) => object.kind !== "CloudAccount" && reasonOf(object) !== "none")
    .filter(
      (object) => conditionOf(object, "Ready")?.status !== "True" || object.metadata.deletionTimestamp !== undefined,
    )
    .flatMap((object) => {
      const message = conditionOf(object, "Ready")?.message ?? "";
      const tried = Object.entries(cures).find(([, run]) => run(stage, object, message));
      return tried ? [{ object, message, how: tried[0] }] : [];
    });
  if (stuck.length === 0) return [];
  await stage.world.advance(patienceMs);
  return stuck.flatMap(({ object, message, how }) => {
    const { kind, metadata } = object;
    const now = stage.world.cluster.get(kind, metadata.name, metadata.namespace);
    const same =
      now?.metadata.uid === metadata.uid &&
      conditionOf(now, "Ready")?.status !== "True" &&
      reasonOf(now) === reasonOf(object);
    if (
      !now ||
      !same ||
      isOfUsedId(stage, now) ||
      // The service stores the next one in another form, too.
      (how === "retry" && stage.life.stores !== undefined) ||
      general(conditionOf(now, "Ready")?.message ?? "") !== general(message)
    )
      return [];
    return [
      {
        invariant: "the way out works",
        kind,
        what: `${reasonOf(object)}: ${how} as told, and nothing came of it: ${general(message).slice(0, 60)}`,
        detail: `${metadata.name}: ${message}`,
      },
    ];
  });
}

/** The service gives an id again that another object still has on record: what is made anew gets it as well. */
function isOfUsedId({ life, chronicle, world }: Stage, { kind, metadata: { uid } }: KubeObject): boolean {
  const records = chronicle.records().filter((record) => record.kind === kind);
  const own = records.find((record) => record.uid === uid);
  const made = world.cloud.history().filter((row) => own !== undefined && own.labels.has(labelOfRow(row.fields)));
  const isHeld = (id: string): boolean => records.some((other) => other !== own && idOf(other.object) === id);
  return life.reuseIds && made.some(({ id }) => isHeld(id));
}
