/**
 * What a request is based on is proven once more before it leaves, where it was held: by the rate limit, or by other requests
 * of its reconcile. Meanwhile ids are used again, and others act on the same cloud objects.
 */
import { isDeepStrictEqual } from "node:util";
import type { Request } from "../kind/call.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Resolved } from "../kind/reference.ts";
import { requireSame } from "./presence.ts";
import { resolveObjects } from "./referenced.ts";
import type { Located, Observed } from "./reconciliation.ts";

/** What is younger than that is not proven again, milliseconds. */
export const promptMs = 100;
/** …of what a spec refers to: one read serves all that are created within it meanwhile. */
const referredMs = 2_000;

/** Throws `Waiting` where the id, or what the spec refers to, means something else by now. `askedAt`: clock milliseconds. */
export async function proveAgain(at: Located & Partial<Observed>, { method }: Request, askedAt: number): Promise<void> {
  const now = at.environment.clock.now();
  if (now - askedAt > promptMs && at.id !== undefined && at.row) await requireSame({ ...at, id: at.id, row: at.row });
  // What is deleted goes, whatever became of what it refers to.
  const leaves = method === "DELETE" || at.object.metadata.deletionTimestamp !== undefined;
  if (!leaves && now - at.startedAt > referredMs) await requireReferred(at, now - referredMs);
}

/** One read serves all that refer to the same within `referredMs`. */
async function requireReferred(at: Located, startedAt: number): Promise<void> {
  for (const [name, reference] of Object.entries(at.kind.references ?? {})) {
    const before = at.wanted.refs[name] as Resolved | Resolved[] | string | undefined;
    if ("secret" in reference || before === undefined) continue;
    const after = await resolveObjects({ ...at, startedAt }, name, reference, { anew: true });
    if (isDeepStrictEqual(meaningOf(after), meaningOf(before))) continue;
    throw new Waiting("Updating", `what spec.${name} refers to was replaced meanwhile`, 100, { transient: true });
  }
}

/** The ids, and whose they were. */
function meaningOf(resolved: Resolved | Resolved[] | string | undefined): unknown {
  if (Array.isArray(resolved)) return resolved.map(meaningOf);
  return typeof resolved === "object" ? [resolved.id, resolved.list, resolved.origin] : resolved;
}
