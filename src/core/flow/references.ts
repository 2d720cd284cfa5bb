/** Finding what a spec refers to: objects of this namespace with their identifiers, and values of Secrets. */
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { NamedReference } from "../kind/schema.ts";
import type { ObjectReferenceTo, Resolved, SecretReferenceTo } from "../kind/reference.ts";
import { keyOfObject, parseKey } from "../kind/resource.ts";
import { readyOf } from "./conditions.ts";
import { disrupts, waitsFor } from "./dependents.ts";
import { fixedCollectionOf, recordedCollectionOf } from "../claim/note-claim.ts";
import { intentOf } from "../claim/intent.ts";
import { isAnother, isLasting, originOf } from "../claim/origin.ts";
import { accountOf } from "../claim/ownership.ts";
import { Invalid, Stalled, Waiting } from "../kind/outcome.ts";
import type { AnyWanted, Connected } from "./reconciliation.ts";
import { collectionOf, specOf, statusOf } from "./reconciliation.ts";
import { resolveExternal } from "./external.ts";
import { unusedBecause, usedOf } from "./referred.ts";
import { generatedSecret, refuseBytes } from "../custody/secrets.ts";

type Spec = Record<string, unknown>;

/**
 * Resolves the references of the kind. `creating`: a creation follows, which needs its Secrets and what is needed
 * only to create; what is there already, or is searched for, is found without them.
 * Throws `Waiting` for what is not there yet, `Invalid` for what cannot be meant.
 */
export async function resolveReferences(at: Connected, creating = false): Promise<AnyWanted> {
  const refs: Record<string, Resolved | Resolved[] | string | undefined> = {};
  for (const [name, reference] of Object.entries(at.kind.references ?? {})) {
    if (!creating && reference.creationOnly && !("secret" in reference && disruptionPending(at, reference.neededFor)))
      continue;
    refs[name] =
      "secret" in reference
        ? await resolveSecret(at, name, reference, creating)
        : await resolveObjects(at, name, reference, creating);
  }
  const { name, namespace = "" } = at.object.metadata;
  return { name, namespace, spec: at.spec, refs: refs as Record<string, never> };
}

async function resolveObjects(
  at: Connected,
  name: string,
  reference: ObjectReferenceTo<Spec>,
  creating: boolean,
): Promise<Resolved | Resolved[] | undefined> {
  const wanted = reference.from(at.spec);
  if (wanted === undefined) return undefined;
  const field = `spec.${name}`;
  const within = reference.entryField === undefined ? "" : `.${reference.entryField}`;
  return Array.isArray(wanted)
    ? Promise.all(
        wanted.map((one, index) => resolveObject(at, `${field}[${index}]${within}`, reference, one, creating)),
      )
    : resolveObject(at, field, reference, wanted, creating);
}

async function resolveObject(
  at: Connected,
  field: string,
  { kind, creationOnly }: Pick<ObjectReferenceTo<Spec>, "kind" | "creationOnly">,
  { name, id }: NamedReference,
  creating: boolean,
): Promise<Resolved> {
  if (id !== undefined) return resolveExternal(at, `${field}.id`, kind, id, creating);
  const { caches, kinds } = at.environment;
  const namespace = at.object.metadata.namespace ?? "";
  const object = caches.get(kind)?.get({ namespace, name: name ?? "" });
  if (!caches.has(kind))
    throw new Stalled(
      "NotPermitted",
      `${field}.name: the kind ${kind} is disabled in this operator (--disabled-kind). Use {id: …}, or enable the kind`,
    );
  const what = `${field}.name: ${kind} ${name}`;
  if (!object)
    throw new Waiting(
      "WaitingForReference",
      `${what} does not exist in namespace ${namespace}. Create it, or correct the reference`,
    );
  if (accountOf(object) !== at.session.account)
    throw new Invalid(
      `${field}.name`,
      `${kind} ${name} belongs to another CloudAccount (${accountOf(object)}). Refer to one of ${at.session.account}`,
    );
  const { id: own } = usedOf(at.environment, object);
  const of = kinds.get(kind);
  // What is needed only to create is resolved for a creation alone: nobody else pays for reading the signed intent.
  const list = of && (creationOnly ? recordedCollectionOf(at.environment, of, object) : fixedCollectionOf(of));
  const why = await missingOf(at, object, list, creating && (creationOnly || at.kind.shape === "once"));
  if (why !== undefined) throw new Waiting("WaitingForReference", `${what} ${why}`, undefined, { byItself: true });
  return {
    id: own ?? "",
    name: object.metadata.name,
    ...(list !== undefined && { list }),
    status: statusOf(object) as unknown as JsonObject,
    spec: (object.spec ?? {}) as JsonObject,
  };
}

