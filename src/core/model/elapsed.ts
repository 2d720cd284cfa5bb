/** How long ago a request was sent, and how long the request can still take effect. */
import type { Connected, Located } from "./context.ts";
import { lostIn, searchOf } from "./attempt.ts";
import type { JournalEntry } from "./journal.ts";
import { settleMsOf } from "./settle.ts";

/** Returns the time since a time of the cloud API's clock, by the same clock, milliseconds. */
export function elapsedMs({ client }: Connected["session"], time: string): number {
  return client.serverTime().getTime() - Date.parse(time);
}

/** Returns how long a request of that time can still take effect, milliseconds. */
export function leftOf(ctx: Pick<Connected, "environment" | "kind" | "session">, { time }: { time: string }): number {
  return settleMsOf(ctx) - elapsedMs(ctx.session, time);
}

/**
 * Returns the time since the create request of an attempt, milliseconds. This process knows when the request failed.
 * After a restart, the time of the journal entry counts, or the start of the search: a wrong `Date` header can put the journal entry
 * into the future.
 */
export function sinceSent({ environment, session, remembered }: Located, { attempt, time }: JournalEntry): number {
  const now = environment.clock.now();
  const [lost, search] = [lostIn(remembered, { attempt }), searchOf(remembered, { attempt })];
  const sinceSearched = search ? now - search.at : 0;
  const sinceEntry = lost ? now - lost.at : elapsedMs(session, time);
  return Math.max(sinceEntry, sinceSearched);
}
