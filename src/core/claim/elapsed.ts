/** How long ago something was sent, and how long it may still take effect: design, section 5. */
import type { Connected, Located } from "../flow/reconciliation.ts";
import type { Intent } from "./intent.ts";
import { settleMsOf } from "./settle.ts";

/** How long ago that was by the clock of the cloud API, milliseconds. */
export function elapsedMs({ client }: Connected["session"], time: string): number {
  return client.serverTime().getTime() - Date.parse(time);
}

/** How long what was sent then may still take effect, milliseconds. */
export function leftOf(at: Pick<Connected, "environment" | "kind" | "session">, { time }: { time: string }): number {
  return settleMsOf(at) - elapsedMs(at.session, time);
}

/** How long ago it was sent at the latest, milliseconds: it may have been held, and sent long after its intent. */
export function sinceSent({ environment, session, remembered }: Located, { attempt, time }: Intent): number {
  const now = environment.clock.now();
  const sinceLost = now - (remembered.lost?.at ?? -Infinity);
  // One wrong `Date` would put it into the future.
  const sinceSearched = remembered.searched?.attempt === attempt ? now - remembered.searched.at : 0;
  return Math.max(Math.min(elapsedMs(session, time), sinceLost), sinceSearched);
}
