/** Facts of a request: the API server confirms each of them right before a mutating request leaves. */
import { confirmStillMeant, refuseChanged } from "../claim/confirm.ts";
import type { Connected } from "../flow/reconciliation.ts";
import type { CommonSpec } from "../kind/common-schema.ts";
import { Waiting } from "../kind/outcome.ts";
import { requireDefinition } from "../read/definition.ts";
import { anew, freshMs, lately } from "../read/fresh.ts";
import type { Since } from "../read/fresh.ts";
import { requireUnheld } from "../read/fresh-holders.ts";
import { asksForHolders } from "../read/holders.ts";

/**
 * Longest ages of facts after the last answer, milliseconds. A shared read can end `freshMs` before the last answer. A request
 * leaves at most 200 ms later (`apartMs` in flow/held.ts), so no fact is older than half a second.
 */
const objectMs = 200;
const sharedMs = objectMs + freshMs;

/** Rounds of reads before the request waits. */
const mostRounds = 4;

/**
 * Asks the API server for the facts of a request: the object, the CloudAccount with the sharing, the version of the token's Secret,
 * the definition of the kind, and, for a deletion, the holders. On return, no fact is older than `sharedMs`. `isAnew` excludes earlier answers. Throws
 * `Waiting` if a fact changed or the answers are too slow. Throws `Stalled` if the definition is older than the operator. Throws `KubeError` if the API server does not answer.
 */
export async function proveFacts(at: Connected, isAnew: boolean): Promise<void> {
  const { clock } = at.environment;
  for (let round = 0; round < mostRounds; round += 1) {
    const since = isAnew || round > 0 ? anew(clock) : lately(clock);
    // A slow API server answers reads in parallel at one time. A list of thousands of objects has many pages, so it goes first.
    const { object, shared } = await readFacts(at, since, round % 2 === 1);
    if (clock.now() - object <= objectMs && clock.now() - shared <= sharedMs) return;
  }
  const text = "the API server answers too slowly to show at one moment that this request is still permitted";
  throw new Waiting("Updating", text, undefined, { transient: true });
}

/**
 * Confirms a creation right after the operator stored the intent: an earlier read of the object does not count. Reads the account and the definition in
 * parallel, so that the facts of the request are known before the request leaves. Throws as `proveFacts` does.
 */
export async function confirmCreation(at: Connected): Promise<void> {
  const since = lately(at.environment.clock);
  await Promise.all([
    confirmStillMeant(at),
    at.environment.proveAccount(at, since),
    requireDefinition(at, at.kind, since),
  ]);
}

/** Returns the time of the answer for the object, and of the oldest answer for shared facts. `listFirst`: holders before the others. */
async function readFacts(at: Connected, since: Since, listFirst: boolean): Promise<{ object: number; shared: number }> {
  const held = asksForHolders(at) ? requireUnheld(at, since) : Promise.resolve(Infinity);
  if (listFirst) await held;
  const [holders, object, account] = await Promise.all([
    held,
    confirmStillMeant(at, since),
    at.environment.proveAccount(at, since),
    requireDefinition(at, at.kind, lately(at.environment.clock)),
  ]);
  return { object, shared: Math.min(account, holders) };
}

/** Throws `Waiting` if the caches show a changed fact right before a request leaves. Costs no time and no request. */
export function refuseOutdated(at: Connected): void {
  refuseChanged(at);
  const { accountRef } = (at.object.spec ?? {}) as CommonSpec;
  if (at.environment.openAccount(at.object, accountRef) === at.session) return;
  throw new Waiting("Updating", "the token of the account changed during the reconcile", 500, { transient: true });
}
