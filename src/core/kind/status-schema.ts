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

export const operationSchema = z.object({
  id: z
    .string()
    .max(64)
    .describe("Identifier of the operation in conditions, and in the annotation for a new attempt."),
  action: z.string().max(64).describe("Requested action, such as Resize."),
  time: z
    .string()
    .max(40)
    .meta({ format: "date-time" })
    .describe("Time of the request, by the clock of the cloud API."),
  applies: z
    .record(z.string(), z.string().max(253))
    .meta({ maxProperties: 16, ownKeys: true })
    .describe("Values that the cloud object shows after the operation.")
    .optional(),
  settled: z
    .boolean()
    .describe("True if the result is known, or if the spec no longer requests the operation.")
    .optional(),
  about: z.string().max(253).describe("Subject of the request, if no cloud object can show the result.").optional(),
  refused: z.string().max(253).describe("Reason why the cloud API refused the request.").optional(),
});

/** An operation in the intent. `after`: the newest event of the same type before the request. */
export const begunOperationSchema = operationSchema.extend({ after: z.string().max(64).optional() });

export type Operation = z.infer<typeof begunOperationSchema>;

const plannedOperation = z.object({
  method: z.string().max(8).describe("HTTP method."),
  path: z.string().max(512).describe("Path of the cloud API."),
  note: z.string().max(512).describe("Effect of the request."),
  body: z.string().max(2048).describe("Body as JSON, with (sensitive) for values of Secrets.").optional(),
});

export type PlannedOperation = z.infer<typeof plannedOperation>;

const plan = z.object({
  hash: z
    .string()
    .max(64)
    .describe("Value of the annotation cloudplatform.dev/approve. The value approves the plan once."),
  operations: z
    .array(plannedOperation)
    .max(32)
    .meta({ listType: "atomic" })
    .describe("First 32 requests, in order. The operator plans later requests from the results of these requests."),
  total: z.int().min(1).describe("Total number of requests."),
});

export type Plan = z.infer<typeof plan>;

const run = z.object({
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

export type Run = z.infer<typeof run>;

export const commonStatus = {
  id: z.string().max(253).describe("Identifier of the cloud object in the API.").optional(),
  origin: z
    .string()
    .max(64)
    .describe(
      "Creation time, or another fixed value of the cloud object. Shows whether the identifier still means the same cloud object.",
    )
    .optional(),
  proof: z
    .string()
    .max(64)
    .describe("Signature of id, origin and adopted. The operator ignores values without a valid signature.")
    .optional(),
  appliedProof: z
    .string()
    .max(64)
    .describe(
      "Signature of applied, operations, deletedID and refusedAttempt. The operator ignores values without a valid signature.",
    )
    .optional(),
  adopted: z.boolean().describe("True if the operator adopted the cloud object and did not create it.").optional(),
  operations: z
    .array(operationSchema)
    .max(8)
    .meta({ listType: "map", listMapKeys: ["action"] })
    .describe("Last disruptive operation of each action.")
    .optional(),
  deletedID: z
    .string()
    .max(253)
    .describe(
      "Identifier of a cloud object that the operator deleted with a restricted token. A restricted token cannot see the result.",
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
  applied: z
    .record(z.string(), z.string().max(10_240))
    .meta({ maxProperties: 16, ownKeys: true })
    .describe("Last applied values of disruptive fields, and additions to other cloud objects.")
    .optional(),
  appliedGeneration: z
    .int()
    .min(0)
    .describe("Last generation that the operator applied completely. Later differences in the cloud are drift.")
    .optional(),
  observed: freeForm(
    "Values in the cloud, in the form of the spec. Present with the policy Observe. You can copy the values into the spec unchanged.",
  ).optional(),
  plan: plan.describe("Requests that wait for approval. Present with the policy Plan.").optional(),
  approvedPlan: z.string().max(64).describe("Hash of the last approved plan.").optional(),
  refusedAttempt: z
    .string()
    .max(64)
    .describe("Creation attempt that the cloud API refused. A new attempt cannot create a duplicate.")
    .optional(),
};

/** Additional status fields of a kind that runs once. */
export const onceStatus = {
  run: run.describe("Progress and result of the run.").optional(),
  applied: commonStatus.applied.describe("Creation time of the cloud object that each ID in the spec named at first."),
};

export interface CommonStatus {
  id?: string;
  origin?: string;
  proof?: string;
  appliedProof?: string;
  adopted?: boolean;
  operations?: Operation[];
  deletedID?: string;
  observedGeneration?: number;
  conditions?: Condition[];
  applied?: Record<string, string>;
  appliedGeneration?: number;
  observed?: JsonObject;
  plan?: Plan;
  approvedPlan?: string;
  refusedAttempt?: string;
  run?: Run;
}
