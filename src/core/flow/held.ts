/**
 * Proof of a request right before the request leaves. A request can wait for the rate limit. During the wait, the cloud API can reuse
 * an id, and a user can change the same cloud objects. The operator reads the changed cloud object again after a wait, and the
 * references always.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import { proveFacts } from "../send/facts.ts";
import { fixedCollectionOf } from "../claim/note-claim.ts";
import { isAnother, isLasting, originOf } from "../claim/origin.ts";
import type { Request } from "../kind/call.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import { kindOf } from "../kind/reference.ts";
import type { ObjectReferenceTo, Resolved } from "../kind/reference.ts";
import { proveNames } from "../read/permitted.ts";
import { requireSame } from "./presence.ts";
import { resolveObjects } from "./resolve-objects.ts";
import type { Located, Observed } from "./reconciliation.ts";
import { collectionOf } from "./reconciliation.ts";
import { refuseUntoldParent, requireWithin } from "./within.ts";

/** Longest age of a proof without a new read, milliseconds. */
export const promptMs = 100;
/** Longest age of a read of a reference, milliseconds. One read serves all creations within this time. */
export const referredMs = 2_000;

/**
 * Throws `Waiting` if the id, or an id behind a reference of the spec, now names another cloud object. `askedAt`: the time of the
 * decision, clock milliseconds. `lateMs`: the longest age of a read of a reference, milliseconds.
 */
export async function proveAgain(
  at: Located & Partial<Observed>,
  request: Request,
  askedAt: number,
  lateMs = referredMs,
): Promise<void> {
  const now = at.environment.clock.now();
  if (now - askedAt > promptMs && at.id !== undefined && at.row) await requireSame({ ...at, id: at.id, row: at.row });
  // A deletion does not need its references.
  const leaves = request.method === "DELETE" || at.object.metadata.deletionTimestamp !== undefined;
  // A change without an id of a reference, such as a rule of a firewall, must not wait for each instance of the firewall.
  const concerns = at.id === undefined ? () => true : (id: string) => names(request, id);
  if (!leaves) await requireReferred(at, now - lateMs, concerns);
  if (!leaves) await proveNames(at, now - lateMs, (id) => names(request, id));
  if (at.id === undefined) refuseUntoldParent(at);
  else await requireWithin(at, now - lateMs);
}

/** The longest age of the earlier of both answers when the request leaves, milliseconds. A busy machine needs some of it. */
const apartMs = 200;

/** Rounds of reads before the request waits. */
const mostRounds = 10;

/**
 * Asks the cloud (`prove`) and the API server (`proveFacts`) for the facts of a request, until both answers are at most `apartMs`
 * old. Either side can be slow. If one answer is old, the operator asks the slow side again. In later rounds, the operator asks both
 * sides, and delays the faster side, so that both answers arrive together. Throws the errors of both sides, and `Waiting` after
 * ten rounds.
 */
export async function proveLately(at: Located, prove: (lateMs: number) => Promise<void>): Promise<void> {
  const { clock } = at.environment;
  const cloud = { ask: (isAnew: boolean) => prove(isAnew ? apartMs : referredMs), tookMs: 0, endedAt: 0 };
  const cluster = { ask: (isAnew: boolean) => proveFacts(at, isAnew), tookMs: 0, endedAt: 0 };
  const both = [cloud, cluster];
  for (let round = 0, asked = both; round < mostRounds; round += 1) {
    const longestMs = round === 0 ? 0 : Math.max(...asked.map(({ tookMs }) => tookMs));
    await Promise.all(
      asked.map(async (side) => {
        const restMs = longestMs - side.tookMs;
        if (restMs > 0) await new Promise<void>((resolve) => void clock.schedule(restMs, resolve));
        const began = clock.now();
        await side.ask(round > 0);
        side.endedAt = clock.now();
        side.tookMs = side.endedAt - began;
      }),
    );
    const old = both.filter(({ endedAt }) => clock.now() - endedAt > apartMs);
    if (old.length === 0) return;
    asked = round === 0 ? old : both;
  }
  const text =
    "the API server and the cloud API answer too slowly to show at one moment that this request is still permitted";
  throw new Waiting("Updating", text, undefined, { transient: true });
}

/** Returns true if the path or the body of a request contains the ID. */
export function names({ path, body }: Request, id: string): boolean {
  const isInPath = [id, encodeURIComponent(id)].some((text) => `${path}/`.includes(`/${text}/`));
  return isInPath || holds(body ?? {}, id);
}

function holds(value: Json, id: string): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some((inner) => holds(inner, id));
  // A rule of a firewall contains an address with its prefix length.
  return String(value) === id || String(value).startsWith(`${id}/`);
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
    throw new Waiting("Updating", `what spec.${name} refers to is another cloud object by now`, 1_000);
  }
}

/**
 * Tests if an id still means the cloud object of the recorded origin, and if the copied value is the same. One read serves all
 * references to a cloud object within `referredMs`. `since`: clock milliseconds; what is read was read later.
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
