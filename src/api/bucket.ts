import type { Limit } from "./limits.ts";

/** What is known of one rate limit: the cloud's window as far as its answers told, else our own count. */
export interface Bucket {
  name: string;
  limit: number;
  windowMs: number;
  used: number;
  resetAt: number;
  /** False while `resetAt` is our own guess. */
  told: boolean;
  /** No request before this time: the cloud said so by a 429. */
  blockedUntil: number;
  /** A response came, with or without a limit. */
  answered: boolean;
  /** The cloud has named its limit. */
  learned: boolean;
}

/** Figures of an answer; times are the clock's. */
export interface Lesson {
  limit: number;
  remaining: number;
  resetAt: number;
}

/** Share of each limit that only urgent calls may use. */
const RESERVE = 0.1;

/** Reset times are whole seconds on both sides, so two that differ by less mean the same window. */
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

/** When there may be room: never before, perhaps later. The end of the window matters only where it is used up. */
export function freeAt(bucket: Bucket, urgent: boolean, now: number): number {
  const reserved = urgent ? 0 : Math.ceil(bucket.limit * RESERVE);
  const allowed = Math.max(1, bucket.limit - reserved);
  const usedUp = now < bucket.resetAt && bucket.used >= allowed;
  return usedUp ? Math.max(bucket.blockedUntil, bucket.resetAt) : bucket.blockedUntil;
}

/**
 * The cloud's window replaces a guessed one: after a restart it began before ours. Answers come out of order:
 * within a window the count never falls, and an older window's answer says nothing.
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
