/** Shape `survey`: figures of a whole account that the operator reads periodically. A survey owns and changes no cloud object. */
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Surveyed, SurveyRead } from "./call.ts";
import { surveySpec } from "./common-schema.ts";
import type { Described, Example } from "./described.ts";
import { commonStatus } from "./status-schema.ts";
import { extended, type Kind } from "./owned.ts";

export interface Survey<Spec extends z.ZodObject, Status extends z.ZodObject> extends Omit<
  Described,
  "scope" | "holdsData" | "loses" | "examples"
> {
  spec: Spec;
  status: Status;
  /** Reads by name. */
  surveys: Record<string, SurveyRead>;
  /** Returns the interval between two reads, in milliseconds. */
  everyMs: (spec: z.output<Spec>) => number;
  /** Returns the status. Must return an equal status for equal rows. */
  summary: (surveyed: Surveyed) => z.input<Status>;
  examples: Example<z.input<Spec>>[];
}

const readAt = z
  .string()
  .max(40)
  .meta({ format: "date-time" })
  .describe("When the cloud was read last; it moves when the status shows something else, and once an hour.")
  .optional();

/** Declares a kind of this shape. Its reach is `account`, because the status reveals data of the account. */
export function defineSurvey<Spec extends z.ZodObject, Status extends z.ZodObject>(
  definition: Survey<Spec, Status>,
): Kind {
  const { surveys, everyMs, summary, ...described } = definition;
  const { observedGeneration, conditions } = commonStatus;
  return {
    ...described,
    shape: "survey",
    survey: {
      reads: surveys,
      everyMs: (spec) => everyMs(spec as z.output<Spec>),
      summary: (surveyed) => summary(surveyed) as JsonObject,
    },
    examples: described.examples,
    spec: extended(definition.spec, surveySpec()),
    status: extended(definition.status, { readAt, observedGeneration, conditions }),
    wire: z.looseObject({}),
    fields: {},
    unique: "none",
    listPath: () => "",
    reach: "account",
    report: () => ({}),
  };
}
