/**
 * What a request is based on is proven once more right before it leaves: what is changed, where the request was held by the rate
 * limit, and always what it refers to. Meanwhile ids are used again, and others act on the same cloud objects.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import { proveFacts } from "../send/facts.ts";
import { fixedCollectionOf } from "../claim/note-claim.ts";
import { isAnother, isLasting, originOf } from "../claim/origin.ts";
import type { Request } from "../kind/call.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { Resolved } from "../kind/reference.ts";
import { requireSame } from "./presence.ts";
import { resolveObjects } from "./resolve-objects.ts";
import type { Located, Observed } from "./reconciliation.ts";
import { collectionOf } from "./reconciliation.ts";
import { refuseUntoldParent, requireWithin } from "./within.ts";

/** What is younger than that is not proven again, milliseconds. */
export const promptMs = 100;
/** …of what a spec refers to: one read serves all that are created within it meanwhile. */
export const referredMs = 2_000;

/**
 * Throws `Waiting` where the id, or what the spec refers to, means something else by now. `askedAt`: clock milliseconds; `lateMs`:
 * how old what was read of what is referred to may be.
 */
export async function proveAgain(
  at: Located & Partial<Observed>,
  request: Request,
  askedAt: number,
  lateMs = referredMs,
): Promise<void> {
  const now = at.environment.clock.now();
  if (now - askedAt > promptMs && at.id !== undefined && at.row) await requireSame({ ...at, id: at.id, row: at.row });
  // What is deleted goes, whatever became of what it refers to.
  const leaves = request.method === "DELETE" || at.object.metadata.deletionTimestamp !== undefined;
  // A change that names none of them, such as a rule of a firewall, must not wait for each instance behind it.
  const concerns = at.id === undefined ? () => true : (id: string) => names(request, id);
  if (!leaves) await requireReferred(at, now - lateMs, concerns);
  if (at.id === undefined) refuseUntoldParent(at);
  else await requireWithin(at, now - lateMs);
}

/** So often both are asked before nothing leaves for now. */
const mostRounds = 5;

/**
 * Asks the cloud (`prove`) and the API server (`proveFacts`) for what a request is based on, until the answers of both are at most
 * `promptMs` old. Each side may be slow. If one answer is old, the operator asks that side again. If that is not enough, it asks
 * both, so that they end at the same time. Throws what they throw, and `Waiting` after five rounds.
 */
export async function proveLately(at: Located, prove: (lateMs: number) => Promise<void>): Promise<void> {
  const { clock } = at.environment;
  const cloud = { ask: (isAnew: boolean) => prove(isAnew ? promptMs : referredMs), tookMs: 0, endedAt: 0 };
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
    const old = both.filter(({ endedAt }) => clock.now() - endedAt > promptMs);
    if (old.length === 0) return;
    asked = round === 0 ? old : both;
  }
  const text = "the API server and the cloud API answer too slowly to tell at one moment that this is still to be done";
  throw new Waiting("Updating", text, undefined, { transient: true });
}

function names({ path, body }: Request, id: string): boolean {
  return `${path}/`.includes(`/${id}/`) || holds(body ?? {}, id);
}

function holds(value: Json, id: string): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some((inner) => holds(inner, id));
  return String(value) === id;
}

async function requireReferred(at: Located, since: number, concerns: (id: string) => boolean): Promise<void> {
  for (const [name, reference] of Object.entries(at.kind.references ?? {})) {
    const before = at.wanted.refs[name] as Resolved | Resolved[] | string | undefined;
    if ("secret" in reference || before === undefined) continue;
    const resolved = ([before].flat() as Resolved[]).filter(({ id }) => concerns(id));
    const meant = await Promise.all(resolved.map((one) => meansTheSame(at, reference.kind, one, since)));
    // Says what has become of it, and has all who know it by the list hear of that.
    if (!meant.includes(false)) continue;
    await resolveObjects({ ...at, startedAt: at.environment.clock.now() }, name, reference, { anew: true });
    // An id may mean another one by now. What is recorded of it must be of that, too.
    throw new Waiting("Updating", `what spec.${name} refers to is another cloud object by now`, 1_000);
  }
}

/** One read serves all that refer to the same within `referredMs`. */
async function meansTheSame(at: Located, of: string, { id, list, origin }: Resolved, since: number): Promise<boolean> {
  const { environment, session, urgent } = at;
  const kind = environment.kinds.get(of);
  const path = list ?? (kind && fixedCollectionOf(kind));
  if (kind?.shape !== "owned" || path === undefined || !isLasting(kind)) return true;
  const shown = session.observer.detail(collectionOf(kind, path).itemPath(id), { after: since, urgent });
  const row = await shown.catch((error: unknown) => {
    if (isHttpError(error) && error.status === 404) return undefined;
    throw error;
  });
  return row !== undefined && !isAnother(origin, originOf(kind, row as JsonObject));
}
