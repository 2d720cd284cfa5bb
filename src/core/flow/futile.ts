/** Changes that the cloud accepts and that do not take effect: they are sent once, and then reported. */
import { createHash } from "node:crypto";
import type { Futile } from "../claim/memory.ts";
import type { Observed } from "./reconciliation.ts";

/**
 * True for a change that was sent before and did not take effect: it is reported until the spec or the cloud changes.
 * `found`: what the cloud shows; what it shows first after the change was sent is what came of it.
 */
export function isFutile(
  { remembered }: Observed,
  name: string,
  { mark, found, times }: Change & { times: number },
): boolean {
  const sent = remembered.futile?.get(name);
  if (sent?.mark !== mark) return false;
  sent.found ??= found;
  if (sent.found !== found) Object.assign(sent, { times: 0, found });
  return sent.times >= times;
}

interface Change {
  mark: string;
  found: string;
}

/** `times`: as how often it counts. */
export function noteSent({ remembered }: Observed, name: string, mark: string, times = 1): void {
  const { futile = new Map<string, Futile>() } = remembered;
  remembered.futile = futile;
  const before = futile.get(name);
  futile.set(name, { mark, times: (before?.mark === mark ? before.times : 0) + times, found: undefined });
}

/** A digest, since a change may hold secrets. */
export function markOf({ object }: Observed, change: unknown): string {
  const text = JSON.stringify([object.metadata.generation, change]);
  return createHash("sha256").update(text).digest("base64");
}
