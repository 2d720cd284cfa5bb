/** The part of the spec that every kind has. */
import * as z from "zod";
import type { IdPattern } from "./schema.ts";
import { lately } from "./lately.ts";
import { classified, cloudName } from "./leaf-class.ts";
import { immutable, nameOfObject, namespaceName, oneWithId, plainId } from "./schema.ts";

const accountRef = immutable(
  z
    .object({
      name: nameOfObject("CloudAccount").describe("Name of the CloudAccount."),
      namespace: classified(namespaceName, { is: "reference", to: "CloudAccount" })
        .describe("Its namespace, where that account is shared with this one; this namespace if not given.")
        .optional(),
    })
    .describe("The CloudAccount that this object belongs to; the one named `default` if not given. Cannot be changed."),
  { absent: { name: "default" } },
);

const filter = z
  .record(z.string(), z.string().max(253))
  .meta({ leaf: { is: "cloudName", of: "itself" }, branded: "fields", maxProperties: 8, ownKeys: true })
  .describe("Fields of the API and the values they must have; exactly one object must match.");

const adopt = (idPattern: IdPattern | undefined) =>
  oneWithId(
    z.object({
      id: cloudName("itself", plainId).describe("Identifier of the object in the API.").optional(),
      filter: filter.optional(),
    }),
    "filter",
    idPattern,
    {
      cel: "size(self.filter) > 0 && self.filter.all(key, size(key) <= 64)",
      check: (fields) => areFields(Object.keys(fields as object)),
      message: "filter must have one to eight fields, with names of at most 64 characters",
    },
  ).describe("Adopt a cloud object that exists already. Without it, no existing cloud object is adopted.");

const areFields = (names: string[]): boolean =>
  names.length >= 1 && names.length <= 8 && names.every((name) => name.length <= 64);

/** Built once for each way in which ids are written: all kinds have it. */
const management = lately((idPattern: IdPattern | undefined) =>
  z
    .object({
      policy: z
        .enum(["Manage", "Observe", "Plan", "Paused"])
        .describe(
          "Manage (default): bring the cloud to this spec. Observe: report only. Plan: show in status.plan what would be done, and do it once the annotation cloudplatform.dev/approve has its hash. Paused: do nothing.",
        )
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
        .describe("Repair a difference (default), or only report it in the Drifted condition.")
        .optional(),
      missingPolicy: z
        .enum(["Recreate", "Report"])
        .describe(
          "What to do when the cloud object is missing. Recreate is the default, but Report where it held data that nothing here can bring back.",
        )
        .optional(),
      protect: z.boolean().describe("Refuse the deletion of this object, at the API server.").optional(),
    })
    .describe("How this object is managed."),
);

/** What the spec of a setting has: what is always there is neither adopted nor missing. */
export function settingSpec() {
  return {
    accountRef: accountRef.optional(),
    management: management(undefined)
      .omit({ adopt: true, missingPolicy: true })
      .describe("How this object is managed.")
      .optional(),
  };
}

/** What the spec of a survey has: it changes nothing, so there is little to manage. */
export function surveySpec() {
  const policy = z.enum(["Manage", "Paused"]).describe("Manage (default): read the account. Paused: do nothing.");
  const offered = management(undefined).pick({ protect: true }).extend({ policy: policy.optional() });
  return {
    accountRef: accountRef.optional(),
    management: offered.describe("How this object is managed.").optional(),
  };
}

const notAfter = z
  .string()
  .max(40)
  .meta({ leaf: { is: "value" }, format: "date-time" })
  .describe("After this time, by the clock of the cloud API, it is not started any more.");

/** What the spec of something that runs once has. */
export function onceSpec() {
  const offered = management(undefined)
    .pick({ protect: true })
    .extend({
      policy: z
        .enum(["Manage", "Plan", "Paused"])
        .describe(
          "Manage (default): run it. Plan: show the request in status.plan, and run it once the annotation cloudplatform.dev/approve names its hash. Paused: do nothing.",
        )
        .optional(),
    });
  return {
    accountRef: accountRef.optional(),
    management: offered.describe("How this object is managed.").optional(),
    notAfter: immutable(notAfter).optional(),
    ttlSecondsAfterFinished: z
      .int()
      .min(0)
      .max(31_536_000)
      .describe(
        "Delete this object so many seconds after it has ended, as with Jobs. If not given, it stays. Not for what GitOps applies: it would be applied again, and run again.",
      )
      .optional(),
  };
}

/** What every other spec has. `idPattern`: how ids of the kind are written; numbers if not given. */
export function commonSpec(idPattern?: IdPattern) {
  return { accountRef: accountRef.optional(), management: management(idPattern).optional() };
}

/** What the spec of something has that is never deleted from the cloud. */
export function stayingSpec(idPattern?: IdPattern) {
  const offered = management(idPattern).omit({ deletionPolicy: true });
  return { accountRef: accountRef.optional(), management: offered.describe("How this object is managed.").optional() };
}

export type Management = z.infer<ReturnType<typeof management>>;

export interface CommonSpec {
  accountRef?: { name: string; namespace?: string | undefined } | undefined;
  management?: Management | undefined;
}
