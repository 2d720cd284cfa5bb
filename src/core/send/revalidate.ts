/**
 * Proof of a request right before the request leaves. A request can wait for the rate limit. During the wait, the cloud API can reuse
 * an id, and a user can change the same cloud objects. The operator reads the changed cloud object again after a wait, and the
 * references always.
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
import type { Located, Observed } from "../model/context.ts";
import { collectionOf } from "../model/context.ts";
import { refuseUntoldParent, requireWithin } from "../read/parent-identity.ts";
import { names } from "../model/outgoing.ts";
import { times } from "../kind/times.ts";

/**
 * Throws `Waiting` if the id, or an id behind a reference of the spec, now names another cloud object. `askedAt`: the time of the
 * decision, clock milliseconds.
 */
export async function proveAgain(at: Located & Partial<Observed>, request: Request, askedAt: number): Promise<void> {
  const now = at.environment.clock.now();
  const since = now - (at.id === undefined ? times.soon : times.fresh);
  if (now - askedAt > times.fresh && at.id !== undefined && at.row)
    await requireSame({ ...at, id: at.id, row: at.row });
  // A deletion does not need its references.
  const leaves = request.method === "DELETE" || at.object.metadata.deletionTimestamp !== undefined;
  // A change without an id of a reference, such as a rule of a firewall, must not wait for each instance of the firewall.
  const concerns = at.id === undefined ? () => true : (id: string) => names(request, id);
  if (!leaves) await requireReferred(at, since, concerns);
  if (!leaves) await proveNames(at, since, (id) => names(request, id));
  if (at.id === undefined) refuseUntoldParent(at);
  else await requireWithin(at, since);
}

/**
 * Asks the cloud (`prove`) and the API server (`proveFacts`) for the facts of a request, at the same time. If one side answers later
 * than the other, the answer of the faster side is old by then, so the operator asks the faster side again. Throws the errors of both
 * sides.
 */
export async function revalidate(at: Located, prove: () => Promise<void>): Promise<void> {
  const { clock } = at.environment;
  const ended = async (side: Promise<void>): Promise<number> => {
    await side;
    return clock.now();
  };
  const [cloudAt, clusterAt] = await Promise.all([ended(prove()), ended(proveFacts(at))]);
  if (clusterAt - cloudAt > times.fresh) await prove();
  else if (cloudAt - clusterAt > times.fresh) await proveFacts(at);
}

async function requireReferred(at: Located, since: number, concerns: (id: string) => boolean): Promise<void> {
  for (const [name, reference] of Object.entries(at.kind.references ?? {})) {
    const before = at.wanted.refs[name] as Resolved | Resolved[] | string | undefined;
    if ("secret" in reference || before === undefined) continue;
    const concerned = ([before].flat() as Resolved[]).filter(({ id, value = id }) => concerns(id) || concerns(value));
    const meant = await Promise.all(concerned.map((one) => meansTheSame(at, reference, one, since)));
    // Throws an error that names the reason, and updates the list for all objects that use the list.
    if (!meant.includes(false)) continue;
    await resolveObjects({ ...at, startedAt: at.environment.clock.now() }, name, reference, { anew: true });
    // The id can name another cloud object now. The next reconcile records the origin of that cloud object.
    throw new Waiting("Updating", `what spec.${name} refers to is another cloud object by now`, times.soon);
  }
}

/**
 * Tests if an id still means the cloud object of the recorded origin, and if the copied value is the same. One read serves all
 * references to a cloud object within `times.soon`. `since`: clock milliseconds; what is read was read later.
 */
export async function meansTheSame(
  at: Located,
  reference: ObjectReferenceTo<Record<string, unknown>>,
  found: Resolved,
  since: number,
): Promise<boolean> {
  const { environment, session, urgent } = at;
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
