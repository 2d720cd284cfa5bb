/** Resolves the references of a spec, by the name of a custom resource or by ID. */
import { nameOf } from "../kind/naming.ts";
import { absenceOf, statusOf } from "../kind/object.ts";
import type { JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Snapshot } from "../../observe/types.ts";
import { kindOf } from "../kind/reference.ts";
import type { Copied, ObjectReferenceTo, ReferenceEntry, Resolved } from "../kind/reference.ts";
import { keyOfObject } from "../kind/resource.ts";
import { waitsFor } from "../watch/dependents.ts";
import { fixedCollectionOf, recordedCollectionOf } from "../model/note-claim.ts";
import { statedEntryIn } from "../model/journal.ts";
import { isAnother, isLasting, originOf } from "../model/origin.ts";
import { accountOf } from "../model/owners.ts";
import { Invalid, Stalled, Waiting } from "../kind/outcome.ts";
import { bindTo } from "./bound.ts";
import { requireOwn } from "./grants.ts";
import type { Connected } from "../model/context.ts";
import { collectionOf } from "../model/context.ts";
import type { Needs } from "./external.ts";
import { resolveExternal } from "./external.ts";
import { unusedBecause, usedOf } from "../model/referred.ts";

type ObjectSpec = Record<string, unknown>;

/**
 * Resolves all entries of a reference. Throws `Waiting` if a referenced object does not exist yet, and `Invalid` if the
 * user must correct the reference.
 */
export async function resolveObjects(
  ctx: Connected,
  name: string,
  reference: ObjectReferenceTo<ObjectSpec>,
  needs: Needs,
): Promise<Resolved | Resolved[] | undefined> {
  const wanted = reference.from(ctx.spec);
  if (wanted === undefined) return undefined;
  if (!Array.isArray(wanted)) return resolveObject(ctx, `spec.${name}`, reference, wanted, needs);
  const fields = reference.fields?.(ctx.spec);
  const found = wanted.map((one, index) => {
    const field = `spec.${fields?.[index] ?? `${name}[${index}]`}`;
    const resolved = resolveObject(ctx, field, reference, one, { ...needs, oneOfMany: true });
    return needs.partly ? resolved.catch(leftOut) : resolved;
  });
  return (await Promise.all(found)).filter((one) => one !== undefined);
}

function leftOut(error: unknown): undefined {
  if (!(error instanceof Waiting || error instanceof Invalid)) throw error;
}

/** Resolves one reference. Throws as `resolveObjects` does. `field`: the reference in the spec, for messages. */
export async function resolveObject(
  ctx: Connected,
  field: string,
  reference: ObjectReferenceTo<ObjectSpec>,
  entry: ReferenceEntry,
  { creating = false, anew: isAnew, oneOfMany = false }: Needs,
): Promise<Resolved> {
  const { name, id } = entry;
  const { creationOnly, copies } = reference;
  const kind = kindOf(reference, entry);
  const anew = isAnew ?? (creating && (creationOnly || ctx.kind.shape === "once"));
  if (id !== undefined) return resolveExternal(ctx, `${field}.id`, kind, id, { creating, anew, oneOfMany });
  const { caches, kinds } = ctx.environment;
  const namespace = ctx.object.metadata.namespace ?? "";
  const object = caches.get(kind)?.get({ namespace, name: name ?? "" });
  if (!caches.has(kind)) throw disabled(field, kind, reference);
  const what = `${field}.name: ${kind} ${name}`;
  if (!object)
    throw new Waiting(
      "WaitingForReference",
      `${what} does not exist in namespace ${namespace}. Create it, or correct the reference`,
    );
  const theirs = accountOf(object);
  // The user can change either object, so the operator waits for both.
  if (theirs !== ctx.session.account)
    throw new Waiting(
      "WaitingForReference",
      `${what} uses CloudAccount ${theirs}, but this object uses ${ctx.session.account}. Both must use the same CloudAccount. Create one of the two again with the other spec.accountRef, or correct the reference`,
    );
  requireOwn(ctx, `${field}.name`, object);
  bindTo(ctx, field, object);
  const { id: own, origin } = usedOf(ctx.environment, object);
  const of = kinds.get(kind);
  // Only a reference for a creation reads the signed journal entry: the check of a signature takes time.
  const list = of && (creationOnly ? recordedCollectionOf(ctx.environment, of, object) : fixedCollectionOf(of));
  const { why, row } = await standingOf(ctx, object, list, { anew, isRead: anew || creating || copies !== undefined });
  if (why !== undefined) throw waitsForReference(`${what} ${why}`);
  const found: Resolved = {
    id: own ?? "",
    entry,
    name: object.metadata.name,
    ...(reference.kinds && { kind }),
    ...(list !== undefined && { list }),
    ...(origin !== undefined && { origin }),
    ...(copies && row && { row }),
    status: statusOf(object) as unknown as JsonObject,
    spec: (object.spec ?? {}) as JsonObject,
  };
  return copies ? { ...found, value: copiedValue(field, what, copies(entry, found)) } : found;
}

