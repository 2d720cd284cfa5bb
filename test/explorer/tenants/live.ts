/** Runs one life of tenants, and judges the life by the rules. */
import type { World } from "../../world/world.ts";
import type { Violation } from "../invariants.ts";
import { act } from "./act.ts";
import { rules } from "./rules.ts";
import { calm, furnish } from "./stage.ts";
import type { TenantLife } from "./story.ts";

/** Time to list every collection and reconcile every object after the last fault, milliseconds. */
const settlingMs = 15 * 60_000;

/** Runs a life. The same life and seed give the same violations. */
export async function liveAsTenants(
  life: TenantLife,
  seed: number,
): Promise<{ violations: Violation[]; world: World }> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const stage = await furnish(life, seed);
    for (const command of life.commands) await act(stage, command);
    calm(stage);
    await stage.world.advance(settlingMs);
    const violations = Object.entries(rules).flatMap(([invariant, rule]) =>
      rule(stage).map((violation) => Object.assign(violation, { invariant })),
    );
    stage.world.crash();
    return { violations, world: stage.world };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
