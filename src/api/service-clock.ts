import type { Clock } from "../queue/clock.ts";

/** The cloud's own time, learned from its answers. */
export interface ServiceClock {
  now(): Date;
  /** Takes in the `Date` header of an answer that has just come. */
  heard(date: unknown): void;
}

/** A clock of the cloud that was set back by more than this is followed. */
const STEP_MS = 2_000;

/** What is further from what is believed was perhaps not said by the cloud, but by something between: others have to say the same. */
const FAR_MS = 3_600_000;

/** So many answers in a row are believed. */
const BELIEVED = 3;

/**
 * Before the first answer it is our wall clock. A `Date` header is cut to whole seconds and is older than its arrival,
 * so it bounds the cloud's time from below; the best bound of all answers is kept, which never runs backwards.
 * What is deleted for its age, by this time, cannot be brought back: a single odd header moves it by an hour at most.
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
