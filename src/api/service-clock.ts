import type { Clock } from "../queue/clock.ts";

/** The time of the cloud, measured from responses. */
export interface ServiceClock {
  now(): Date;
  /** Reads the `Date` header of a response that just arrived. */
  heard(date: unknown): void;
}

/** Largest step back that is ignored, milliseconds. The clock follows a larger step. */
const STEP_MS = 2_000;

/**
 * Largest difference accepted from a single response, milliseconds. A gateway may have sent a time with a larger
 * difference; further responses must confirm the time.
 */
const FAR_MS = 3_600_000;

/** Responses in a row that confirm a time. */
const BELIEVED = 3;

/**
 * Creates the clock. Returns the local wall clock before the first response. A `Date` header has whole seconds and is
 * older than its arrival: the header is a lower bound of the cloud's time. The clock keeps the best bound and never
 * runs backwards. The operator deletes objects by age with this time, and cannot undo a deletion. A single wrong header
 * moves the time by at most an hour.
 */
export function createServiceClock(clock: Clock): ServiceClock {
  let offset: number | undefined;
  let far = { offset: NaN, times: 0 };
  const isBelieved = (heard: number): boolean => {
    const before = offset ?? clock.date().getTime() - clock.now();
    if (isNear(heard, before)) {
      far = { offset: NaN, times: 0 };
      return true;
    }
    far = { offset: heard, times: isNear(heard, far.offset) ? far.times + 1 : 1 };
    return far.times >= BELIEVED;
  };
  return {
    now: () => (offset === undefined ? clock.date() : new Date(clock.now() + offset)),
    heard(date) {
      const heard = Date.parse(String(date)) - clock.now();
      if (Number.isNaN(heard) || !isBelieved(heard)) return;
      offset = offset === undefined || offset - heard > STEP_MS ? heard : Math.max(offset, heard);
    },
  };
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= FAR_MS;
}
