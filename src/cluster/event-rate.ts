import type { Clock } from "../queue/clock.ts";

/** An object may write this many new events at once, and one more every 30 s. */
const burst = 20;
const refillMs = 30_000;

/** A token bucket for each object, forgotten when it is full again. The answer says whether one more event may go. */
export function createEventRate(clock: Clock): (uid: string) => boolean {
  // Thousands are known after thousands of creations, so each is one number: when it is full again.
  const fullAt = new Map<string, number>();
  return (uid) => {
    const now = clock.now();
    // The one touched last stands last.
    for (const [key, at] of fullAt) {
      if (at > now) break;
      fullAt.delete(key);
    }
    const missingMs = Math.max(0, (fullAt.get(uid) ?? now) - now);
    if (missingMs > (burst - 1) * refillMs) return false;
    fullAt.delete(uid);
    fullAt.set(uid, now + missingMs + refillMs);
    return true;
  };
}
