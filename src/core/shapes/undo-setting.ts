/**
 * Resets a setting at the deletion of its object. The recorded ID names the row. The operator resets the row only if
 * the row still shows the values of this object. Otherwise the operator does not change the row. The deletion ends in
 * both cases.
 */
import { nameOf } from "../kind/naming.ts";
import { announce } from "../store/announce.ts";
import { isAsSet, stepsShown } from "./as-set.ts";
import { claimPath } from "../model/note-claim.ts";
import { isAnother, originOf } from "../model/origin.ts";
import { beats, ownerOf } from "../model/owners.ts";
import type { JsonObject } from "../../api/types.ts";
import type { Call } from "../kind/call.ts";
import { differencesIn } from "../kind/fields.ts";
import { Invalid, Waiting } from "../kind/outcome.ts";
import { kindOf } from "../kind/reference.ts";
import { mayReset } from "../read/permitted.ts";
import { sendChange } from "../send/change.ts";
import { meansTheSame } from "../send/revalidate.ts";
import { requireApproval } from "../send/permission.ts";
import { isDesiredRow, readRow } from "../read/lookup.ts";
import type { AnyDesired, Located, Observed } from "../model/context.ts";
import { live, toObserved, withFacts } from "../model/context.ts";
import { resolveReferences } from "../secrets/references.ts";
import { usedOf } from "../model/referred.ts";
import { originIn, originOfReferred } from "./setting.ts";

export async function undoSetting(ctx: Located): Promise<void> {
  const { kind, environment, collection } = ctx;
  // The signed record proves the ID. The referenced object can be absent.
  const { id } = ctx.next;
  if (id === undefined) return;
  const owner = ownerOf(environment, ctx.object, { collection: claimPath(kind, collection.path), id });
  if (owner && beats(ctx, owner)) return;
  const row = await readRow(ctx, id);
  if (!row || !kind.undo) return;
  const observed = toObserved(ctx, { id, row });
  const leave = (why: string) => {
    const note = `${nameOf(ctx.kind, id)} keeps its values: ${why}`;
    return announce(environment, ctx.object, { type: "Normal", reason: "Orphaned", action: "Delete", note, id });
  };
  if (isAnother(ctx.next.origin ?? originOfReferred(ctx, id), originIn(kind, row)))
    return leave("the ID now names a different cloud object");
  const refs = await recordedReferences(ctx);
  if (!isStillOf(ctx, row, refs)) return leave("the spec now names a different target");
  if (kind.createdField === undefined && !(await mayReset(ctx, refs !== undefined)))
    return leave("the target no longer belongs to a cloud object of this namespace");
  const shown = await stepsShown(observed, environment.clock.now());
  if (!isAsSet(observed, shown) && (await isSetOtherwise(observed)))
    return leave("the values differ from the values that this object set");
  if (refs) withFacts(ctx, { desired: { ...ctx.desired, refs } });
  const request = kind.undo({ id, path: collection.itemPath(id), shown, spec: ctx.spec, applied: ctx.next.applied });
  const call: Call = { ...request, action: "Undo", note: `resets ${nameOf(ctx.kind, id)}` };
  await requireApproval(ctx, [call]);
  await sendChange(ctx, call, { priority: "delete", urgent: true });
  const undone = `Reset ${nameOf(ctx.kind, id)}`;
  announce(environment, ctx.object, { type: "Normal", reason: "Undone", action: call.action, note: undone, id });
}

/** Tests if the recorded references mean the row. Without references, only the recorded carrier identifies the row. */
function isStillOf(ctx: Located, row: JsonObject, refs: AnyDesired["refs"] | undefined): boolean {
  if (refs) return isDesiredRow({ ...ctx, desired: { ...ctx.desired, refs } }, row);
  if (ctx.kind.carrierField === undefined) return true;
  return ctx.next.origin !== undefined && ctx.next.origin === originOf(ctx.kind, row);
}

async function isSetOtherwise(ctx: Observed): Promise<boolean> {
  if (differencesIn(ctx.kind, ctx.desired, ctx.row).length > 0) return true;
  const steps = Object.values(ctx.kind.steps ?? {});
  if (steps.length === 0) return false;
  if (!(await foundReferences(ctx))) return true;
  for (const step of steps) {
    const reads = step.read?.(live(ctx));
    const after = ctx.environment.clock.now();
    const current = reads && (await ctx.session.observer.detail(reads.path, { ...reads, after, urgent: true }));
    if (step.calls(live(ctx), current).length > 0) return true;
  }
  return false;
}

/**
 * Returns references by the recorded IDs of the referenced objects; undefined if an ID is unknown. If a copied value no
 * longer belongs to the recorded cloud object, the reference gets an empty ID, which fits no row.
 */
async function recordedReferences(ctx: Located): Promise<AnyDesired["refs"] | undefined> {
  const { environment, kind, object, spec } = ctx;
  const refs: Record<string, { id: string; kind?: string } | undefined> = {};
  for (const [name, reference] of Object.entries(kind.references ?? {})) {
    const named = "secret" in reference ? undefined : reference.from(spec);
    if ("secret" in reference || named === undefined || Array.isArray(named)) continue;
    const { namespace = "" } = object.metadata;
    const of = kindOf(reference, named);
    const other = environment.caches.get(of)?.get({ namespace, name: named.name ?? "" });
    const { id = named.id, origin } = (other && usedOf(environment, other)) ?? {};
    if (id === undefined) return undefined;
    const found = { id, entry: named, ...(reference.kinds && { kind: of }), ...(origin !== undefined && { origin }) };
    const isSame = !reference.copies || (await meansTheSame(ctx, reference, found, environment.clock.now()));
    refs[name] = isSame ? found : { ...found, id: "" };
  }
  return refs as AnyDesired["refs"];
}

/** Returns false if a reference outside of lists does not resolve. Omits list entries that do not resolve. */
async function foundReferences(ctx: Observed): Promise<boolean> {
  try {
    withFacts(ctx, { desired: await resolveReferences(ctx, { partly: true }) });
    return true;
  } catch (error) {
    if (error instanceof Waiting || error instanceof Invalid) return false;
    throw error;
  }
}
