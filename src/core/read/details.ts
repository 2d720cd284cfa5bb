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
  ctx: Observed,
  after?: number,
  applied = ctx.next.applied,
): Promise<Record<string, Json | undefined>> {
  const answers: Record<string, Json | undefined> = {};
  for (const [name, { path, optional, ...shape }] of Object.entries(
    ctx.kind.details?.({ ...live(ctx), applied }) ?? {},
  )) {
    const options = { urgent: ctx.urgent, ...shape, ...(after !== undefined && { after }) };
    answers[name] = await ctx.session.observer.detail(path, options).catch((error: unknown) => {
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
export function guardedReads(ctx: Observed): GuardedRead[] {
  const shown = new Set(Object.values(ctx.kind.details?.(live(ctx)) ?? {}).map(({ path }) => path));
  return Object.values(ctx.kind.steps ?? {}).flatMap(({ guards, read, observes }) => {
    const asked = read?.(live(ctx));
    const found = asked ?? observes?.(live(ctx));
    if (!guards || !found) return [];
    const isRead = asked !== undefined || ctx.next.observed !== undefined || shown.has(found.path);
    return isRead ? [{ ...found, told: guards === "told" }] : [];
  });
}
