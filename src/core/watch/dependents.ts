/**
 * Layer `core/watch`: indexes that find the objects to wake after a change. The layer imports `core/kind` and `core/account`.
 *
 * This index keeps the references between objects, from the specs in the caches.
 *
 * Kinds declare references once. The index answers three questions: which objects to wake after a change of an object, which
 * objects block a deletion, and which objects a deleted referrer blocked. A reference by name has the key of an object as its
 * target. A reference by ID has the cloud object (`cloudKey`) as its target.
 */
import { disruptiveValues } from "../kind/fields.ts";
import type { KeyObject } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../../cluster/types.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import type { Kind } from "../kind/owned.ts";
import { recordIn } from "../kind/record.ts";
import { heldKindsOf, kindOf } from "../kind/reference.ts";
import { keyOf } from "../kind/resource.ts";
import { neutralSpec } from "../kind/neutral.ts";
import type { Neutral } from "../kind/neutral.ts";

export interface Relation {
  /** The referrer is a part of the target. The cloud deletes the referrer with the target. */
  contained: boolean;
  /** The referrer needs the target only for its creation, and the creation has no result yet. */
  creationOnly: boolean;
  /** False if the operator can delete the target before the referrer. */
  holds: boolean;
}

export interface Referrer extends Relation {
  key: string;
}

export type Targets = ReadonlyMap<string, Relation>;

const cloudMark = "#";

/** Returns the key of a cloud object among the targets of references. */
export function cloudKey(kind: string, id: string): string {
  return [cloudMark, kind, cloudMark, id].join("");
}

/** Returns the kind and the id in the key of a cloud object; undefined for the key of an object. */
export function parseCloudKey(key: string): { kind: string; id: string } | undefined {
  if (!key.startsWith(cloudMark)) return undefined;
  const end = key.indexOf(cloudMark, 1);
  return { kind: key.slice(1, end), id: key.slice(end + 1) };
}

const plainRelation: Relation = { contained: false, creationOnly: false, holds: true };
const noTargets: Targets = new Map();

export interface Dependents {
  /**
   * Replaces the references of an object. Undefined: the object is deleted. Returns the keys of the previous and the new targets.
   */
  update: (key: string, object: KubeObject | undefined) => string[];
  /** Returns the objects that refer to the key. */
  of: (key: string) => Referrer[];
  /** Returns the targets of an object in its current version. */
  targetsOf: (object: KubeObject) => Targets;
  /** Iterates over the keys of the referrers. An account has thousands of referrers, and an array would waste memory. */
  keysOf: (key: string) => Iterable<string>;
}

/** What the references of an object depend on besides the object. */
interface ReferenceFacts {
  kinds: ReadonlyMap<string, Kind>;
  neutral: Neutral;
  /** Proves the records of objects. */
  installationKey: KeyObject;
}

export function createDependents(given: ReferenceFacts): Dependents {
  const targetsOf = new Map<string, Targets>();
  const referrersOf = new Map<string, Map<string, Relation>>();
  // Thousands of objects refer only to their account. They share one map.
  const alone = new Map<string, Targets>();

  function shared(targets: Targets): Targets {
    const [first, ...more] = targets;
    if (first === undefined || more.length > 0 || first[1] !== plainRelation) return targets;
    const same = alone.get(first[0]) ?? targets;
    alone.set(first[0], same);
    return same;
  }

  function update(key: string, object: KubeObject | undefined): string[] {
    const before = targetsOf.get(key) ?? noTargets;
    const now = object ? targetsIn(given, object) : noTargets;
    for (const target of before.keys()) if (!now.has(target)) removeFrom(referrersOf, target, key);
    for (const [target, relation] of now) addTo(referrersOf, target, key, relation);
    if (now.size > 0) targetsOf.set(key, shared(now));
    else targetsOf.delete(key);
    for (const target of before.keys()) if (!referrersOf.has(target)) alone.delete(target);
    return [...new Set([...before.keys(), ...now.keys()])];
  }

  const of = (key: string): Referrer[] =>
    [...(referrersOf.get(key) ?? [])].map(([referrer, { contained, creationOnly, holds }]) => ({
      key: referrer,
      contained,
      creationOnly,
      holds,
    }));
  return {
    update,
    of,
    targetsOf: (object) => targetsIn(given, object),
    keysOf: (key) => referrersOf.get(key)?.keys() ?? [],
  };
}

/** Returns true if the object `key` refers to the object `other`, directly or through further references. */
export function waitsFor(dependents: Pick<Dependents, "of">, key: string, other: string): boolean {
  const waiting = new Set([other]);
  for (const one of waiting) for (const referrer of dependents.of(one)) waiting.add(referrer.key);
  return waiting.has(key);
}

