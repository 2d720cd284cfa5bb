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
export async function decideStep(ctx: Observed, name: string, step: AnyStep, anew = false): Promise<Decided> {
  const { reads, current } = await readStep(ctx, name, step, anew);
  refreshAdditions(ctx, step, current);
  const calls = callsOf(ctx, step, reads, current);
  // A cached list does not prove that an addition is new.
  if (!anew && calls.some(({ claims }) => claims)) return decideStep(ctx, name, step, true);
  return { reads, current, calls };
}

async function readStep(ctx: Observed, name: string, step: AnyStep, anew: boolean): Promise<Omit<Decided, "calls">> {
  const asked = step.read?.(live(ctx));
  const reads = asked ?? (ctx.next.observed && step.observes?.(live(ctx)));
  if (!reads) return { reads, current: undefined };
  // An approval is for the values that the plan showed. A cached read does not prove them.
  const isApproved = ctx.remembered.approved !== undefined;
  const after = anew || isApproved || mayShowLate(ctx, name) ? ctx.startedAt : -Infinity;
  const answer = ctx.session.observer.detail(reads.path, { ...reads, urgent: ctx.urgent, after });
  // An optional read only fills the status, and the token can lack the grant for the read.
  return { reads, current: asked ? await answer : await answer.catch(() => undefined) };
}

function callsOf(ctx: Observed, step: AnyStep, reads: Detail | undefined, current: Json | undefined): Call[] {
  try {
    return step.calls(live(ctx), current);
  } catch (error) {
    // The next reconcile needs a fresh read, because the step waits for a change or cannot read the response.
    if (reads) ctx.session.observer.invalidate(reads.path);
    throw error;
  }
}
