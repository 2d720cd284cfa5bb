/**
 * Counts drift. Drift means that a cloud object matched its spec before and differs now, or that an observed cloud
 * object differs. The operator counts a drift once as detected, and once as corrected if a request took effect.
 */
import type { Connected, Observed } from "./context.ts";

/**
 * Returns true if the operator applied this generation of the spec before. Without a change of the spec, a difference
 * is drift.
 */
export function wasMadeSo({ object, stored }: Connected): boolean {
  return stored.appliedGeneration === object.metadata.generation;
}

export function noteDrift({ remembered, environment, kind }: Connected): void {
  if (remembered.drift !== undefined) return;
  remembered.drift = "seen";
  environment.drifted(kind.kind, "detected");
}

export function noteRepair(ctx: Connected): void {
  if (ctx.remembered.drift !== undefined) ctx.remembered.drift = "repaired";
}

/**
 * Counts drift if a complete comparison found a difference. Otherwise ends the earlier drift, and counts it as corrected if the operator
 * repaired it.
 */
export function settleDrift(ctx: Observed): void {
  const { next, remembered, environment, kind } = ctx;
  if ((next.drift ?? []).length > 0) return noteDrift(ctx);
  if (remembered.drift === "repaired") environment.drifted(kind.kind, "corrected");
  remembered.drift = undefined;
}
