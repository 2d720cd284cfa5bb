/** The calls of a step, decided by a read of its part of the cloud object. */
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

/** Reads what a step compares, and returns the calls. Throws what the step throws. */
export async function decideStep(at: Observed, name: string, step: AnyStep, anew = false): Promise<Decided> {
  const { reads, current } = await readStep(at, name, step, anew);
  refreshAdditions(at, step, current);
  const calls = callsOf(at, step, reads, current);
  // An old list does not show which objects had an addition before.
  if (!anew && calls.some(({ claims }) => claims)) return decideStep(at, name, step, true);
  return { reads, current, calls };
}

async function readStep(at: Observed, name: string, step: AnyStep, anew: boolean): Promise<Omit<Decided, "calls">> {
  const asked = step.read?.(live(at));
  const reads = asked ?? (at.next.observed && step.observes?.(live(at)));
  if (!reads) return { reads, current: undefined };
  const after = anew || mayShowLate(at, name) ? at.startedAt : -Infinity;
  const answer = at.session.observer.detail(reads.path, { ...reads, urgent: at.urgent, after });
  // What nobody asks for is shown as far as the token may read it.
  return { reads, current: asked ? await answer : await answer.catch(() => undefined) };
}

function callsOf(at: Observed, step: AnyStep, reads: Detail | undefined, current: Json | undefined): Call[] {
  try {
    return step.calls(live(at), current);
  } catch (error) {
    // What it waits for, or cannot be read, is read afresh.
    if (reads) at.session.observer.invalidate(reads.path);
    throw error;
  }
}
