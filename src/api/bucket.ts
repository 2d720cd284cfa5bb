import type { Limit } from "./limits.ts";

/** State of one rate limit. Uses the window of the cloud, once a response has shown the window. */
export interface Bucket {
  name: string;
  limit: number;
  windowMs: number;
  used: number;
  resetAt: number;
  /** False while `resetAt` is a local guess. */
  told: boolean;
  /** Send no request before this time, because of a 429. */
  blockedUntil: number;
  /** A response came, with or without a limit. */
  answered: boolean;
  /** A response has named the limit. */
  learned: boolean;
}

/** Figures of a response. Times are clock milliseconds. */
export interface Lesson {
  limit: number;
  remaining: number;
  resetAt: number;
}

/** Share of each limit reserved for urgent calls. */
const RESERVE = 0.1;

/** Reset times are whole seconds. Two times with a smaller difference name the same window. */
const SAME_WINDOW_MS = 2_000;

export function createBucket({ bucket, requests, windowMs }: Limit): Bucket {
  return {
    name: bucket,
    limit: requests,
    windowMs,
    used: 0,
    resetAt: 0,
    told: false,
    blockedUntil: 0,
    answered: false,
    learned: false,
  };
}

export function hasRoom(bucket: Bucket, urgent: boolean, now: number): boolean {
  return now >= freeAt(bucket, urgent, now);
}

export function take(bucket: Bucket, now: number): void {
  if (now >= bucket.resetAt) {
    bucket.used = 0;
    bucket.resetAt = now + bucket.windowMs;
    bucket.told = false;
  }
  bucket.used += 1;
}

/** Returns the earliest time with room; room may come later. The end of the window matters only for a used-up limit. */
export function freeAt(bucket: Bucket, urgent: boolean, now: number): number {
  const reserved = urgent ? 0 : Math.ceil(bucket.limit * RESERVE);
  const allowed = Math.max(1, bucket.limit - reserved);
  const usedUp = now < bucket.resetAt && bucket.used >= allowed;
  return usedUp ? Math.max(bucket.blockedUntil, bucket.resetAt) : bucket.blockedUntil;
}

/**
 * Updates a bucket from a response. After a restart, the window of the cloud began before the guessed window and
 * replaces the guess. Responses arrive out of order: in a window the count never falls, and an older window has no
 * effect.
 */
export function learn(bucket: Bucket, { limit, remaining, resetAt }: Lesson): void {
  const tolerance = Math.min(SAME_WINDOW_MS, bucket.windowMs / 2);
  const used = limit - remaining;
  const later = resetAt - bucket.resetAt;
  bucket.limit = limit;
  bucket.learned = true;
  if (bucket.told && later < -tolerance) return;
  bucket.used = bucket.told && later > tolerance ? used : Math.max(bucket.used, used);
  bucket.resetAt = bucket.told && later <= tolerance ? Math.max(bucket.resetAt, resetAt) : resetAt;
  bucket.told = true;
}
