/**
 * Proves the facts of a request right before the request leaves. While a request waits for the rate limit, the cloud
 * API can reuse an ID, and a user can change a cloud object. The operator reads the cloud object again after a wait,
 * and always reads the references.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import { proveFacts } from "./facts.ts";
import { fixedCollectionOf } from "../model/note-claim.ts";
import { isAnother, isLasting, originOf } from "../model/origin.ts";
import type { Request } from "../kind/call.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import { kindOf } from "../kind/reference.ts";
import type { ObjectReferenceTo, Resolved } from "../kind/reference.ts";
import { proveNames } from "../read/permitted.ts";
import { requireSame } from "../read/lookup.ts";
import { resolveObjects } from "../read/resolve-objects.ts";
import type { Located, Reached } from "../model/context.ts";
import { collectionOf } from "../model/context.ts";
import { refuseUntoldParent, requireSameParent } from "../read/parent-identity.ts";
import { names } from "../model/outgoing.ts";
import { times } from "../kind/times.ts";

/**
 * Throws `Waiting` if the ID, or the ID behind a reference of the spec, now names another cloud object. `askedAt`: time
 * of the decision, clock milliseconds.
 */
export async function proveAgain(ctx: Reached<Located>, request: Request, askedAt: number): Promise<void> {
  const now = ctx.environment.clock.now();
  const since = now - (ctx.id === undefined ? times.soon : times.fresh);
  if (now - askedAt > times.fresh && ctx.id !== undefined && ctx.row)
    await requireSame({ ...ctx, phase: "observed", id: ctx.id, row: ctx.row });
  // A deletion does not need its references.
  const leaves = request.method === "DELETE" || ctx.object.metadata.deletionTimestamp !== undefined;
  // A change that names no referenced ID, such as a firewall rule, must not wait for each instance of the firewall.
  const concerns = ctx.id === undefined ? () => true : (id: string) => names(request, id);
  if (!leaves) await requireReferred(ctx, since, concerns);
  if (!leaves) await proveNames(ctx, since, (id) => names(request, id));
  if (ctx.id === undefined) refuseUntoldParent(ctx);
  else await requireSameParent(ctx, since);
}

/**
 * Asks the cloud (`prove`) and the API server (`proveFacts`) for the facts of a request, in parallel. If one side is
 * slow, the facts from the fast side are outdated, and the operator asks the fast side again. Throws the errors of both
 * sides.
 */
export async function revalidate(ctx: Located, prove: () => Promise<void>): Promise<void> {
  const { clock } = ctx.environment;
  const ended = async (side: Promise<void>): Promise<number> => {
    await side;
    return clock.now();
  };
  const [cloudAt, clusterAt] = await Promise.all([ended(prove()), ended(proveFacts(ctx))]);
  if (clusterAt - cloudAt > times.fresh) await prove();
  else if (cloudAt - clusterAt > times.fresh) await proveFacts(ctx);
}

async function requireReferred(ctx: Located, since: number, concerns: (id: string) => boolean): Promise<void> {
  for (const [name, reference] of Object.entries(ctx.kind.references ?? {})) {
    const before = ctx.desired.refs[name] as Resolved | Resolved[] | string | undefined;
    if ("secret" in reference || before === undefined) continue;
    const concerned = ([before].flat() as Resolved[]).filter(({ id, value = id }) => concerns(id) || concerns(value));
    const meant = await Promise.all(concerned.map((one) => meansTheSame(ctx, reference, one, since)));
    // Resolving the reference again throws an error with the reason, and updates the shared list.
    if (!meant.includes(false)) continue;
    await resolveObjects({ ...ctx, startedAt: ctx.environment.clock.now() }, name, reference, { anew: true });
    // The ID can name another cloud object now. The next reconcile records its origin.
    throw new Waiting("Updating", `what spec.${name} refers to is another cloud object by now`, times.soon);
  }
}

/**
 * Tests if an ID still means the cloud object of the recorded origin, with an unchanged copied value. For `times.soon`,
 * one read serves all references to a cloud object. `since`: the earliest time of the read, clock milliseconds.
 */
export async function meansTheSame(
  ctx: Located,
  reference: ObjectReferenceTo<Record<string, unknown>>,
  found: Resolved,
  since: number,
): Promise<boolean> {
  const { environment, session, urgent } = ctx;
  const { id, list, origin, value, entry = {} } = found;
  const kind = environment.kinds.get(kindOf(reference, entry));
  const path = list ?? (kind && fixedCollectionOf(kind));
  if (kind?.shape !== "owned" || path === undefined || !isLasting(kind)) return true;
  const collection = collectionOf(kind, path);
  const how = { after: since, urgent };
  const shown: Promise<Json | undefined> = kind.wholeInList
    ? session.observer.read(collection, id, how)
    : session.observer.detail(collection.itemPath(id), how);
  const row = await shown.catch((error: unknown) => {
    if (isHttpError(error) && error.status === 404) return undefined;
    throw error;
  });
  if (row === undefined || isAnother(origin, originOf(kind, row as JsonObject))) return false;
  const copy = value === undefined ? undefined : reference.copies?.(entry, { ...found, row: row as JsonObject });
  return copy === undefined || ("value" in copy && copy.value === value);
}
