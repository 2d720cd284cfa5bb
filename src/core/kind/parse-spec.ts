import type { z } from "zod";
import type { Described } from "./described.ts";
import { extentOf, mostLevels } from "./extent.ts";
import { memoize } from "./memoize.ts";
import { Stalled } from "./outcome.ts";

/**
 * Parses a stored spec with the schema of its kind. An older or a newer CRD can have admitted the spec.
 *
 * @throws Stalled with the names of invalid and unknown fields. A newer version can have written an unknown field, and ignoring
 * the field would revert its effect.
 */
export function parseSpec(kind: Pick<Described, "spec">, spec: ParsedSpec = noSpec): ParsedSpec {
  const parse = parsers.get(kind.spec) ?? createParser(kind.spec);
  parsers.set(kind.spec, parse);
  const { problem, value } = parse(spec);
  if (problem !== undefined) throw new Stalled("InvalidSpec", problem);
  return value;
}

type ParsedSpec = Record<string, unknown>;
type Parsed = { size: number } & ({ problem: string; value?: undefined } | { problem?: undefined; value: ParsedSpec });

const noSpec: ParsedSpec = {};

const parsers = new WeakMap<Described["spec"], (spec: ParsedSpec) => Parsed>();

/**
 * Limit in characters. The cache keeps a larger spec only as long as its object, because hundreds of deleted specs would fill the
 * memory.
 */
const mostKeptSpecs = 16_384;

/** Returns a parser that remembers results, because the operator reconciles a waiting object many times without a change. */
function createParser(schema: Described["spec"]): (spec: ParsedSpec) => Parsed {
  const large = new WeakMap<ParsedSpec, Parsed>();
  const isSmall = ({ size }: Parsed) => size <= mostKeptSpecs;
  return memoize((spec: ParsedSpec) => {
    const known = large.get(spec) ?? parsed(schema, spec);
    if (!isSmall(known)) large.set(spec, known);
    return known;
  }, isSmall);
}

function parsed(schema: Described["spec"], spec: ParsedSpec): Parsed {
  const { size, tooDeep } = extentOf(spec);
  if (tooDeep !== undefined)
    return { size, problem: `spec.${tooDeep}: has more than ${mostLevels} levels of objects and lists. Remove levels` };
  const { success, data: value, error } = schema.safeParse(spec);
  if (!success) return { size, problem: error.issues.slice(0, 5).map(describeIssue).join("; ") };
  const unknown = unknownFields(spec, value, "spec");
  if (unknown.length === 0) return { size, value };
  const names = unknown.slice(0, 5).join(", ");
  return { size, problem: `${names}: not known to this version of the operator; upgrade it, or remove the field` };
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return `${path.reduce<string>(below, "spec")}: ${message}`;
}

/** Returns the path of a member in the spelling of the API server, such as `spec.instanceRefs[1].id`. */
function below(path: string, member: PropertyKey): string {
  return typeof member === "number" ? `${path}[${member}]` : `${path}.${String(member)}`;
}

/** Returns the paths of fields that the schema does not know. */
function unknownFields(stored: unknown, parsed: unknown, path: string): string[] {
  if (typeof stored !== "object" || stored === null || typeof parsed !== "object" || parsed === null) return [];
  const known = parsed as Record<string, unknown>;
  return Object.entries(stored).flatMap(([field, value]) =>
    Object.hasOwn(known, field)
      ? unknownFields(value, known[field], below(path, specMember(stored, field)))
      : [below(path, field)],
  );
}

function specMember(parent: object, field: string): PropertyKey {
  return Array.isArray(parent) ? Number(field) : field;
}
