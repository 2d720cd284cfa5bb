/** Finding the cloud objects that a spec refers to, by the name of an object or by an id. */
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import type { NamedReference } from "../kind/schema.ts";
import type { ObjectReferenceTo, Resolved } from "../kind/reference.ts";
import { keyOfObject } from "../kind/resource.ts";
import { absenceOf } from "./conditions.ts";
import { waitsFor } from "./dependents.ts";
import { fixedCollectionOf, recordedCollectionOf } from "../claim/note-claim.ts";
import { intentOf } from "../claim/intent.ts";
import { isAnother, isLasting, originOf } from "../claim/origin.ts";
import { accountOf } from "../claim/ownership.ts";
import { Invalid, Stalled, Waiting } from "../kind/outcome.ts";
import { requireOwn } from "../read/leave.ts";
import type { Connected } from "./reconciliation.ts";
import { collectionOf, statusOf } from "./reconciliation.ts";
import type { Needs } from "./external.ts";
import { resolveExternal } from "./external.ts";
import { unusedBecause, usedOf } from "./referred.ts";

type Spec = Record<string, unknown>;

/** Throws `Waiting` for what is not there yet, `Invalid` for what cannot be meant. */
export async function resolveObjects(
  at: Connected,
  name: string,
  reference: ObjectReferenceTo<Spec>,
  needs: Needs,
): Promise<Resolved | Resolved[] | undefined> {
  const wanted = reference.from(at.spec);
  if (wanted === undefined) return undefined;
  const field = `spec.${name}`;
  const within = reference.entryField === undefined ? "" : `.${reference.entryField}`;
  return Array.isArray(wanted)
    ? Promise.all(
        wanted.map((one, index) =>
          resolveObject(at, `${field}[${index}]${within}`, reference, one, { ...needs, oneOfMany: true }),
        ),
      )
    : resolveObject(at, field, reference, wanted, needs);
}

/** Resolves one reference. Throws as `resolveObjects` does. `field`: the reference in the spec, for messages. */
export async function resolveObject(
  at: Connected,
  field: string,
  { kind, creationOnly }: Pick<ObjectReferenceTo<Spec>, "kind" | "creationOnly">,
  { name, id }: NamedReference,
  { creating = false, anew = creating && (creationOnly || at.kind.shape === "once"), oneOfMany = false }: Needs,
): Promise<Resolved> {
  if (id !== undefined) return resolveExternal(at, `${field}.id`, kind, id, { creating, anew, oneOfMany });
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
  requireOwn(at, `${field}.name`, object);
  const { id: own, origin } = usedOf(at.environment, object);
  const of = kinds.get(kind);
  // What is needed only to create is resolved for a creation alone: nobody else pays for reading the signed intent.
  const list = of && (creationOnly ? recordedCollectionOf(at.environment, of, object) : fixedCollectionOf(of));
  const why = await missingOf(at, object, list, { anew, creating });
  if (why !== undefined) throw new Waiting("WaitingForReference", `${what} ${why}`, undefined, { byItself: true });
  return {
    id: own ?? "",
    name: object.metadata.name,
    ...(list !== undefined && { list }),
    ...(origin !== undefined && { origin }),
    status: statusOf(object) as unknown as JsonObject,
    spec: (object.spec ?? {}) as JsonObject,
  };
}

const nothingKnown: Pick<Snapshot, "rows" | "unreadable"> = { rows: new Map(), unreadable: new Map() };

/**
 * Why the cloud object of this object cannot be used; undefined where it can. Its id may mean another one by now, which would
 * be changed in its place; what is copied is read `anew`, and so is, before a creation, what the list does not show.
 */
async function missingOf(
  at: Connected,
  object: KubeObject,
  path: string | undefined,
  { anew, creating }: { anew: boolean; creating: boolean },
): Promise<string | undefined> {
  const { environment, session, startedAt: after, urgent } = at;
  if (object.metadata.deletionTimestamp !== undefined)
    return "is being deleted. Create it again, or correct the reference";
  const { id, origin } = usedOf(environment, object);
  if (id === undefined && at.next.id === undefined && waitsFor(environment.dependents, keyOfObject(object), at.key))
    return "has no cloud object, and waits for this object. Neither is created. Create one of them again without this reference";
  if (id === undefined) return unusedBecause(environment, object);
  if (intentOf(object)?.previous === id) return `is being created again: ${id} does not exist any more`;
  const gone = (what: string) => `is missing in the cloud: ${id} ${what}. Its own condition says what to do`;
  const absence = absenceOf(statusOf(object));
  if (absence !== undefined)
    return gone(absence === "Missing" ? "does not exist any more" : "is not visible to the token's user");
  const kind = environment.kinds.get(object.kind);
  if (kind?.shape !== "owned" || path === undefined) return undefined;
  const of = collectionOf(kind, path);
  const { rows, unreadable } = anew ? nothingKnown : await session.observer.snapshot(of, { urgent });
  // What cannot be read is there.
  if (unreadable.has(id)) return undefined;
  const isRead = anew || creating;
  const row = rows.get(id) ?? (isRead ? await session.observer.read(of, id, { after, urgent }) : undefined);
  if (!row) return isRead ? gone("does not exist any more") : undefined;
  return isAnother(origin, originOf(kind, row)) && isLasting(kind) ? gone("is another cloud object by now") : undefined;
}
