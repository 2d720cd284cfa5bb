/** The time in which a request can still take effect. */
import type { KubeObject } from "../../cluster/types.ts";
import type { Environment } from "./environment.ts";
import type { Kind } from "../kind/owned.ts";
import { lostIn } from "./attempt.ts";
import { keyOfObject } from "../kind/resource.ts";

/** Returns how long a POST without a response can still take effect, milliseconds. */
export function settleMsOf({ environment, kind }: { environment: Environment; kind: Kind }): number {
  return kind.billable ? environment.settle.billableMs : environment.settle.freeMs;
}

/**
 * Returns how long the result of an open creation can still appear in lists, milliseconds; 0 without an open creation.
 * Uses only the clock of this process: the clocks of the cloud and of an earlier process can differ.
 */
export function appearsForMs(environment: Environment, object: KubeObject): number {
  const { claims, memory, clock, kinds, pollMs } = environment;
  const kind = kinds.get(object.kind);
  if (!kind) return 0;
  const remembered = memory.of(object.metadata.uid);
  // A list can be as old as a poll.
  const wholeMs = settleMsOf({ environment, kind }) + pollMs;
  if (remembered.claiming !== undefined) return wholeMs;
  const { open } = claims.of(keyOfObject(object)) ?? {};
  if (!open) return 0;
  const lostAt = lostIn(remembered, open)?.at ?? -Infinity;
  return Math.max(0, Math.max(lostAt, open.since) + wholeMs - clock.now());
}
