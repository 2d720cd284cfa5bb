/** Reads the details of a cloud object that are not in the row. */
import type { Json } from "../../api/types.ts";
import { isHttpError } from "../kind/outcome.ts";
import type { GuardedRead } from "../../observe/types.ts";
import type { Observed } from "../model/context.ts";
import { live } from "../model/context.ts";

/**
 * Returns the details of a cloud object by name. `after`: the earliest start of a read, clock milliseconds; by default,
 * a kept answer of any age counts. `applied`: the recorded values of an operation.
 */
export async function readDetails(
  at: Observed,
  after?: number,
  applied = at.next.applied,
): Promise<Record<string, Json | undefined>> {
  const answers: Record<string, Json | undefined> = {};
  for (const [name, { path, optional, ...shape }] of Object.entries(
    at.kind.details?.({ ...live(at), applied }) ?? {},
  )) {
    const options = { urgent: at.urgent, ...shape, ...(after !== undefined && { after }) };
    answers[name] = await at.session.observer.detail(path, options).catch((error: unknown) => {
      if (optional && isHttpError(error) && error.status === 404) return undefined;
      throw error;
    });
  }
  return answers;
}

/**
 * Returns the reads of the steps that guard access or money. A read in `observes` counts only if the report or
 * `status.observed` shows the answer.
 */
export function guardedReads(at: Observed): GuardedRead[] {
  const shown = new Set(Object.values(at.kind.details?.(live(at)) ?? {}).map(({ path }) => path));
  return Object.values(at.kind.steps ?? {}).flatMap(({ guards, read, observes }) => {
    const asked = read?.(live(at));
    const found = asked ?? observes?.(live(at));
    if (!guards || !found) return [];
    const isRead = asked !== undefined || at.next.observed !== undefined || shown.has(found.path);
    return isRead ? [{ ...found, told: guards === "told" }] : [];
  });
}
