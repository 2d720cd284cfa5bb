/** The valid part of a spec, and the absent required fields. */
import type { z } from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "./differences.ts";

/** More removals than any spec of an export needs. */
const mostRemovals = 1_000;

export interface AcceptedPart {
  spec: JsonObject;
  /** Removed values except empty ones, such as `spec.acl: Invalid option`. */
  removed: string[];
  /** Why the spec is not valid after the removals. Empty for a valid spec. */
  lacks: string[];
}

/**
 * Removes values that the schema refuses, the smallest part first. Never removes entries of a list: a firewall with half of the
 * rules is a different firewall.
 */
export function acceptedPart(schema: z.ZodObject, given: JsonObject): AcceptedPart {
  const spec = structuredClone(given);
  const removed: string[] = [];
  const note = (path: string, value: Json | undefined, message: string): void => {
    // The first removal names the cause.
    const isKnown = removed.some((one) => one.startsWith(`spec.${path}.`));
    if (!isEmpty(value) && !isKnown) removed.push(`spec.${path}: ${message}`);
  };
  for (let removals = 0; removals < mostRemovals; removals += 1) {
    const { issues } = schema.safeParse(spec).error ?? { issues: [] };
    if (issues.length === 0) return { spec, removed, lacks: [] };
    // One removal can end several issues.
    const isDone = issues.some(({ path, message }) => {
      const taken = remove(spec, path);
      if (taken) note(taken.path, taken.value, message);
      return taken !== undefined;
    });
    if (isDone) continue;
    const taken = removeBest(schema, spec, issues.length);
    if (!taken) return { spec, removed, lacks: [...new Set(issues.map(describe))] };
    note(taken.path, taken.value, issues[0]?.message ?? "");
  }
  return { spec, removed, lacks: ["too many invalid values"] };
}

interface Taken {
  path: string;
  value: Json | undefined;
}

/** The API uses such values for absent fields. */
function isEmpty(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}

function describe({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `spec.${path.map(String).join(".")}: ${message}`;
}

/** Removes the value at the path, or the nearest removable value above it. Returns undefined if the path leads to no value. */
function remove(part: JsonObject, path: readonly PropertyKey[]): Taken | undefined {
  const [name, ...below] = path;
  if (name === undefined) return undefined;
  const field = String(name);
  const value = part[field];
  if (value === undefined) return undefined;
  const inner = isObject(value) ? remove(value, below) : undefined;
  if (inner) return { path: `${field}.${inner.path}`, value: inner.value };
  delete part[field];
  return { path: field, value };
}

/** Removes the member whose removal ends most issues of rules over the whole spec. Empty values mean absent fields and go first. */
function removeBest(schema: z.ZodObject, spec: JsonObject, before: number): Taken | undefined {
  let best: { name: string; left: number } | undefined;
  for (const name of Object.keys(spec).toSorted((a, b) => Number(isEmpty(spec[b])) - Number(isEmpty(spec[a])))) {
    // Without a required member, the schema would not check its rules.
    if (!isOptional(schema, name)) continue;
    const { [name]: value, ...others } = spec;
    const left = schema.safeParse(others).error?.issues.length ?? 0;
    if (left < (best?.left ?? before)) best = { name, left };
    if (best && isEmpty(value)) break;
  }
  if (!best) return undefined;
  const value = spec[best.name];
  delete spec[best.name];
  return { path: best.name, value };
}

function isOptional(schema: z.ZodObject, name: string): boolean {
  return (schema.shape[name] as z.ZodType | undefined)?.def.type === "optional";
}