function disabled(field: string, kind: string, { kinds }: ObjectReferenceTo<ObjectSpec>): Stalled {
  const cure = kinds ? "Enable the kind" : "Use {id: …}, or enable the kind";
  const text = `${field}.name: the kind ${kind} is disabled in this operator (--disabled-kind). ${cure}`;
  return new Stalled("NotPermitted", text);
}

/**
 * Returns the copied value. Throws `Waiting` while the object has no value, and `Invalid` if the object cannot have a
 * value.
 */
function copiedValue(field: string, what: string, copy: Copied): string {
  if ("misfit" in copy) throw new Invalid(field, `${what.slice(`${field}.name: `.length)} ${copy.misfit}`);
  if ("lacks" in copy) throw waitsForReference(`${what} ${copy.lacks}. The operator sends nothing until it does`);
  return copy.value;
}

function waitsForReference(text: string): Waiting {
  return new Waiting("WaitingForReference", text, undefined, { byItself: true });
}

const nothingKnown: Pick<Snapshot, "rows" | "unreadable"> = { rows: new Map(), unreadable: new Map() };

interface Standing {
  why?: string | undefined;
  row?: JsonObject | undefined;
}

/**
 * Returns why a reference cannot use the cloud object of `object`, or the row. The cloud can have assigned the ID
 * again, so the origin must match. `anew`: ignores earlier lists. `isRead`: reads a row that is not in the list.
 */
async function standingOf(
  ctx: Connected,
  object: KubeObject,
  path: string | undefined,
  { anew, isRead }: { anew: boolean; isRead: boolean },
): Promise<Standing> {
  const { environment, session, startedAt: after, urgent } = ctx;
  const { id, origin } = usedOf(environment, object);
  const name = nameOf(environment.kinds.get(object.kind) ?? object, id);
  const gone = (what: string) => ({
    why: `has no cloud object any more: ${name} ${what}. Read the conditions of that object`,
  });
  if (object.metadata.deletionTimestamp !== undefined)
    return { why: "is being deleted. Create it again, or correct the reference" };
  if (id === undefined) return { why: whyUnused(ctx, object) };
  if (statedEntryIn(object)?.previous === id) return { why: `waits for a replacement: ${name} no longer exists` };
  const absence = absenceOf(statusOf(object));
  if (absence !== undefined)
    return gone(absence === "Missing" ? "no longer exists" : "is not visible to the user of the token");
  const kind = environment.kinds.get(object.kind);
  if (kind?.shape !== "owned" || path === undefined) return {};
  const of = collectionOf(kind, path);
  const { rows, unreadable } = anew ? nothingKnown : await session.observer.snapshot(of, { urgent });
  // An unreadable row proves existence.
  if (unreadable.has(id)) return {};
  const row = rows.get(id) ?? (isRead ? await session.observer.read(of, id, { after, urgent }) : undefined);
  if (!row) return isRead ? gone("no longer exists") : {};
  return isAnother(origin, originOf(kind, row)) && isLasting(kind)
    ? gone("is now a different cloud object with the same ID")
    : { row };
}

function whyUnused({ environment, next, key }: Connected, object: KubeObject): string {
  if (next.id === undefined && waitsFor(environment.dependents, keyOfObject(object), key))
    return "has no cloud object and waits for this object, so each waits for the other. Delete one of the two, and create it again without this reference";
  return unusedBecause(environment, object);
}
