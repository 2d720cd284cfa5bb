/** Status fields that all kinds share. */
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import { freeForm } from "./schema.ts";

const condition = z.object({
  type: z.string().max(316),
  status: z.enum(["True", "False", "Unknown"]),
  observedGeneration: z.int().min(0).optional(),
  lastTransitionTime: z.string().max(40).meta({ format: "date-time" }),
  reason: z.string().max(1024),
  message: z.string().max(32768),
});

export type Condition = z.infer<typeof condition>;

/** A disruptive operation, in the signed record and in the signed journal entry. */
export const operationSchema = z.object({
  /** Names the operation in conditions, and in the annotation for a new attempt. */
  id: z.string(),
  /** Name of the action, such as Resize. */
  action: z.string(),
  /** Time of the request, by the clock of the cloud API. */
  time: z.string(),
  /** Values that the cloud object shows after the operation. */
  applies: z.record(z.string(), z.string()).optional(),
  /** The result is known, or the spec no longer requests the operation. */
  settled: z.boolean().optional(),
  /** Subject of the request, if no cloud object can show the result. */
  about: z.string().optional(),
  /** Why the cloud API refused the request. */
  refused: z.string().optional(),
  /** The newest event of the same type before the request. */
  after: z.string().optional(),
});

export type Operation = z.infer<typeof operationSchema>;

const plannedOperationSchema = z.object({
  method: z.string().max(8).describe("HTTP method."),
  path: z.string().max(512).describe("Path of the cloud API."),
  note: z.string().max(1024).describe("Effect of the request: old and new values."),
  body: z.string().max(2048).describe("Body as JSON, with (sensitive) for values of Secrets.").optional(),
  refused: z
    .string()
    .max(512)
    .describe("Reason why the operator does not send the request, even after an approval.")
    .optional(),
});

export type PlannedOperation = z.infer<typeof plannedOperationSchema>;

const plan = z.object({
  hash: z
    .string()
    .max(64)
    .describe("Value of the annotation cloudplatform.dev/approve. The value approves the plan once."),
  operations: z
    .array(plannedOperationSchema)
    .max(32)
    .meta({ listType: "atomic" })
    .describe("First 32 requests, in order. The operator plans later requests from the results of these requests."),
  total: z.int().min(1).describe("Total number of requests."),
  stops: z
    .boolean()
    .describe("True if the requests stop the instance, at least for a short time. Only for instances.")
    .optional(),
  monthly: z
    .object({
      before: z.string().max(32).describe("Price without the requests.").optional(),
      after: z.string().max(32).describe("Price with the requests.").optional(),
    })
    .describe("Price per month in US dollars, from the price list of the cloud. Only for instances.")
    .optional(),
});

export type Plan = z.infer<typeof plan>;

export const runSchema = z.object({
  id: z.string().max(64).describe("Identifier of the operation."),
  startedAt: z.string().max(40).meta({ format: "date-time" }).describe("Time of the request."),
  accepted: z.boolean().describe("True if the cloud API accepted the request.").optional(),
  progressPercent: z.int().min(0).max(100).describe("Progress, from the events of the cloud.").optional(),
  finishedAt: z.string().max(40).meta({ format: "date-time" }).describe("End of the run.").optional(),
  made: z.string().max(64).describe("Identifier in the API of the cloud object that the run created.").optional(),
  result: z
    .enum(["Complete", "Failed", "Superseded"])
    .describe("Outcome of the run. Superseded: the created cloud object no longer exists.")
    .optional(),
  message: z.string().max(1024).describe("Reason for a failure, or the fate of the created cloud object.").optional(),
});

export type Run = z.infer<typeof runSchema>;

export const commonStatus = {
  id: z.string().max(253).describe("Identifier of the cloud object in the API.").optional(),
  record: z
    .string()
    .max(262_144)
    .describe(
      "What the operator knows of the cloud object, with a signature. The operator ignores a text without a valid signature.",
    )
    .optional(),
  observedGeneration: z
    .int()
    .min(-1)
    .describe("Generation that the conditions describe. -1 before the first reconcile.")
    .optional(),
  conditions: z
    .array(condition)
    .max(16)
    .meta({ listType: "map", listMapKeys: ["type"] })
    .describe("Ready, plus Reconciling or Stalled until the object is settled.")
    .optional(),
  observed: freeForm(
    "Values in the cloud, in the form of the spec. Present with the policy Observe. You can copy the values into the spec unchanged.",
  ).optional(),
  plan: plan
    .describe(
      "Requests that wait for approval. Present with the policy Plan, for an adopted cloud object that differs, and if the operator is read-only.",
    )
    .optional(),
};

/** Additional status fields of a kind that runs once. */
export const onceStatus = {
  run: runSchema.describe("Progress and result of the run.").optional(),
};

export interface CommonStatus {
  id?: string;
  record?: string;
  observedGeneration?: number;
  conditions?: Condition[];
  observed?: JsonObject;
  plan?: Plan;
  run?: Run;
}
