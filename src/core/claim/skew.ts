/**
 * How far the `Date` of the cloud API is ahead of its `created`: two clocks, of a gateway and of what is behind it.
 *
 * It is learnt from the answers to creations. It holds only while `Date` goes on as it did then: another gateway may
 * answer next, and a clock may be set.
 */
import type { JsonObject } from "../../api/types.ts";
import type { Connected, Located } from "../flow/reconciliation.ts";
import { apiTime } from "./origin.ts";
import { realAccountOf } from "./ownership.ts";

/** `created` has whole seconds, and so has the `Date` header that the skew was learnt from, milliseconds. */
export const roundingMs = 2_000;

/** A clock may be off by so much before anything was learnt of it, milliseconds. */
export const unknownSkewMs = 3_600_000;

/** How much the offset of a clock that goes on may seem to change, milliseconds: `Date` has whole seconds. */
const steadyMs = 1_000;

/** Milliseconds; undefined where it was not learnt yet, or where `Date` has moved since. */
export function skewOf(at: Connected): number | undefined {
  const learnt = at.environment.memory.skew.get(realAccountOf(at.environment, at.object));
  const steady = learnt !== undefined && Math.abs(offsetOf(at) - learnt.offsetMs) <= steadyMs;
  return steady ? learnt.ms : undefined;
}

/** Takes in the answer to a creation. */
export function learnSkew(at: Located, row: JsonObject): void {
  const { environment, kind, object, session } = at;
  const created = kind.createdField === undefined ? undefined : row[kind.createdField];
  const time = typeof created === "string" ? apiTime(created) : Number.NaN;
  const ms = session.client.serverTime().getTime() - time;
  // What is off by more is no clock.
  if (!(Math.abs(ms) < unknownSkewMs)) return;
  environment.memory.skew.set(realAccountOf(environment, object), { ms, offsetMs: offsetOf(at) });
}

function offsetOf({ session, environment }: Connected): number {
  return session.client.serverTime().getTime() - environment.clock.now();
}
