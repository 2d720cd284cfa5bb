/**
 * Permissions of the namespace of an object. Every name of a cloud object in a spec passes `requireNames`. Every kind and every
 * step passes `requireReach`.
 */
import { isOwnAttempt } from "../model/journal.ts";
import { ownershipOf } from "../model/ownership.ts";
import { recordOf } from "../model/known.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { ownerOf } from "../model/owners.ts";
import { disrupts } from "../watch/dependents.ts";
import type { Environment } from "../model/environment.ts";
import { collectionOf } from "../model/context.ts";
import type { Connected } from "../model/context.ts";
import { wholeList } from "./whole-list.ts";
import { collectionOfIds } from "../model/referred.ts";
import type { CloudName } from "../kind/leaf-class.ts";
import { Stalled } from "../kind/outcome.ts";
import { reachOf, stepReach } from "../kind/reach.ts";
import type { Reach, Reaching } from "../kind/reach.ts";
import { cloudNamesIn } from "../model/names.ts";
import type { NameInSpec } from "../model/names.ts";
import { grantsFor, notPermittedTo } from "./grants.ts";
import type { Asking } from "./grants.ts";
import { isPart } from "./parts.ts";

/** Throws `Stalled` if a kind, or a step, has a reach beyond the permissions of the namespace. */
export function requireReach(ctx: Connected, { reach, because }: Reaching = reachOf(ctx.kind, ctx.spec)): void {
  const leave = grantsFor(ctx);
  if (reach === "existing" && !leave.existing) throw notPermittedTo(ctx, because, "existing");
  if (reach === "account" && !leave.accountWide) throw notPermittedTo(ctx, because, "accountWide");
}

export function requireStepReach(ctx: Connected, name: string, step: { reach: Reach }): void {
  requireReach(ctx, stepReach(ctx.kind, name, step));
}

/**
 * Throws `Stalled` if the spec names a cloud object that the namespace may not use. The namespace of the account may use every
 * name, without a read. `creating`: a creation follows, which also uses names with `creationOnly`.
 */
export async function requireNames(ctx: Connected, { creating = false } = {}): Promise<void> {
  const { kind, object } = ctx;
  // The reset of a setting uses the recorded ID, not the spec.
  const isReset = kind.shape === "setting" && object.metadata.deletionTimestamp !== undefined;
  if (grantsFor(ctx).existing || isReset) return;
  if (adoptsExisting(ctx)) requireAdoption(ctx);
  const named = cloudNamesIn(ctx.kind, ctx.spec).filter(({ name }) => creating || isUsed(ctx, name));
  const unproven = named.filter(({ name, value }) => !mayName(ctx, name, value));
  for (const one of named) if (!unproven.includes(one)) await requireUnreleased(ctx, one);
  for (const one of unproven) if (!one.name.within) throw nameRefusal(ctx, one);
  for (const one of unproven) if (!(await isPart(ctx, one))) throw nameRefusal(ctx, one);
  if (creating) await requireApart(ctx);
}

/** Throws `Stalled` if a new cloud object takes effect on a cloud object that no object of the namespace owns. */
async function requireApart(ctx: Connected): Promise<void> {
  const { environment, kind, object, session, spec, key, startedAt } = ctx;
  const path = collectionOfIds(kind);
  if (!kind.overlaps || path === undefined) return;
  const { field, relation: says, test } = kind.overlaps;
  const collection = collectionOf(kind, path);
  const { rows } = await wholeList(ctx, collection, startedAt - environment.pollMs);
  for (const [id, row] of rows) {
    if (!test(spec, row)) continue;
    const owner = ownerOf(environment, object, { collection: path, id });
    if (owner?.metadata.namespace === object.metadata.namespace) continue;
    session.observer.depend(key, [{ collection, id }]);
    const what = `spec.${field}: ${String(spec[field])} ${says} that no object of this namespace owns`;
    throw notPermittedTo(ctx, what, "existing");
  }
}

/** Throws `Stalled` if the namespace may not adopt, change or delete cloud objects of other users. */
export function requireAdoption(ctx: Connected): void {
  if (grantsFor(ctx).existing) return;
  throw notPermittedTo(
    ctx,
    "spec.management.adopt: it means a cloud object that this object did not create",
    "existing",
  );
}

export function mayName(ctx: Asking & { environment: Environment }, name: CloudName, value: string): boolean {
  const leave = grantsFor(ctx);
  if (leave.existing || (name.covered && leave.accountWide)) return true;
  if (name.open !== undefined && new RegExp(name.open).test(value)) return true;
  return isOwned(ctx, name, value);
}

