import type { Clock } from "../queue/clock.ts";

/** New events that an object may write in a burst. After the burst, one event every 30 s. */
const burst = 20;
const refillMs = 30_000;

/** Creates a token bucket for each object. The function returns true if the object may write one more event. */
export function createEventRate(clock: Clock): (uid: string) => boolean {
  // The clock time when the bucket is full again. A number needs little memory for thousands of objects.
  const fullAt = new Map<string, number>();
  return (uid) => {
    const now = clock.now();
    // The map is in order of the last event.
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
