/** Doubt: rows for a user to judge after a create request without a response. */
import type { Snapshot } from "../../observe/types.ts";
import type { Located } from "../flow/reconciliation.ts";
import { leaveFor } from "../read/leave.ts";
import { candidates, nearlyShowsIntent } from "./candidates.ts";
import type { LostCreation } from "./candidates.ts";
import { requesterOf } from "./creator.ts";
import { sinceSent } from "./elapsed.ts";
import type { Intent } from "./intent.ts";
import { settleMsOf } from "./settle.ts";
import { unknownSkewMs } from "./skew.ts";

/** Rows with one deviation from the request, and the deviation as text. */
export interface Doubt {
  ids: string[];
  why: string;
}

/** Largest difference of unknown clocks for a near match, milliseconds. */
const nearSkewMs = 60_000;

/**
 * Returns new rows with the values of the request and an odd time of creation, because the clocks of the cloud can move. Otherwise
 * returns near matches: rows from the time of the attempt with one different value, and without a request of a second object. The
 * operator keeps near matches as a question for the user. A namespace without `sharing.existing` gets no IDs of near matches.
 */
export function doubtIn(at: Located, { rows }: Snapshot, intent: Intent, lost: LostCreation): Doubt | undefined {
  if (intent.uid !== at.object.metadata.uid) return undefined;
  const late = candidates(rows, { ...lost, leewayMs: unknownSkewMs, withinMs: Infinity });
  const why =
    "its time of creation is earlier than the request, or long after it, according to the clocks of the cloud";
  if (late.length > 0) return { ids: late, why };
  const sentMs = at.session.client.serverTime().getTime() - sinceSent(at, intent);
  const leewayMs = lost.skewMs === undefined ? nearSkewMs : 0;
  const near = candidates(rows, {
    ...lost,
    isMeant: (row) => nearlyShowsIntent(at, row, intent) && requesterOf(at, row) === undefined,
    skewMs: lost.skewMs ?? 0,
    leewayMs,
    withinMs: sentMs - Date.parse(intent.time) + settleMsOf(at) + leewayMs,
  });
  const stored = "it appeared at that time, and one value of the request is stored in another form";
  return near.length > 0 ? { ids: leaveFor(at).existing ? near : [], why: stored } : undefined;
}
