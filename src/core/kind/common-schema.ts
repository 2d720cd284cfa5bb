/** Spec fields that all kinds share. */
import * as z from "zod";
import type { IdPattern } from "./schema.ts";
import { memoize } from "./memoize.ts";
import { classified, cloudName } from "./leaf-class.ts";
import { immutable, nameOfObject, namespaceName, oneWithId, plainId } from "./schema.ts";

const accountRef = immutable(
  z
    .object({
      name: nameOfObject("CloudAccount").describe("Name of the CloudAccount."),
      namespace: classified(namespaceName, { is: "reference", to: "CloudAccount" })
        .describe(
          "Name of the namespace of the CloudAccount. Defaults to the namespace of the object. A CloudAccount in another namespace must be shared with the namespace of the object.",
        )
        .optional(),
    })
    .describe(
      "CloudAccount that the object belongs to. Defaults to the CloudAccount named `default` in the namespace of the object. Cannot be changed.",
    ),
  { absent: { name: "default" } },
);

const filter = z
  .record(z.string(), z.string().max(253))
  .meta({ leaf: { is: "cloudName", of: "itself" }, branded: "fields", maxProperties: 8, ownKeys: true })
  .describe("Fields of the API and their values. The operator adopts a cloud object only if exactly one matches.");

const adoptSchema = (idPattern: IdPattern | undefined) =>
  oneWithId(
    z.object({
      id: cloudName("itself", plainId).describe("Identifier of the cloud object in the API.").optional(),
      filter: filter.optional(),
      overwrite: z
        .boolean()
        .describe(
          "Whether the operator immediately changes the adopted cloud object to match the spec. Defaults to false: the operator first shows each difference in access, data or cost as a plan, and sends the requests when the annotation cloudplatform.dev/approve has the hash of the plan.",
        )
        .optional(),
    }),
    "filter",
    idPattern,
    {
      cel: "size(self.filter) > 0 && self.filter.all(key, size(key) <= 64)",
      check: (fields) => areFields(Object.keys(fields as object)),
      message: "filter must have one to eight fields, with names of at most 64 characters",
    },
  ).describe(
    "Existing cloud object that the operator takes over. If absent, the operator adopts no existing cloud object.",
  );

const areFields = (names: string[]): boolean =>
  names.length >= 1 && names.length <= 8 && names.every((name) => name.length <= 64);

/** Builds the schema once for every ID format, because all kinds contain the schema. */
const management = memoize((idPattern: IdPattern | undefined) =>
  z
    .object({
      policy: z
        .enum(["Manage", "Observe", "Plan", "Paused"])
        .describe(
          "Manage (default): change the cloud to match the spec. Observe: report only. Plan: show the requests in status.plan, and send them when the annotation cloudplatform.dev/approve has the hash of the plan. Paused: do nothing.",
        )
        .optional(),
      adopt: adoptSchema(idPattern).optional(),
      deletionPolicy: z
        .enum(["Delete", "Orphan"])
        .describe(
          "Effect in the cloud when you delete the object. Delete (default): delete the cloud object, or undo a setting if the kind supports undo. Orphan: change nothing. The policy Observe implies Orphan.",
        )
        .optional(),
      driftPolicy: z
        .enum(["Correct", "Report"])
        .describe(
          "Correct (default): repair a difference between spec and cloud. Report: only report the difference in the Drifted condition.",
        )
        .optional(),
      missingPolicy: z
        .enum(["Recreate", "Report"])
        .describe(
          "Reaction to a missing cloud object. Recreate: create a new cloud object. Report: only report the loss. Defaults to Recreate, or to Report if the cloud object held data that the operator cannot restore.",
        )
        .optional(),
      protect: z
        .boolean()
        .describe(
          "If true, the API server refuses to delete the object. Defaults to false. If the object has data in the cloud, the default is the setting protectByDefault of the operator.",
        )
        .optional(),
    })
    .describe("How the operator manages the object."),
);

/** Returns the common spec of a setting. A setting always exists: adoption and a policy for loss have no meaning. */
export function settingSpec() {
  return {
    accountRef: accountRef.optional(),
    management: management(undefined)
      .omit({ adopt: true, missingPolicy: true })
      .describe("How the operator manages the object.")
      .optional(),
  };
}

/** Returns the common spec of a survey. A survey changes nothing in the cloud: only `protect` and `policy` apply. */
export function surveySpec() {
  const policy = z.enum(["Manage", "Paused"]).describe("Manage (default): read the account. Paused: do nothing.");
  const offered = management(undefined).pick({ protect: true }).extend({ policy: policy.optional() });
  return {
    accountRef: accountRef.optional(),
    management: offered.describe("How the operator manages the object.").optional(),
  };
}

const notAfter = z
  .string()
  .max(40)
  .meta({ leaf: { is: "value" }, format: "date-time" })
  .describe(
    "Deadline for the start, by the clock of the cloud API. After the deadline, the operator does not start the run.",
  );

/** Returns the common spec of a kind that runs once. */
export function onceSpec() {
  const offered = management(undefined)
    .pick({ protect: true })
    .extend({
      policy: z
        .enum(["Manage", "Plan", "Paused"])
        .describe(
          "Manage (default): run the operation. Plan: show the request in status.plan, and send it when the annotation cloudplatform.dev/approve has the hash of the plan. Paused: do nothing.",
        )
        .optional(),
    });
  return {
    accountRef: accountRef.optional(),
    management: offered.describe("How the operator manages the object.").optional(),
    notAfter: immutable(notAfter).optional(),
    ttlSecondsAfterFinished: z
      .int()
      .min(0)
      .max(31_536_000)
      .describe(
        "Time in seconds between the end of the run and the deletion of the object, as for Jobs. If absent, the object stays. Do not use with GitOps: GitOps applies a deleted object again, and the operation runs again.",
      )
      .optional(),
  };
}

/** Returns the common spec of a kind of the shape `owned`. `idPattern`: ID format of the kind. Defaults to numbers. */
export function commonSpec(idPattern?: IdPattern) {
  return { accountRef: accountRef.optional(), management: management(idPattern).optional() };
}

/** Returns the common spec of a kind whose cloud objects the operator never deletes. */
export function stayingSpec(idPattern?: IdPattern) {
  const offered = management(idPattern).omit({ deletionPolicy: true });
  return {
    accountRef: accountRef.optional(),
    management: offered.describe("How the operator manages the object.").optional(),
  };
}

export type Management = z.infer<ReturnType<typeof management>>;

export interface CommonSpec {
  accountRef?: { name: string; namespace?: string | undefined } | undefined;
  management?: Management | undefined;
}
