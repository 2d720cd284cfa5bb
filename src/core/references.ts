/** Finding what a spec refers to: objects of this namespace with their identifiers, and values of Secrets. */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../api/types.ts";
import type { NamedReference } from "./schema.ts";
import type { ObjectReferenceTo, Resolved, SecretReferenceTo } from "./define-kind.ts";
import { keyOf, parseKey } from "./environment.ts";
import { Invalid, Waiting } from "./outcome.ts";
import { accountOf, requireExisting } from "./ownership.ts";
import type { AnyWanted, Connected } from "./reconciliation.ts";
import { statusOf } from "./reconciliation.ts";
import { generatedSecret } from "./secrets.ts";

type Spec = Record<string, unknown>;

/**
 * Resolves every reference of the kind. `creating`: a creation follows, which needs its Secrets; what is there already,
 * or is searched for, is found without them.
 * Throws `Waiting` for what is not there yet, `Invalid` for what cannot be meant.
 */
export async function resolveReferences(at: Connected, creating = false): Promise<AnyWanted> {
  const refs: Record<string, Resolved | Resolved[] | string | undefined> = {};
  for (const [name, reference] of Object.entries(at.kind.references ?? {})) {
    refs[name] =
      "secret" in reference ? await resolveSecret(at, reference, creating) : resolveObjects(at, name, reference);
  }
  const { name, namespace = "" } = at.object.metadata;
  return { name, namespace, spec: at.spec, refs: refs as Record<string, never> };
}

function resolveObjects(
  at: Connected,
  field: string,
  reference: ObjectReferenceTo<Spec>,
): Resolved | Resolved[] | undefined {
  const wanted = reference.from(at.spec);
  if (wanted === undefined) return undefined;
  return Array.isArray(wanted)
    ? wanted.map((one) => resolveObject(at, field, reference.kind, one))
    : resolveObject(at, field, reference.kind, wanted);
}

function resolveObject(at: Connected, field: string, kind: string, { name, id }: NamedReference): Resolved {
  if (id !== undefined) return resolveExternal(at, field, kind, id);
  const { caches } = at.environment;
  const namespace = at.object.metadata.namespace ?? "";
  const object = caches.get(kind)?.get({ namespace, name: name ?? "" });
  if (!object) throw new Waiting("WaitingForReference", `${kind} ${name} does not exist in namespace ${namespace}`);
  if (accountOf(object) !== at.session.account) {
    throw new Invalid(`spec.${field}`, `${kind} ${name} belongs to another CloudAccount (${accountOf(object)})`);
  }
  if (object.metadata.deletionTimestamp !== undefined)
    throw new Waiting("WaitingForReference", `${kind} ${name} is being deleted`);
  const status = statusOf(object);
  if (status.id === undefined) throw new Waiting("WaitingForReference", `${kind} ${name} has no cloud object yet`);
  return { id: status.id, name: object.metadata.name, status: status as unknown as JsonObject };
}

function resolveExternal(at: Connected, field: string, kind: string, id: string): Resolved {
  const { environment, session } = at;
  requireExisting(at, `spec.${field}`);
  const manager = environment.recorded
    .of(kind, id)
    .map((key) => environment.caches.get(kind)?.get(parseKey(key)))
    .find((object) => object !== undefined && accountOf(object) === session.account);
  if (manager)
    throw new Invalid(
      `spec.${field}`,
      `${kind} ${id} is managed by ${manager.metadata.namespace}/${manager.metadata.name}; refer to it by name`,
    );
  return { id };
}

async function resolveSecret(
  at: Connected,
  reference: SecretReferenceTo<Spec>,
  creating: boolean,
): Promise<string | undefined> {
  const chosen = reference.secret(at.spec);
  if (chosen) return secretValue(at, chosen.name, chosen.key ?? reference.key, creating);
  const generated = reference.generate?.(at.spec, at.object.metadata.name);
  // A generated value serves a creation or a rebuild; nothing else asks for it, so nothing else reads it.
  return generated && (creating || disruptionPending(at)) ? generatedSecret(at, generated) : undefined;
}

/** The value; undefined where a Secret that served the creation was removed since: a step that needs it says so. */
async function secretValue(
  { environment, object }: Connected,
  name: string,
  key: string,
  creating: boolean,
): Promise<string | undefined> {
  const namespace = object.metadata.namespace ?? "";
  const secret = await environment.secrets.read({ namespace, name });
  const value = secret?.data[key];
  if (value === undefined && creating) {
    const what = secret ? `Secret ${name} has no key ${key}` : `Secret ${name} does not exist`;
    throw new Waiting("WaitingForSecret", `${what} in namespace ${namespace}`);
  }
  return value;
}

function disruptionPending({ kind, spec, next }: Connected): boolean {
  return next.applied !== undefined && !isDeepStrictEqual(kind.disruptive?.(spec), next.applied);
}

/** Objects that hold `at.object`: they refer to it, are not part of it, and exist. */
export function holders(at: Connected): string[] {
  const { dependents, caches } = at.environment;
  const self = keyOf(at.object.kind, at.object.metadata.namespace ?? "", at.object.metadata.name);
  return dependents
    .of(self)
    .filter(({ contained }) => !contained)
    .map(({ key }) => parseKey(key))
    .filter((ref) => caches.get(ref.kind)?.get(ref) !== undefined)
    .map(({ kind, name }) => `${kind} ${name}`);
}
