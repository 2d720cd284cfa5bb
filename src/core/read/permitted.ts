/**
 * Permissions of the namespace of an object. Every name of a cloud object in a spec passes `requireNames`. Every kind and every
 * step passes `requireReach`.
 */
import { claimOf } from "../model/claim.ts";
import { recordOf } from "../model/known.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { ownerOf } from "../model/ownership.ts";
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
import type { Named } from "../model/names.ts";
import { leaveFor, refusal } from "./leave.ts";
import type { Asking } from "./leave.ts";
import { isPart } from "./parts.ts";

/** Throws `Stalled` if a kind, or a step, has a reach beyond the permissions of the namespace. */
export function requireReach(at: Connected, { reach, because }: Reaching = reachOf(at.kind, at.spec)): void {
  const leave = leaveFor(at);
  if (reach === "existing" && !leave.existing) throw refusal(at, because, "existing");
  if (reach === "account" && !leave.accountWide) throw refusal(at, because, "accountWide");
}

export function requireStepReach(at: Connected, name: string, step: { reach: Reach }): void {
  requireReach(at, stepReach(at.kind, name, step));
}

/**
 * Throws `Stalled` if the spec names a cloud object that the namespace may not use. The namespace of the account may use every
 * name, without a read. `creating`: a creation follows, which also uses names with `creationOnly`.
 */
export async function requireNames(at: Connected, { creating = false } = {}): Promise<void> {
  const { kind, object } = at;
  // The reset of a setting uses the recorded ID, not the spec.
  const isReset = kind.shape === "setting" && object.metadata.deletionTimestamp !== undefined;
  if (leaveFor(at).existing || isReset) return;
  if (adoptsExisting(at)) requireAdoption(at);
  const named = cloudNamesIn(at.kind, at.spec).filter(({ name }) => creating || isUsed(at, name));
  const unproven = named.filter(({ name, value }) => !mayName(at, name, value));
  for (const one of named) if (!unproven.includes(one)) await requireUnreleased(at, one);
  for (const one of unproven) if (!one.name.within) throw refusalOf(at, one);
  for (const one of unproven) if (!(await isPart(at, one))) throw refusalOf(at, one);
  if (creating) await requireApart(at);
}

/** Throws `Stalled` if a new cloud object takes effect on a cloud object that no object of the namespace owns. */
async function requireApart(at: Connected): Promise<void> {
  const { environment, kind, object, session, spec, key, startedAt } = at;
  const path = collectionOfIds(kind);
  if (!kind.overlaps || path === undefined) return;
  const { field, says, test } = kind.overlaps;
  const collection = collectionOf(kind, path);
  const { rows } = await wholeList(at, collection, startedAt - environment.sweepMs);
  for (const [id, row] of rows) {
    if (!test(spec, row)) continue;
    const owner = ownerOf(environment, object, { collection: path, id });
    if (owner?.metadata.namespace === object.metadata.namespace) continue;
    session.observer.depend(key, [{ collection, id }]);
    const what = `spec.${field}: ${String(spec[field])} ${says} that no object of this namespace owns`;
    throw refusal(at, what, "existing");
  }
}

/** Throws `Stalled` if the namespace may not adopt, change or delete cloud objects of other users. */
export function requireAdoption(at: Connected): void {
  if (leaveFor(at).existing) return;
  throw refusal(at, "spec.management.adopt: it means a cloud object that this object did not create", "existing");
}

export function mayName(at: Asking & { environment: Environment }, name: CloudName, value: string): boolean {
  const leave = leaveFor(at);
  if (leave.existing || (name.covered && leave.accountWide)) return true;
  if (name.open !== undefined && new RegExp(name.open).test(value)) return true;
  return isOwned(at, name, value);
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
async function requireUnreleased(at: Connected, one: Named, since?: number): Promise<void> {
  const { kind, collection, owner, id } = ownedBy(at, one.name, one.value) ?? {};
  if (!kind || collection === undefined || !owner || id === undefined) return;
  const { observer } = at.session;
  const of = collectionOf(kind, collection);
  const row =
    since === undefined
      ? (await observer.snapshot(of, { urgent: at.urgent })).rows.get(id)
      : await observer.read(of, id, { after: since, urgent: at.urgent });
  const isGone = since !== undefined && row === undefined;
  if (isGone || (row && isAnother(recordOf(at.environment, owner).origin, originOf(kind, row))))
    throw refusalOf(at, one);
}

/**
 * Checks the names of a request in the cloud right before the request leaves. Throws `Stalled` for a name that no
 * longer means the recorded cloud object. `since`: the earliest start of a read, clock milliseconds.
 */
export async function proveNames(at: Connected, since: number, concerns: (id: string) => boolean): Promise<void> {
  if (leaveFor(at).existing) return;
  for (const one of cloudNamesIn(at.kind, at.spec)) {
    const { idOf = (same) => same } = one.name;
    if (concerns(one.value) || concerns(idOf(one.value))) await requireUnreleased(at, one, since);
  }
}

/**
 * Returns true if the reset of a setting still concerns what the namespace owns. `isReferred`: the operator knows the IDs to which
 * the spec refers. The namespace of the account may reset every setting.
 */
export async function mayReset(at: Connected, isReferred: boolean): Promise<boolean> {
  if (leaveFor(at).existing) return true;
  if (!isReferred) return false;
  const named = cloudNamesIn(at.kind, at.spec);
  if (!named.every(({ name, value }) => mayName(at, name, value))) return false;
  try {
    for (const one of named) await requireUnreleased(at, one, at.environment.clock.now());
    return true;
  } catch (error) {
    if (error instanceof Stalled) return false;
    throw error;
  }
}

function isOwned(at: Asking & { environment: Environment }, name: CloudName, value: string): boolean {
  return ownedBy(at, name, value) !== undefined;
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
function adoptsExisting(at: Connected): boolean {
  if (at.kind.shape !== "owned") return false;
  const claim = claimOf(at);
  const { id: recorded, adopted } = at.next;
  if (adopted) return true;
  const { adopt } = at.management;
  if (!adopt) return false;
  const open = claim.state === "open" ? claim.intent : undefined;
  if (adopt.id === undefined) return recorded === undefined && !open;
  return adopt.id !== recorded && !(open && open.uid === at.object.metadata.uid && !open.known.includes(adopt.id));
}

function refusalOf(at: Connected, { field, value, name: { of } }: Named) {
  const what = of === "itself" ? "a cloud object" : (things[of] ?? `a ${of}`);
  return refusal(at, `${field}: ${value} names ${what} that no object of this namespace created`, "existing");
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