function targetsIn(given: ReferenceFacts, object: KubeObject): Targets {
  if (object.kind === "CloudAccount") {
    const { tokenSecretRef } = (object.spec ?? {}) as Partial<AccountSpec>;
    return new Map(
      tokenSecretRef ? [[keyOf("Secret", object.metadata.namespace ?? "", tokenSecretRef.name), plainRelation]] : [],
    );
  }
  const kind = given.kinds.get(object.kind);
  return kind ? targets(given, kind, object) : noTargets;
}

/**
 * Returns true if the spec has a disruptive value that the operator has not applied. `field`: checks only the field. Returns
 * false for an adopted cloud object without recorded values.
 */
export function disrupts(
  kind: Pick<Kind, "fields">,
  spec: Record<string, unknown>,
  applied: Record<string, string> | undefined,
  field?: string,
): boolean {
  const wanted = applied && disruptiveValues(kind, spec);
  if (applied === undefined || wanted === undefined) return false;
  return field === undefined ? !isDeepStrictEqual(wanted, applied) : wanted[field] !== applied[field];
}

/** Returns the targets of an object. Ignores unreadable references, because a spec of an older schema can be invalid. */
function targets({ neutral, installationKey }: ReferenceFacts, kind: Kind, object: KubeObject): Targets {
  const found = new Map<string, Relation>();
  const namespace = object.metadata.namespace ?? "";
  const spec = neutralSpec(kind, object.spec ?? {}, neutral);
  const { id, applied, run } = recordIn(object, installationKey) ?? {};
  const exists = id !== undefined || run?.result !== undefined;
  for (const name of writtenSecrets(kind, object)) found.set(keyOf("Secret", namespace, name), plainRelation);
  const { accountRef } = spec as CommonSpec;
  found.set(keyOf("CloudAccount", accountRef?.namespace ?? namespace, accountRef?.name ?? "default"), plainRelation);
  for (const reference of Object.values(kind.references ?? {})) {
    try {
      const settled = reference.creationOnly === true && exists;
      const again = () => "secret" in reference && disrupts(kind, spec, applied, reference.neededFor);
      if (settled && !again()) continue;
      if ("secret" in reference) {
        const secret = reference.secret(spec);
        if (secret) found.set(keyOf(reference.in ?? "Secret", namespace, secret.name), plainRelation);
        continue;
      }
      const { contained = false } = reference;
      const creationOnly = kind.shape === "owned" && reference.creationOnly === true;
      for (const entry of [reference.from(spec) ?? []].flat()) {
        const { name, id: inCloud } = entry;
        if (name === undefined && inCloud === undefined) continue;
        const of = kindOf(reference, entry);
        const holds = heldKindsOf(reference).includes(of);
        const target = name === undefined ? cloudKey(of, inCloud ?? "") : keyOf(of, namespace, name);
        found.set(target, stronger(found.get(target), { contained, creationOnly, holds }));
      }
    } catch {
      // The reconcile of the object reports the invalid spec.
    }
  }
  return found;
}

/** Returns the relation of an object that refers to a target in two ways. The longer need counts. */
function stronger(one: Relation | undefined, other: Relation): Relation {
  if (!one || !one.holds) return other;
  return other.holds ? { ...other, creationOnly: one.creationOnly && other.creationOnly } : one;
}

/**
 * Returns the names of the Secrets that the operator writes for the object. A Secret of a different owner can block the write, so
 * its deletion must wake the object.
 */
export function writtenSecrets(kind: Kind, { metadata, spec = {} }: Pick<KubeObject, "metadata" | "spec">): string[] {
  const { name, namespace = "" } = metadata;
  try {
    const generated = Object.values(kind.references ?? {}).flatMap((reference) =>
      "secret" in reference && !reference.secret(spec) ? (reference.generate?.(spec, name)?.name ?? []) : [],
    );
    const { secret } = kind;
    const isPublished = secret?.when?.({ spec }) ?? true;
    return [...generated, ...(secret && isPublished ? [secret.name({ name, namespace, spec, refs: {} })] : [])];
  } catch {
    return [];
  }
}

type Index = Map<string, Map<string, Relation>>;

function addTo(index: Index, target: string, key: string, relation: Relation): void {
  const referrers = index.get(target) ?? new Map<string, Relation>();
  index.set(target, referrers.set(key, relation));
}

function removeFrom(index: Index, target: string, key: string): void {
  const referrers = index.get(target);
  referrers?.delete(key);
  if (referrers?.size === 0) index.delete(target);
}
