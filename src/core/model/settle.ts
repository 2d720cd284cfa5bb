/** How long what was sent may still take effect: design, section 5. It knows no session, so that all may ask. */
import type { KubeObject } from "../../cluster/types.ts";
import type { Environment } from "./environment.ts";
import type { Kind } from "../kind/owned.ts";
import { keyOfObject } from "../kind/resource.ts";

/** How long a POST without a response may still take effect, milliseconds. */
export function settleMsOf({ environment, kind }: { environment: Environment; kind: Kind }): number {
  return kind.billable ? environment.settle.billableMs : environment.settle.freeMs;
}

/**
 * How long what was asked for may still appear without being in each list that is believed, milliseconds; 0: nothing may. By this
 * process's own clock: nothing says how far the one that wrote the intent, or the cloud's, is from it.
 */
export function appearsForMs(environment: Environment, object: KubeObject): number {
  const { claims, memory, clock, kinds, sweepMs } = environment;
  const kind = kinds.get(object.kind);
  if (!kind) return 0;
  const { claiming, lost } = memory.of(object.metadata.uid);
  // A list may be as old as a sweep.
  const wholeMs = settleMsOf({ environment, kind }) + sweepMs;
  if (claiming !== undefined) return wholeMs;
  const { open } = claims.of(keyOfObject(object)) ?? {};
  return open ? Math.max(0, Math.max(lost?.at ?? -Infinity, open.since) + wholeMs - clock.now()) : 0;
}
