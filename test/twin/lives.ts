/**
 * Random changes on random accounts. The first run is the real cluster and the real account. The plan is made from their
 * state, and the first run then executes the same change.
 */
import { createCloudClient } from "../../src/api/client.ts";
import type { JsonObject } from "../../src/api/types.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { secrets } from "../../src/cluster/secrets.ts";
import { manifestsOf } from "../../src/generate/example-manifests.ts";
import type { ExampleManifest } from "../../src/generate/example-manifests.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { apply } from "../../src/twin/apply.ts";
import type { Manifest } from "../../src/twin/apply.ts";
import { createRunClock } from "../../src/twin/clock.ts";
import { createCopyDispatcher } from "../../src/twin/copy-dispatcher.ts";
import { resources } from "../../src/twin/definitions.ts";
import { makePlan } from "../../src/twin/make-plan.ts";
import type { Plan, PlannedObject, PlannedOperation } from "../../src/twin/plan.ts";
import { plannedObjects } from "../../src/twin/operations.ts";
import { copyToken, openRun } from "../../src/twin/run.ts";
import type { Run } from "../../src/twin/run.ts";
import { createMask } from "../../src/twin/mask.ts";
import { addAssumed } from "../../src/twin/assumed.ts";
import { addNamespaces } from "../../src/twin/surroundings.ts";
import { seededRandom } from "../support/chance.ts";
import { emptyAccount, start } from "./accounts.ts";

export interface Compared {
  plan: Plan;
  /** Operations of the plan, and of the execution, as lines by object. */
  planned: Lines;
  executed: Lines;
  /** Destructive requests of the execution that the plan does not contain. */
  unannounced: string[];
}

type Lines = Record<string, string[]>;
type Pick = <T>(from: readonly T[]) => T;

const namespace = "default";

/** Plans and executes one random change. */
export async function live(seed: number): Promise<Compared> {
  const random = seededRandom(seed);
  const pick: Pick = (from) => {
    const found = from[Math.floor(random() * from.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  };
  const first = await openRun({ account: emptyAccount, start });
  addNamespaces(first.objects);
  const base = someManifests(pick, 1 + Math.floor(random() * 4));
  await settled(first, base);
  if (random() < 0.5) await drift(first, pick, random);
  const reads = await first.readCopy();
  const before = first.sent().length;
  const changed = changedManifests(base, pick, random);
  const existing = [...resources.values(), secrets, configMaps].flatMap((resource) => first.objects.list(resource));
  const plan = await makePlan({ account: reads, start: first.now(), existing, namespace, manifests: changed });
  await settled(first, changed);
  const sent = first.sent().slice(before);
  const mask = createMask({ objects: first.objects, account: reads, newIdsFrom: Infinity });
  const done = plannedObjects(sent, mask);
  await first.close();
  const [planned, executed] = [linesOf(plan.objects), linesOf(done)];
  return { plan, planned, executed, unannounced: unannounced(plan.objects, done) };
}

/** Applies manifests, and waits until the operator rests. */
async function settled(run: Run, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) apply(run.objects, manifest, namespace);
  addAssumed(run);
  run.start();
  await run.rest();
}

const drivable = kinds.filter(({ examples }) => examples.length > 0);

function someManifests(pick: Pick, count: number): Manifest[] {
  const chosen = Array.from({ length: count }, () => {
    const kind = pick(drivable);
    const example = pick(kind.examples);
    return { kind, name: example.name, example };
  });
  return manifestsOf(kinds, chosen).map(asManifest);
}

function asManifest(object: ExampleManifest): Manifest {
  return { file: "random.yaml", object: object as unknown as Record<string, unknown> };
}

/** Changes some specs as the examples of their kinds do, and adds objects. */
function changedManifests(base: readonly Manifest[], pick: Pick, random: () => number): Manifest[] {
  const changed = base.map((manifest) => (random() < 0.5 ? changedOf(manifest, pick) : manifest));
  const added = random() < 0.4 ? someManifests(pick, 1) : [];
  const names = new Set(base.map(nameOf));
  return [...changed, ...added.filter((one) => !names.has(nameOf(one)))];
}

function changedOf(manifest: Manifest, pick: Pick): Manifest {
  const { kind, spec } = manifest.object as { kind?: string; spec?: JsonObject };
  const changes = kinds
    .filter((one) => one.kind === kind)
    .flatMap(({ examples }) => examples.flatMap((example) => Object.values(example.changes ?? {})));
  if (changes.length === 0) return manifest;
  return { ...manifest, object: { ...manifest.object, spec: { ...spec, ...(pick(changes) as JsonObject) } } };
}

function nameOf({ object }: Manifest): string {
  return `${String(object["kind"])} ${(object["metadata"] as { name: string }).name}`;
}

/** Changes or deletes a row behind the operator's back. */
async function drift(run: Run, pick: Pick, random: () => number): Promise<void> {
  const clock = createRunClock(start);
  const url = "http://copy.invalid";
  const { dispatcher } = createCopyDispatcher({ copy: run.copy, clock, url, token: copyToken });
  const client = createCloudClient({ baseUrl: url, token: () => copyToken, brandWord: "compute", clock, dispatcher });
  const path = pick(["/networking/firewalls", "/domains", "/profile/sshkeys", "/compute/instances"]);
  const { rows } = await client.list(path);
  if (rows.length === 0) return;
  const id = `${pick(rows)["id"] as number}`;
  if (random() < 0.4) {
    await client.send("DELETE", `${path}/${id}`);
    // A plan in the middle of a deletion depends on its milliseconds.
    await run.rest();
  } else if (path === "/domains") await client.send("PUT", `${path}/${id}`, { soa_email: "drift@example.org" });
  else await client.send("PUT", `${path}/${id}`, { label: `drift-${id}`.slice(0, 32) });
}

/**
 * Returns the applied operations of each object as texts that are equal for equal operations of two accounts. The refusal
 * of a busy instance depends on the order of the responses.
 */
function linesOf(objects: readonly PlannedObject[]): Lines {
  const same = (text: string): string =>
    text.replaceAll(/"?(\(known after apply\)|(?<![\w+])(9|18)0\d{7}(?!\w))"?/g, "?");
  const textOf = ({ method, path, changes }: PlannedOperation): string =>
    same(`${method} ${path} ${JSON.stringify(changes.map(({ field, after }) => [field, after]))}`);
  const lines = objects.map(
    ({ kind, name, operations }) =>
      [
        `${kind} ${name}`,
        operations
          .filter(({ refused }) => refused === undefined)
          .map(textOf)
          .toSorted(),
      ] as const,
  );
  return Object.fromEntries(
    lines.filter(([, own]) => own.length > 0).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/** Returns the disruptive requests of the execution that the plan of the object does not announce. */
function unannounced(planned: readonly PlannedObject[], done: readonly PlannedObject[]): string[] {
  return done.flatMap(({ kind, namespace: of, name, disruption }) => {
    const known = planned.find((one) => one.kind === kind && one.namespace === of && one.name === name);
    return disruption.filter((one) => !known?.disruption.includes(one)).map((one) => `${kind} ${name}: ${one}`);
  });
}
