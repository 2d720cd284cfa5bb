/** A plan: the requests that the operator would send, with their effects. `makePlan` (make-plan.ts) creates plans. */
import type { Json } from "../api/types.ts";
import type { Refusal } from "./apply.ts";

/** Effects of a request that users must know in advance. */
export type Disruption = "stops" | "rebuilds" | "replaces" | "deletes" | "losesData";

/** A value that a request changes. `field`: path in the spec, or the field of the API without a field in the spec. */
export interface PlannedChange {
  field: string;
  /** Absent for a new value, and for a value that the account does not show. */
  before?: Json;
  /** Absent for a removed value. */
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
  /** Differences between spec and cloud at the end of the plan, such as with driftPolicy Report. */
  drift?: string;
  /** Why the object is not ready at the end of the plan. */
  waits?: { reason: string; message: string };
}

/** The stable form of `-o json`. */
export interface Plan {
  version: 1;
  /** Objects with operations, sorted by their first operation. Waiting objects follow. */
  objects: PlannedObject[];
  counts: Record<PlannedAction | "waiting" | "refused", number>;
  disruption: Disruption[];
  /** Price of all instances and databases of the account, in US dollars per month. */
  monthly: { before: string; after: string };
  /** Manifests that the API server would refuse. */
  refusals: Refusal[];
  /** Assumed objects. A manifest refers to such an object, and neither the manifests nor the cluster contain the object. */
  assumed: string[];
  /** Facts with an effect on operations that the account does not show. */
  unknown: string[];
  /** False: the operator still had work at the end of the bound. The plan lacks later operations. */
  complete: boolean;
}

/** Replaces a value that only the execution can show. */
export const knownAfter = "(known after apply)";

export const sensitive = "(sensitive)";
