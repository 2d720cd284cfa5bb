/** `status.observed` is a spec: written into the spec, as `kubectl patch` would, it is accepted and asks for nothing. */
import { describe, it } from "vitest";
import type { Json, JsonObject } from "../../src/api/types.ts";
import { identity, shows } from "../../src/core/kind/fields.ts";
import { observedSpec, patched } from "../../src/core/kind/observed.ts";
import type { Kind } from "../../src/core/kind/owned.ts";
import type { SchemaMarks } from "../../src/core/kind/schema.ts";
import { observedFields } from "../../src/core/kind/words.ts";
import { needsPerson } from "../contract/support/exceptions.ts";
import { liveOf, pendingCalls, readOf } from "../contract/support/pending.ts";
import type { Stage } from "../contract/support/stage.ts";
import { everyExample, everySetting } from "../contract/support/subjects.ts";
import { accountOfExamples, stand } from "./account-of-examples.ts";

type Spec = Record<string, unknown>;

/** The least that the kind accepts, and what cannot be added later. */
function shortest({ spec: schema }: Kind, spec: Spec): Spec {
  const marksOf = (name: string) => (schema.shape[name] as { meta?: () => SchemaMarks | undefined }).meta?.();
  return Object.keys(spec).reduce((left, name) => {
    const { [name]: _, ...without } = left;
    return marksOf(name)?.immutable || !schema.safeParse(without).success ? left : without;
  }, spec);
}

async function observedOf(stage: Stage, spec: Spec): Promise<JsonObject> {
  const { kind, world } = stage;
  const live = await liveOf(stage, spec);
  const shown = observedFields(kind, live.wire);
  for (const step of Object.values(kind.steps ?? {})) {
    const reads = step.read?.(live) ?? step.observes?.(live);
    Object.assign(shown, step.describe?.(live, reads && (await readOf(world.stranger, reads)))?.cloud);
  }
  return observedSpec(kind, live, shown);
}

/** What is wrong with the spec that says what is observed. */
async function problemsOf(stage: Stage, spec: Spec): Promise<Json> {
  const observed = await observedOf(stage, spec);
  const said = patched(spec, observed);
  const { success, error } = stage.kind.spec.safeParse(said);
  if (!success) return { observed, refused: error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) };
  const live = await liveOf(stage, said);
  if (!shows(stage.kind, live.wire, identity(stage.kind, live)))
    return { observed, another: "the spec means another one" };
  const calls = await pendingCalls(stage, said);
  return calls.length === 0 ? null : { observed, calls: calls as unknown as Json };
}

const subjects = [...everyExample, ...everySetting].filter(({ kind }) => !needsPerson(kind.kind));

describe.concurrent("What is observed is a spec that asks for nothing", () => {
  it.for(subjects)("$title", { timeout: 30_000 }, async (subject, { expect }) => {
    const stage = await stand(await accountOfExamples(), subject);
    const { spec } = subject.example;
    expect(await problemsOf(stage, spec)).toBeNull();
    expect(await problemsOf(stage, shortest(subject.kind, spec))).toBeNull();
  });
});
