/** What a kind reads besides the row. */
import type { Json } from "../../api/types.ts";
import { isHttpError } from "../kind/outcome.ts";
import type { Observed } from "./reconciliation.ts";
import { live } from "./reconciliation.ts";

/** By name. `after`: only a read that began then or later will do; as kept if not given. */
export async function readDetails(at: Observed, after?: number): Promise<Record<string, Json | undefined>> {
  const answers: Record<string, Json | undefined> = {};
  for (const [name, { path, optional, ...shape }] of Object.entries(at.kind.details?.(live(at)) ?? {})) {
    const options = { urgent: at.urgent, ...shape, ...(after !== undefined && { after }) };
    answers[name] = await at.session.observer.detail(path, options).catch((error: unknown) => {
      if (optional && isHttpError(error) && error.status === 404) return undefined;
      throw error;
    });
  }
  return answers;
}
