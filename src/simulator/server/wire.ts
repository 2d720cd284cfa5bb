import * as z from "zod";
import { ApiError, invalid } from "./errors.ts";
import type { Reason } from "./errors.ts";
import { jsonFault } from "./sound-json.ts";

/** Returns a time in the form of the API: UTC without a zone (not-shown section 8), `2023-01-02T03:04:05`. */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19);
}

/** Returns the epoch milliseconds of a timestamp without a zone. */
export function epoch(stamp: string): number {
  return Date.parse(`${stamp}Z`);
}

/** Returns the schema of an optional field. `null` means absent (not-shown section 8). */
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Returns the schema of a text with a length in characters. */
export function text(min: number, max: number) {
  return z
    .string()
    .min(min, `Length must be ${min}-${max} characters`)
    .max(max, `Length must be ${min}-${max} characters`);
}

/**
 * Returns the schema of a label in part 2 section 2.1: alphanumeric at both ends, no two dashes, underscores or periods in a row.
 */
export function strictLabel(min: number, max: number) {
  return text(min, max).regex(
    /^[A-Za-z0-9](?:[-_.]?[A-Za-z0-9])*$/,
    "Must begin and end with an alphanumeric; only alphanumerics, dashes, underscores and periods, no two of them in a row",
  );
}

/** Tags of an object, 3..50 characters each (part 3 section 2.5). */
export const tagList = z.array(text(3, 50));

/** Parses a request body. An empty body is an empty object (not-shown section 8). */
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

/** Returns the value parsed by the schema. Throws 400 that names every invalid field by a dotted path. */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const issues = outcome.error.issues.flatMap((issue) => plainIssues(issue));
  throw new ApiError(
    400,
    issues.map((issue) => reasonOf(issue, value)),
  );
}

/** Returns the value of a header or query in JSON. Throws 400 that names the field. */
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

/**
 * Returns the issues of the last alternative if no alternative of a union matches. A union with its own
 * message keeps that message.
 */
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

/** Returns the fields without undefined values. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
