import type { Json } from "../api/types.ts";
import type { Known } from "./rows.ts";
import type { Collection } from "./types.ts";

/** Result of reading one row, or the response of a GET. */
export type Reading =
  | { id: string; known: Known }
  /** The row has no usable ID. */
  | { id: undefined; reason: string };

/** Reads one row with the functions of its collection. Never throws. */
export function readRow({ idOf, project }: Collection, answer: Json | undefined): Reading {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    return { id: undefined, reason: "the row is not an object" };
  const id = attempt(() => idOf(answer));
  if (!("value" in id)) return { id: undefined, reason: id.reason };
  if (typeof id.value !== "string" || id.value === "") return { id: undefined, reason: "it has no id" };
  const row = attempt(() => project(answer));
  if ("value" in row) return { id: id.value, known: { row: row.value } };
  const { created } = answer;
  const unreadable = { reason: row.reason, created: typeof created === "string" ? created : undefined };
  return { id: id.value, known: { unreadable } };
}

function attempt<T>(read: () => T): { value: T } | { reason: string } {
  try {
    return { value: read() };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

const NAMED = 3;

/** Returns a short text for an error. The message of a schema error would be a page of JSON. */
function reasonOf(error: unknown): string {
  const issues = error instanceof Error && "issues" in error ? (error.issues as Issue[]) : undefined;
  if (!Array.isArray(issues)) return error instanceof Error ? error.message : String(error);
  const named = issues.slice(0, NAMED).map(({ path, message }) => `${path.join(".") || "the row"}: ${message}`);
  const more = issues.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ").slice(0, 500);
}

interface Issue {
  path: PropertyKey[];
  message: string;
}
