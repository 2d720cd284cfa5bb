/** What decides who may use a kind: the classes of its leaves, and its reach. */
import { leavesOf } from "../kind/leaves.ts";
import type { Leaf } from "../kind/leaves.ts";
import type { Kind } from "../kind/owned.ts";
import type { Reach } from "../kind/reach.ts";

export interface Tenancy {
  leaves: Leaf[];
  /** `spec`: the spec decides. */
  reach: Reach | "spec";
  steps: Record<string, Reach>;
}

export function tenancyOf({ spec, reach, steps = {} }: Pick<Kind, "spec" | "reach" | "steps">): Tenancy {
  return {
    leaves: leavesOf(spec),
    reach: typeof reach === "function" ? "spec" : reach,
    steps: Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, step.reach])),
  };
}
