/** The part of the status that every kind has. */
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
    .describe("Names the operation, in conditions and in the annotation that allows another attempt."),
  action: z.string().max(64).describe("What was asked for."),
  time: z
    .string()
    .max(40)
    .meta({ format: "date-time" })
    .describe("When it was asked for, by the clock of the cloud API."),
  applies: z
    .record(z.string(), z.string().max(253))
    .meta({ maxProperties: 16, ownKeys: true })
    .describe("The values that show that it was done.")
    .optional(),
  settled: z.boolean().describe("Its result is known, or it is no longer asked for.").optional(),
  about: z.string().max(253).describe("What was asked for, where no cloud object shows that it was done.").optional(),
  refused: z.string().max(253).describe("Why the cloud API refused it.").optional(),
});

/** …as the intent records it: `after` is the newest event that told of the like before. */
export const begunOperationSchema = operationSchema.extend({ after: z.string().max(64).optional() });

export type Operation = z.infer<typeof begunOperationSchema>;

const plannedOperation = z.object({
  method: z.string().max(8).describe("HTTP method."),
  path: z.string().max(512).describe("Path of the cloud API."),
  note: z.string().max(512).describe("What it does."),
  body: z.string().max(2048).describe("What is sent, as JSON; values of Secrets are shown as (sensitive).").optional(),
});

export type PlannedOperation = z.infer<typeof plannedOperation>;

const plan = z.object({
  hash: z.string().max(64).describe("The value of the annotation cloudplatform.dev/approve that approves it, once."),
  operations: z
    .array(plannedOperation)
    .max(32)
    .meta({ listType: "atomic" })
    .describe("The first 32 requests, in order. What follows from their results is planned after them."),
  total: z.int().min(1).describe("How many requests there are in all."),
});

export type Plan = z.infer<typeof plan>;

const run = z.object({
  id: z.string().max(64).describe("Names the operation."),
  startedAt: z.string().max(40).meta({ format: "date-time" }).describe("When it was asked for."),
  accepted: z.boolean().describe("The cloud API accepted it.").optional(),
  progressPercent: z.int().min(0).max(100).describe("How far it is, as the cloud's events tell.").optional(),
  finishedAt: z.string().max(40).meta({ format: "date-time" }).describe("When it ended.").optional(),
  made: z.string().max(64).describe("Identifier in the API of what it has made.").optional(),
  result: z
    .enum(["Complete", "Failed", "Superseded"])
    .describe("How it ended. Superseded: what it has made is not there any more.")
    .optional(),
  message: z.string().max(1024).describe("Why it failed, or what became of what it has made.").optional(),
});

export type Run = z.infer<typeof run>;

export const commonStatus = {
  id: z.string().max(253).describe("Identifier in the API.").optional(),
  origin: z
    .string()
    .max(64)
    .describe("Shows that the identifier means the same cloud object: when that was created.")
    .optional(),
  proof: z.string().max(64).describe("Signature of id, origin and adopted; values without it are ignored.").optional(),
  appliedProof: z
    .string()
    .max(64)
    .describe("Signature of applied, operations, deletedID and refusedAttempt; values without it are ignored.")
    .optional(),
  adopted: z.boolean().describe("The cloud object was adopted, not created by the operator.").optional(),
  operations: z
    .array(operationSchema)
    .max(8)
    .meta({ listType: "map", listMapKeys: ["action"] })
    .describe("The last disruptive operation of each action.")
    .optional(),
  deletedID: z
    .string()
    .max(253)
    .describe("The identifier whose deletion was started with a restricted token, which cannot see the result.")
    .optional(),
  observedGeneration: z
    .int()
    .min(-1)
    .describe("The generation that the conditions describe; -1 before the first reconcile.")
    .optional(),
  conditions: z
    .array(condition)
    .max(16)
    .meta({ listType: "map", listMapKeys: ["type"] })
    .describe("Ready, and Reconciling or Stalled while not settled.")
    .optional(),
  applied: z
    .record(z.string(), z.string().max(10_240))
    .meta({ maxProperties: 16, ownKeys: true })
    .describe("What was last applied of fields whose change disrupts, and what was added to other cloud objects.")
    .optional(),
  appliedGeneration: z
    .int()
    .min(0)
    .describe("The generation that was last applied completely; later differences are drift.")
    .optional(),
  observed: freeForm(
    "What the cloud has of each field that the spec can say, in its words, where the policy is Observe. It can be written into the spec as it is.",
  ).optional(),
  plan: plan.describe("What would be done, where the policy is Plan.").optional(),
  approvedPlan: z.string().max(64).describe("The hash of the plan that was approved last.").optional(),
  refusedAttempt: z
    .string()
    .max(64)
    .describe("The creation attempt that the cloud API refused, so that another one is safe.")
    .optional(),
};

/** What the status of something that runs once has besides. */
export const onceStatus = {
  run: run.describe("The one run.").optional(),
  applied: commonStatus.applied.describe("When what each id in the spec named at first was created."),
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
