import { expect } from "vitest";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import type { Call, Detail, Readiness } from "../../../src/core/kind/call.ts";
import { differencesIn, disruptiveValues } from "../../../src/core/kind/fields.ts";
import type { AnyLive } from "../../../src/core/model/context.ts";
import { nothingKnown } from "./wanted.ts";
import { sendAsStranger } from "./cloud.ts";
import { eventually, stageOf } from "./stage.ts";
import type { Stage } from "./stage.ts";

type Spec = Record<string, unknown>;

/** The calls that would bring what is in the cloud to this spec; none where it is so already. */
export async function pendingCalls(stage: Stage, spec: Spec = stage.example.spec): Promise<Call[]> {
  const { kind, world } = stage;
  const live = await liveOf(stage, spec);
  const calls: Call[] = [];
  const found = differencesIn(kind, live, untagged(live.wire));
  if (found.length > 0) {
    const body: JsonObject = Object.fromEntries(found.map((one) => [one.field, one.desired]));
    const update = { method: "PUT" as const, path: (await stage.collection()).itemPath(live.id), body };
    calls.push({ action: "Update", note: "", ...update, ...kind.verbs?.update?.(live, body) });
  }
  for (const step of Object.values(kind.steps ?? {})) {
    const reads = step.read?.(live);
    calls.push(...step.calls(live, reads && (await readOf(world.stranger, reads))));
  }
  return calls;
}

/** Another client brings the cloud to this spec, as far as that can be done without disruption. */
export async function bringTo(stage: Stage, spec: Spec): Promise<void> {
  await settled(stage, spec);
  const there = stageOf(stage.world, { ...stage, example: { ...stage.example, spec } }, stage.name);
  for (const call of await pendingCalls(stage, spec)) await sendAsStranger(there, call);
  await settled(stage, spec);
}

/** Whether the object is ready, as its kind reads the row that the cloud shows now. */
export async function readiness(stage: Stage, spec: Spec = stage.example.spec): Promise<Readiness> {
  return stage.kind.ready?.(await liveOf(stage, spec)) ?? { ready: true };
}

/** Resolves when the cloud is not busy with the object. */
async function settled(stage: Stage, spec: Spec): Promise<void> {
  await eventually(async () => {
    const progress = await readiness(stage, spec);
    expect(!progress.ready && progress.busy).not.toBe(true);
  });
}

/** Resolves when the cloud has brought this row, which no object manages, to rest. */
export async function untilAtRest(stage: Stage, id: string): Promise<void> {
  await eventually(async () => {
    const progress = stage.kind.ready?.(await liveOf(stage, stage.example.spec, id));
    expect(progress?.ready ?? true).toBe(true);
  });
}

export async function liveOf(stage: Stage, spec: Spec, known?: string): Promise<AnyLive> {
  const { kind } = stage;
  const id = known ?? (await stage.id());
  const row = (await stage.row(id)) ?? fail(`${id} is not in the cloud`);
  const wire = kind.wire.parse(row);
  const wanted = await stage.wanted(spec);
  const digest = (value: string): string => value;
  // The object was created from its example, so it added itself to whatever the example lists.
  const added = kind.additions?.(await stage.wanted(stage.example.spec));
  const applied = { ...disruptiveValues(kind, wanted.spec), ...kind.digests?.({ ...wanted, digest }), ...added };
  const list = (await stage.collection()).path;
  return { ...wanted, id, wire: wire as JsonObject, list, applied, adopted: false, digest, ...nothingKnown };
}

export async function readOf(stranger: Stage["world"]["stranger"], { path, paged }: Detail): Promise<Json | undefined> {
  return paged ? stranger.list(path) : stranger.get(path);
}

/** The installation tag is no difference. */
function untagged(row: JsonObject): JsonObject {
  const { tags } = row;
  return Array.isArray(tags) ? { ...row, tags: tags.filter((tag) => tag !== "cpo-test") } : row;
}

function fail(message: string): never {
  throw new Error(message);
}
