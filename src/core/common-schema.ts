/** The part of spec and status that every kind has. */
import * as z from "zod";
import type { IdPattern } from "./schema.ts";
import { immutable, externalId, objectName, rule } from "./schema.ts";

const accountRef = immutable(
  z
    .object({
      name: objectName.describe("Name of the CloudAccount."),
      namespace: z
        .string()
        .min(1)
        .max(63)
        .describe("Its namespace, where that account is shared with this one; this namespace if not given.")
        .optional(),
    })
    .describe("The CloudAccount that this object belongs to; the one named `default` if not given. Cannot be changed."),
);

const filter = rule(
  z
    .record(z.string().max(64), z.string().max(253))
    .meta({ branded: "fields" })
    .describe("Fields of the API and the values they must have; exactly one object must match."),
  {
    cel: "size(self) >= 1 && size(self) <= 8",
    check: (fields) => Object.keys(fields).length >= 1 && Object.keys(fields).length <= 8,
    message: "must have one to eight fields",
  },
);

const adopt = (idPattern: IdPattern | undefined) =>
  rule(
    z.object({
      id: externalId(idPattern).describe("Identifier of the object in the API.").optional(),
      filter: filter.optional(),
    }),
    {
      cel: "has(self.id) != has(self.filter)",
      check: (value) => (value.id === undefined) !== (value.filter === undefined),
      message: "exactly one of id and filter must be given",
    },
  ).describe("Take over an object that exists already. Without it nothing that exists is ever taken.");

const management = (idPattern: IdPattern | undefined) =>
  z
    .object({
      policy: z
        .enum(["Manage", "Observe", "Paused"])
        .describe("Manage (default): make it so. Observe: report only. Paused: leave alone.")
        .optional(),
      adopt: adopt(idPattern).optional(),
      deletionPolicy: z
        .enum(["Delete", "Orphan"])
        .describe(
          "What happens in the cloud when this object is deleted. Delete is the default; Observe implies Orphan.",
        )
        .optional(),
      driftPolicy: z
        .enum(["Correct", "Report"])
        .describe("Repair a difference (default), or only say it in the Drifted condition.")
        .optional(),
      missingPolicy: z
        .enum(["Recreate", "Report"])
        .describe(
          "What to do when the cloud object vanished. Recreate is the default, but Report where it held data that nothing here can bring back.",
        )
        .optional(),
      protect: z.boolean().describe("Refuse the deletion of this object, at the API server.").optional(),
    })
    .describe("How this object is managed.");

/** What every spec has. `idPattern`: how ids of the kind are written; numbers if not given. */
export function commonSpec(idPattern?: IdPattern) {
  return { accountRef: accountRef.optional(), management: management(idPattern).optional() };
}

export type Management = z.infer<ReturnType<typeof management>>;

export interface CommonSpec {
  accountRef?: { name: string; namespace?: string | undefined } | undefined;
  management?: Management | undefined;
}

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
  id: z.string().max(64).describe("Names the operation, in conditions and in the annotation that allows another try."),
  action: z.string().max(64).describe("What was asked for."),
  mark: z.string().max(64).describe("Digest of the request."),
  time: z
    .string()
    .max(40)
    .meta({ format: "date-time" })
    .describe("When it was asked for, by the clock of the cloud API."),
  applies: z
    .record(z.string().max(64), z.string().max(253))
    .meta({ maxProperties: 16 })
    .describe("The values that show that it was done.")
    .optional(),
  settled: z.boolean().describe("What became of it is known, or nobody asks for it any more.").optional(),
});

export type Operation = z.infer<typeof operationSchema>;

export const commonStatus = {
  id: z.string().max(253).describe("Identifier in the API.").optional(),
  origin: z
    .string()
    .max(64)
    .describe("What tells that the identifier still means the same cloud object: when that was created.")
    .optional(),
  proof: z
    .string()
    .max(64)
    .describe("Signature of id, origin and adopted by the operator: what anybody else wrote there does not count.")
    .optional(),
  adopted: z.boolean().describe("The cloud object was taken over, not created by the operator.").optional(),
  operations: z
    .array(operationSchema)
    .max(8)
    .meta({ listType: "map", listMapKeys: ["action"] })
    .describe("The last disruptive operation of each sort.")
    .optional(),
  deletedID: z
    .string()
    .max(253)
    .describe("The identifier whose deletion was begun with a restricted token, which does not see what becomes of it.")
    .optional(),
  observedGeneration: z
    .int()
    .min(-1)
    .describe("The generation that the conditions speak of; -1 before the first look.")
    .optional(),
  conditions: z
    .array(condition)
    .max(16)
    .meta({ listType: "map", listMapKeys: ["type"] })
    .describe("Ready, and Reconciling or Stalled while not settled.")
    .optional(),
  applied: z
    .record(z.string().max(64), z.string().max(253))
    .meta({ maxProperties: 16 })
    .describe("The values last applied of fields whose change disrupts.")
    .optional(),
  appliedGeneration: z
    .int()
    .min(0)
    .describe("The generation that was last made so in whole: what differs later is drift.")
    .optional(),
  refusedAttempt: z
    .string()
    .max(64)
    .describe("The creation attempt that the service refused, so that another is safe.")
    .optional(),
};

export interface CommonStatus {
  id?: string;
  origin?: string;
  proof?: string;
  adopted?: boolean;
  operations?: Operation[];
  deletedID?: string;
  observedGeneration?: number;
  conditions?: Condition[];
  applied?: Record<string, string>;
  appliedGeneration?: number;
  refusedAttempt?: string;
}
