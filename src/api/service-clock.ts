import type { Clock } from "../queue/clock.ts";

/** The cloud's own time, learned from its answers. */
export interface ServiceClock {
  now(): Date;
  /** Takes in the `Date` header of an answer that has just come. */
  heard(date: unknown): void;
}

/** A clock of the cloud that was set back by more than this is followed. */
const STEP_MS = 2_000;

/**
 * Before the first answer it is our wall clock. A `Date` header is cut to whole seconds and is older than its arrival,
 * so it bounds the cloud's time from below; the best bound of all answers is kept, which never runs backwards.
 */
export function createServiceClock(clock: Clock): ServiceClock {
  let offset: number | undefined;
  return {
    now: () => (offset === undefined ? clock.date() : new Date(clock.now() + offset)),
    heard(date) {
      const heard = Date.parse(String(date)) - clock.now();
      if (Number.isNaN(heard)) return;
      offset = offset === undefined || offset - heard > STEP_MS ? heard : Math.max(offset, heard);
    },
  };
}
