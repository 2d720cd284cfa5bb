/** Reads the part of the cloud object that a step manages, and decides the calls of the step. */
import type { Json } from "../../api/types.ts";
import type { Call, Detail } from "../kind/call.ts";
import type { Kind } from "../kind/owned.ts";
import { refreshAdditions } from "../store/additions.ts";
import { mayShowLate } from "../send/ineffective.ts";
import type { Observed } from "../model/context.ts";
import { live } from "../model/context.ts";

export type AnyStep = NonNullable<Kind["steps"]>[string];

interface Decided {
  reads: Detail | undefined;
  current: Json | undefined;
  calls: Call[];
}

/** Returns the calls of a step. `anew`: does not use a cached read. Throws the errors of the step. */
export async function decideStep(at: Observed, name: string, step: AnyStep, anew = false): Promise<Decided> {
  const { reads, current } = await readStep(at, name, step, anew);
  refreshAdditions(at, step, current);
  const calls = callsOf(at, step, reads, current);
  // A cached list does not prove that an addition is new.
  if (!anew && calls.some(({ claims }) => claims)) return decideStep(at, name, step, true);
  return { reads, current, calls };
}

async function readStep(at: Observed, name: string, step: AnyStep, anew: boolean): Promise<Omit<Decided, "calls">> {
  const asked = step.read?.(live(at));
  const reads = asked ?? (at.next.observed && step.observes?.(live(at)));
  if (!reads) return { reads, current: undefined };
  const after = anew || mayShowLate(at, name) ? at.startedAt : -Infinity;
  const answer = at.session.observer.detail(reads.path, { ...reads, urgent: at.urgent, after });
  // An optional read only fills the status, and the token can lack the grant for the read.
  return { reads, current: asked ? await answer : await answer.catch(() => undefined) };
}

function callsOf(at: Observed, step: AnyStep, reads: Detail | undefined, current: Json | undefined): Call[] {
  try {
    return step.calls(live(at), current);
  } catch (error) {
    // The next reconcile needs a fresh read, because the step waits for a change or cannot read the response.
    if (reads) at.session.observer.invalidate(reads.path);
    throw error;
  }
}