/**
 * Why the cloud object of this object cannot be used; undefined where it can. Its id may mean another one by now, which would
 * be changed in its place; what is copied is read `anew`.
 */
async function missingOf(at: Connected, object: KubeObject, path?: string, anew = false): Promise<string | undefined> {
  const { environment, session, startedAt: after, urgent } = at;
  if (object.metadata.deletionTimestamp !== undefined)
    return "is being deleted. Create it again, or correct the reference";
  const { id, origin } = usedOf(environment, object);
  if (id === undefined && at.next.id === undefined && waitsFor(environment.dependents, keyOfObject(object), at.key))
    return "has no cloud object, and waits for this object. Neither is created. Create one of them again without this reference";
  if (id === undefined) return unusedBecause(environment, object);
  if (intentOf(object)?.previous === id) return `is being created again: ${id} does not exist any more`;
  const gone = (what: string) => `is missing in the cloud: ${id} ${what}. Its own condition says what to do`;
  const ready = readyOf(statusOf(object).conditions);
  if (ready?.status !== "True" && ready?.reason === "Missing") return gone("does not exist any more");
  const kind = environment.kinds.get(object.kind);
  if (kind?.shape !== "owned" || path === undefined) return undefined;
  const of = collectionOf(kind, path);
  const known = async () => (await session.observer.snapshot(of, { urgent })).rows.get(id);
  const row = await (anew ? session.observer.read(of, id, { after, urgent }) : known());
  if (!row) return anew ? gone("does not exist any more") : undefined;
  return isAnother(origin, originOf(kind, row)) && isLasting(kind) ? gone("is another cloud object by now") : undefined;
}

async function resolveSecret(
  at: Connected,
  field: string,
  reference: SecretReferenceTo<Spec>,
  creating: boolean,
): Promise<string | undefined> {
  const { name, key = reference.key } = reference.secret(at.spec) ?? {};
  if (name !== undefined) return secretValue(at, { ...reference, field: reference.says ?? field, name, key }, creating);
  const generated = reference.generate?.(at.spec, at.object.metadata.name);
  // A generated value serves a creation or a rebuild; nothing else asks for it, so nothing else reads it.
  return generated && (creating || disruptionPending(at)) ? generatedSecret(at, generated) : undefined;
}

interface ValueReference extends Pick<SecretReferenceTo<Spec>, "in" | "encoding"> {
  field: string;
  name: string;
  key: string;
}

/** The value; undefined where a Secret that served the creation was removed since: a step that needs it reports that. */
async function secretValue(
  at: Connected,
  { field, name, key, encoding, in: from = "Secret" }: ValueReference,
  creating: boolean,
): Promise<string | undefined> {
  const { environment, object } = at;
  const namespace = object.metadata.namespace ?? "";
  const found = await (from === "Secret" ? environment.secrets : environment.configMaps).read({ namespace, name });
  const value = encoding ? found?.encoded[key] : found?.data[key];
  if (value === undefined && found && (creating || disruptionPending(at))) refuseBytes(found, key, `spec.${field}`);
  if (value === undefined && creating) {
    const what = found ? `${from} ${name} has no key ${key}` : `${from} ${name} does not exist`;
    const cure = found ? "Store the value under this key" : "Create it";
    const reason = from === "Secret" ? "WaitingForSecret" : "WaitingForReference";
    throw new Waiting(reason, `spec.${field}: ${what} in namespace ${namespace}. ${cure}, or correct the reference`);
  }
  return value;
}

function disruptionPending({ kind, spec, next }: Connected, field?: string): boolean {
  return disrupts(kind, spec, next.applied, field);
}

/**
 * Objects that hold `at.object`: they refer to it and exist. What is part of it goes with it, so that holds only where
 * it is to be left as it is.
 */
export function holders(at: Connected): string[] {
  const { dependents, caches } = at.environment;
  return dependents.of(keyOfObject(at.object)).flatMap(({ key, contained, creationOnly }) => {
    const ref = parseKey(key);
    const object = caches.get(ref.kind)?.get(ref);
    if (!object || (creationOnly && !mayCreate(at, key, object))) return [];
    const { protect, policy } = specOf(object).management ?? {};
    const kept = protect ? " (protected)" : policy === "Paused" ? " (paused)" : undefined;
    return contained && kept === undefined ? [] : [`${ref.kind} ${ref.name}${kept ?? ""}`];
  });
}

/** False for a creation that has not begun, or that came to nothing and waits again: it does not begin while this is being deleted. */
function mayCreate({ environment: { claims, memory } }: Connected, key: string, object: KubeObject): boolean {
  if (memory.of(object.metadata.uid).claiming !== undefined) return true;
  return claims.of(key) !== undefined && readyOf(statusOf(object).conditions)?.reason !== "WaitingForReference";
}
