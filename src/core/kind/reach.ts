/** Reach of a kind, or of a step, in the account. */

/**
 * `own`: the cloud object of the custom resource, and cloud objects that the spec names. `existing`: further cloud objects of
 * the account. `account`: the account as a whole, or the user of the token.
 */
export type Reach = "own" | "existing" | "account";

/** A reach, and the field of the spec that causes the reach, for messages. */
export interface Reaching {
  reach: Reach;
  /** Such as `spec.bucketAccess: not given, which means every bucket`. */
  because: string;
}

/** The reach of a kind: a constant, or a function of the spec. */
export type KindReach<Spec> = Reach | ((spec: Spec) => Reaching);

/** Returns the reach of an object with this spec. */
export function reachOf(
  { kind, reach }: { kind: string; reach: KindReach<never> },
  spec: Record<string, unknown>,
): Reaching {
  if (typeof reach === "function") return reach(spec as never);
  return { reach, because: `spec.accountRef: ${kind} acts on the account as a whole` };
}

/** Returns the reach of a step. */
export function stepReach({ kind }: { kind: string }, name: string, { reach }: { reach: Reach }): Reaching {
  return { reach, because: `spec: this ${kind} would change cloud objects of other users (${name})` };
}
