/**
 * Layer `core/watch`: indexes that show which change wakes which object. The layer imports `core/kind` and `core/account`.
 *
 * Keeps which objects refer to which, from the specs in the caches.
 *
 * Kinds declare references once. This index answers three questions that follow from them: which objects to wake when an object
 * changes, which objects hold an object that is to be deleted, and which objects a deleted referrer held. A reference by name
 * leads to the key of an object. A reference by id leads to the cloud object (`cloudKey`), whichever object manages it.
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
  /** It is part of what it refers to and goes with it. */
  contained: boolean;
  /** It needs what it refers to for its creation alone, which has no result yet. */
  creationOnly: boolean;
  /** False if what it refers to can be deleted first. */
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

const plain: Relation = { contained: false, creationOnly: false, holds: true };
const none: Targets = new Map();

export interface Dependents {
  /** Takes up the references of an object as it is now; undefined: it is gone. Answers the keys it referred to before and now. */
  update: (key: string, object: KubeObject | undefined) => string[];
  /** Those who refer to this key. */
  of: (key: string) => Referrer[];
  /** What an object refers to, as it is. */
  targetsOf: (object: KubeObject) => Targets;
  /** Their keys, one after the other: an account has thousands. */
  keysOf: (key: string) => Iterable<string>;
}

/** What the references of an object depend on besides the object. */
interface Given {
  kinds: ReadonlyMap<string, Kind>;
  neutral: Neutral;
  /** Proves the records of objects. */
  installationKey: KeyObject;
}

export function createDependents(given: Given): Dependents {
  const targetsOf = new Map<string, Targets>();
  const referrersOf = new Map<string, Map<string, Relation>>();
  // Thousands refer to their account alone: they share one.
  const alone = new Map<string, Targets>();

  function shared(targets: Targets): Targets {
    const [first, ...more] = targets;
    if (first === undefined || more.length > 0 || first[1] !== plain) return targets;
    const same = alone.get(first[0]) ?? targets;
    alone.set(first[0], same);
    return same;
  }

  function update(key: string, object: KubeObject | undefined): string[] {
    const before = targetsOf.get(key) ?? none;
    const now = object ? targetsIn(given, object) : none;
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

/** True where an object refers to the other, itself or by what it refers to. */
export function waitsFor(dependents: Pick<Dependents, "of">, key: string, other: string): boolean {
  const waiting = new Set([other]);
  for (const one of waiting) for (const referrer of dependents.of(one)) waiting.add(referrer.key);
  return waiting.has(key);
}

function targetsIn(given: Given, object: KubeObject): Targets {
  if (object.kind === "CloudAccount") {
    const { tokenSecretRef } = (object.spec ?? {}) as Partial<AccountSpec>;
    return new Map(
      tokenSecretRef ? [[keyOf("Secret", object.metadata.namespace ?? "", tokenSecretRef.name), plain]] : [],
    );
  }
  const kind = given.kinds.get(object.kind);
  return kind ? targets(given, kind, object) : none;
}

/** True where the spec asks for something disruptive that was not applied yet, of this field or any. Nothing of what was adopted is. */
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

/** Keys that an object refers to. A spec of an older schema may not parse: what cannot be read is no reference. */
function targets({ neutral, installationKey }: Given, kind: Kind, object: KubeObject): Targets {
  const found = new Map<string, Relation>();
  const namespace = object.metadata.namespace ?? "";
  const spec = neutralSpec(kind, object.spec ?? {}, neutral);
  const { id, applied, run } = recordIn(object, installationKey) ?? {};
  const exists = id !== undefined || run?.result !== undefined;
  for (const name of writtenSecrets(kind, object)) found.set(keyOf("Secret", namespace, name), plain);
  const { accountRef } = spec as CommonSpec;
  found.set(keyOf("CloudAccount", accountRef?.namespace ?? namespace, accountRef?.name ?? "default"), plain);
  for (const reference of Object.values(kind.references ?? {})) {
    try {
      const settled = reference.creationOnly === true && exists;
      const again = () => "secret" in reference && disrupts(kind, spec, applied, reference.neededFor);
      if (settled && !again()) continue;
      if ("secret" in reference) {
        const secret = reference.secret(spec);
        if (secret) found.set(keyOf(reference.in ?? "Secret", namespace, secret.name), plain);
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
      // The reconcile of this object reports what is wrong with its spec.
    }
  }
  return found;
}

/** Returns the relation of an object that refers to another object in two ways. The longer need counts. */
function stronger(one: Relation | undefined, other: Relation): Relation {
  if (!one || !one.holds) return other;
  return other.holds ? { ...other, creationOnly: one.creationOnly && other.creationOnly } : one;
}

/** Secrets that are written for the object: where somebody else's stands in the way, its deletion is news. */
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
