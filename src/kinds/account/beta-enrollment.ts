import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { from, immutable } from "../../core/kind/schema.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { optionalText } from "../text.ts";

const pattern = "^[A-Za-z0-9][A-Za-z0-9_.-]*$";

/**
 * Enrollments of the account in beta programs: part 2, section 4.9; not-shown, section 3.
 * Creation: by a natural key, the program. The response has no ID. The API has no request to leave a program.
 */
export const betaEnrollment = defineOwned({
  kind: "BetaEnrollment",
  plural: "betaenrollments",
  shortNames: ["cpenroll"],
  doc: "The enrollment of the account in a beta program. Enrollment is permanent: after you delete the object, the account stays enrolled. Only an unrestricted user can enroll an account.",
  columns: [
    { name: "Program", jsonPath: ".spec.program" },
    { name: "Enrolled", jsonPath: ".status.enrolled", type: "date" },
    { name: "Ended", jsonPath: ".status.ended" },
  ],
  spec: z.object({
    program: immutable(from("BetaProgram", z.string().min(1).max(64).regex(new RegExp(pattern)))).describe(
      "Identifier of an active program from `kubectl get cpbetas`. Cannot be changed.",
    ),
  }),
  status: z.object({
    label: optionalText(128, "Name of the program."),
    enrolled: optionalTime("Time of the enrollment."),
    started: optionalTime("Start of the program."),
    ended: optionalTime("Past or future end of the program."),
  }),
  wire: z.object({
    id: z.string(),
    label: z.string().nullish(),
    enrolled: z.string().nullish(),
    started: z.string().nullish(),
    ended: z.string().nullish(),
  }),
  reach: "account",
  listPath: () => "/account/betas",
  identify: (wire) => wire.id,
  idPattern: { pattern, message: "must be the identifier of the program" },
  fields: {
    id: {
      specField: "program",
      desired: ({ spec }) => spec.program,
      observed: (wire) => wire.id,
      key: true,
      fixed: true,
    },
  },
  unique: "enforced",
  answersNothing: true,
  createdField: "enrolled",
  stays: "the cloud API has no request to leave a beta program",
  report: ({ wire }) => ({
    label: wire.label ?? undefined,
    enrolled: rfc3339(wire.enrolled),
    started: rfc3339(wire.started),
    ended: rfc3339(wire.ended),
  }),
  examples: [{ name: "fast-disks", doc: "Joins a beta program.", spec: { program: "fast-disks" } }],
});
