/** What a creation sets beside the row: where a creation answers with what exists, it tells one's own from another's. */
import type { JsonObject } from "../../api/types.ts";
import type { Located } from "../flow/reconciliation.ts";
import { matches } from "../kind/differences.ts";

/** True where what the creation sets beside the row is there, and for a kind that sets nothing there. */
export async function showsSettings({ kind, wanted, session, environment }: Located, id: string): Promise<boolean> {
  const { path, fields } = kind.sets?.(wanted, id) ?? {};
  if (path === undefined || fields === undefined || Object.keys(fields).length === 0) return true;
  const needs = Object.keys(fields);
  const shown = await session.observer.detail(path, { after: environment.clock.now(), urgent: true, needs });
  return matches((shown ?? {}) as JsonObject, fields);
}
