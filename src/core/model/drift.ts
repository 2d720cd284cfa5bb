/**
 * Counting drift: a cloud object that matched its spec and does not any more, or is only observed and differs.
 *
 * Each drift counts once, however many reconciles it takes: as detected when it is first seen, as corrected when what was
 * sent against it took effect. One that is only reported, or disappears without a change of ours, is never corrected.
 */
import type { Connected, Observed } from "./context.ts";

/** The spec as it is was applied before: a difference now came about behind our back. */
export function wasMadeSo({ object, stored }: Connected): boolean {
  return stored.appliedGeneration === object.metadata.generation;
}

/** A difference was seen, and is one that nobody asked for. */
export function noteDrift({ remembered, environment, kind }: Connected): void {
  if (remembered.drift !== undefined) return;
  remembered.drift = "seen";
  environment.drifted(kind.kind, "detected");
}

/** Something was sent to bring the cloud object to its spec. */
export function noteRepair(at: Connected): void {
  if (at.remembered.drift !== undefined) at.remembered.drift = "repaired";
}

/** The reconcile has compared everything: what is left is drift; where nothing is left, an earlier drift is over. */
export function settleDrift(at: Observed): void {
  const { next, remembered, environment, kind } = at;
  if ((next.drift ?? []).length > 0) return noteDrift(at);
  if (remembered.drift === "repaired") environment.drifted(kind.kind, "corrected");
  remembered.drift = undefined;
}
