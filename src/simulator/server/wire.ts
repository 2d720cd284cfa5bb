import * as z from "zod";
import { ApiError, invalid } from "./errors.ts";
import type { Reason } from "./errors.ts";
import { jsonFault } from "./sound-json.ts";

/** A moment as the API writes it: UTC without a zone (not-shown section 8), `2023-01-02T03:04:05`. */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19);
}

/** Epoch milliseconds of a timestamp without a zone. */
export function epoch(stamp: string): number {
  return Date.parse(`${stamp}Z`);
}

/** A field that may be left out; `null` means the same (not-shown section 8). */
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Text of so many characters. */
export function text(min: number, max: number) {
  return z
    .string()
    .min(min, `Length must be ${min}-${max} characters`)
    .max(max, `Length must be ${min}-${max} characters`);
}

/** A label of part 2 section 2.1: alphanumeric at both ends, no two dashes, underscores or periods in a row. */
export function strictLabel(min: number, max: number) {
  return text(min, max).regex(
    /^[A-Za-z0-9](?:[-_.]?[A-Za-z0-9])*$/,
    "Must begin and end with an alphanumeric; only alphanumerics, dashes, underscores and periods, no two of them in a row",
  );
}

/** The tags of an object (part 3 section 2.5: 3..50 characters each). */
export const tagList = z.array(text(3, 50));

/** Parses a request body; an empty one is an empty object (not-shown section 8). */
export function parseBody(raw: string): unknown {
  if (raw.trim() === "") return {};
  let body: unknown;
  try {
    body = JSON.parse(raw);
  } catch {
    throw new ApiError(400, [{ reason: "JSON parse error" }]);
  }
  if (body === null || typeof body !== "object" || Array.isArray(body))
    throw new ApiError(400, [{ reason: "The body must be a JSON object" }]);
  const fault = jsonFault(body);
  if (fault !== undefined) throw new ApiError(400, [{ reason: fault }]);
  return body;
}

/** The value as the schema sees it, or a 400 that names every offending field by its dotted path. */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const issues = outcome.error.issues.flatMap((issue) => plainIssues(issue));
  throw new ApiError(
    400,
    issues.map((issue) => reasonOf(issue, value)),
  );
}

/** The value of a header or query that must be JSON. */
export function parseJson(source: string, field: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw invalid(field, "Must be valid JSON");
  }
  const fault = jsonFault(value);
  if (fault !== undefined) throw invalid(field, fault);
  return value;
}

/** Of alternatives that none fits, the last one is the usual, and says what is wrong; unless all together have a message. */
function plainIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  const usual = issue.code === "invalid_union" && issue.message === "Invalid input" ? issue.errors.at(-1) : undefined;
  if (!usual || usual.length === 0) return [issue];
  return usual.flatMap((inner) => plainIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

function reasonOf(issue: z.core.$ZodIssue, value: unknown): Reason {
  const field = issue.path.map(String).join(".");
  const reason = isMissing(issue, value) ? `${String(issue.path.at(-1))} is required` : issue.message;
  return field === "" ? { reason } : { field, reason };
}

function isMissing(issue: z.core.$ZodIssue, value: unknown): boolean {
  if (issue.code !== "invalid_type" && issue.code !== "invalid_value") return false;
  let at = value;
  for (const key of issue.path) at = (at as Record<PropertyKey, unknown> | undefined)?.[key];
  return at === undefined && issue.path.length > 0;
}

/** Without the keys whose value is undefined. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
