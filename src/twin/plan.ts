/** A plan: the requests that the operator would send, with their effects. `makePlan` (make-plan.ts) creates plans. */
import type { Json } from "../api/types.ts";
import type { Refusal } from "./apply.ts";

/** Effects of a request that users must know before the request. */
export type Disruption = "stops" | "rebuilds" | "replaces" | "deletes" | "losesData";

/** A value that a request changes. `field`: path in the spec, or the field of the API without a field in the spec. */
export interface PlannedChange {
  field: string;
  /** Absent for a value that did not exist, or that the account does not show. */
  before?: Json;
  /** Absent for a value that the request removes. */
  after?: Json;
}

export interface PlannedOperation {
  /** Position among all operations, from 1. */
  step: number;
  action: string;
  method: string;
  path: string;
  changes: PlannedChange[];
  disruption: Disruption[];
  /** Reason of the cloud API, if the cloud API refuses the request. */
  refused?: string;
}

export type PlannedAction = "create" | "change" | "replace" | "delete" | "none";

export interface ObjectName {
  kind: string;
  namespace: string;
  name: string;
}

export interface PlannedObject extends ObjectName {
  action: PlannedAction;
  disruption: Disruption[];
  operations: PlannedOperation[];
  /** Price per month in US dollars, such as $12.00, for kinds with prices. */
  monthly?: { before: string; after: string };
  /** Differences between spec and cloud that remain after all operations, such as with driftPolicy Report. */
  drift?: string;
  /** Why the object is not ready after all operations. */
  waits?: { reason: string; message: string };
}

/** The stable form of `-o json`. */
export interface Plan {
  version: 1;
  /** Objects with operations in the order of their first operation, then objects that wait. */
  objects: PlannedObject[];
  counts: Record<PlannedAction | "waiting" | "refused", number>;
  disruption: Disruption[];
  /** Price of all instances and databases of the account, in US dollars per month. */
  monthly: { before: string; after: string };
  /** Manifests that the API server would refuse. */
  refusals: Refusal[];
  /** Objects that the plan assumes, because no manifest and no cluster has them. */
  assumed: string[];
  /** Facts that the account does not show, and on which operations can depend. */
  unknown: string[];
  /** False: the operator still had work at the end of the bound. The plan lacks later operations. */
  complete: boolean;
}

/** Text in place of a value that only the execution knows. */
export const knownAfter = "(known after apply)";

export const sensitive = "(sensitive)";