/** Returns false for a name with `creationOnly` after the creation. */
function isUsed({ kind, spec, next }: Connected, { creationOnly, neededFor }: CloudName): boolean {
  if (!creationOnly || next.id === undefined) return true;
  return neededFor !== undefined && disrupts(kind, spec, next.applied, neededFor);
}

/**
 * Throws `Stalled` if the cloud shows another cloud object under a name than the record: the cloud can assign a
 * released ID again. `since`: the earliest start of a read, clock milliseconds; the read must show the cloud object.
 */
async function requireUnreleased(ctx: Connected, one: NameInSpec, since?: number): Promise<void> {
  const { kind, collection, owner, id } = ownedBy(ctx, one.name, one.value) ?? {};
  if (!kind || collection === undefined || !owner || id === undefined) return;
  const { observer } = ctx.session;
  const of = collectionOf(kind, collection);
  const row =
    since === undefined
      ? (await observer.snapshot(of, { urgent: ctx.urgent })).rows.get(id)
      : await observer.read(of, id, { after: since, urgent: ctx.urgent });
  const isGone = since !== undefined && row === undefined;
  if (isGone || (row && isAnother(recordOf(ctx.environment, owner).origin, originOf(kind, row))))
    throw nameRefusal(ctx, one);
}

/**
 * Checks the names of a request in the cloud right before the request leaves. Throws `Stalled` for a name that no
 * longer means the recorded cloud object. `since`: the earliest start of a read, clock milliseconds.
 */
export async function proveNames(ctx: Connected, since: number, concerns: (id: string) => boolean): Promise<void> {
  if (grantsFor(ctx).existing) return;
  for (const one of cloudNamesIn(ctx.kind, ctx.spec)) {
    const { idOf = (same) => same } = one.name;
    if (concerns(one.value) || concerns(idOf(one.value))) await requireUnreleased(ctx, one, since);
  }
}

/**
 * Returns true if the reset of a setting still concerns what the namespace owns. `isReferred`: the operator knows the IDs to which
 * the spec refers. The namespace of the account may reset every setting.
 */
export async function mayReset(ctx: Connected, isReferred: boolean): Promise<boolean> {
  if (grantsFor(ctx).existing) return true;
  if (!isReferred) return false;
  const named = cloudNamesIn(ctx.kind, ctx.spec);
  if (!named.every(({ name, value }) => mayName(ctx, name, value))) return false;
  try {
    for (const one of named) await requireUnreleased(ctx, one, ctx.environment.clock.now());
    return true;
  } catch (error) {
    if (error instanceof Stalled) return false;
    throw error;
  }
}

function isOwned(ctx: Asking & { environment: Environment }, name: CloudName, value: string): boolean {
  return ownedBy(ctx, name, value) !== undefined;
}

/** Returns the object of the namespace that has created the cloud object, by the signed record. */
function ownedBy(
  { environment, object }: Asking & { environment: Environment },
  { of, owners = [of], idOf = (same) => same }: CloudName,
  value: string,
) {
  const id = idOf(value);
  for (const kindName of owners) {
    const kind = environment.kinds.get(kindName);
    const collection = kind && collectionOfIds(kind);
    const owner = collection === undefined ? undefined : ownerOf(environment, object, { collection, id });
    if (!kind || !owner || owner.metadata.namespace !== object.metadata.namespace) continue;
    const record = recordOf(environment, owner);
    if (record.id === id && record.adopted !== true) return { kind, collection, owner, id };
  }
  return undefined;
}

/** Returns true if the object means a cloud object of other users. The result of a lost create request belongs to the object. */
function adoptsExisting(ctx: Connected): boolean {
  if (ctx.kind.shape !== "owned") return false;
  const claim = ownershipOf(ctx);
  const { id: recorded, adopted } = ctx.next;
  if (adopted) return true;
  const { adopt } = ctx.management;
  if (!adopt) return false;
  const open = claim.state === "open" ? claim.entry : undefined;
  if (adopt.id === undefined) return recorded === undefined && !open;
  return adopt.id !== recorded && !(open && isOwnAttempt(open, ctx.object, adopt.id));
}

function nameRefusal(ctx: Connected, { field, value, name: { of } }: NameInSpec) {
  const what = of === "itself" ? "a cloud object" : (things[of] ?? `a ${of}`);
  return notPermittedTo(ctx, `${field}: ${value} names ${what} that no object of this namespace created`, "existing");
}

const things: Readonly<Record<string, string>> = {
  Address: "an address",
  Backup: "a backup",
  Image: "an image",
  StackScript: "a StackScript",
  User: "a user",
  VLAN: "a VLAN",
  Volume: "a volume",
};
