import type { Clock } from "../queue/clock.ts";

/** An object may write this many new events at once, and one more every 30 s. */
const burst = 20;
const refillMs = 30_000;

/** A token bucket for each object, forgotten when it is full again. The answer says whether one more event may go. */
export function createEventRate(clock: Clock): (uid: string) => boolean {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (uid) => {
    const now = clock.now();
    // The one touched last stands last.
    for (const [key, { at }] of buckets) {
      if (now - at < burst * refillMs) break;
      buckets.delete(key);
    }
    const { tokens, at } = buckets.get(uid) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + (now - at) / refillMs);
    if (filled < 1) return false;
    buckets.delete(uid);
    buckets.set(uid, { tokens: filled - 1, at: now });
    return true;
  };
}
