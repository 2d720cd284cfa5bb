import type { z } from "zod";
import type { Described } from "./described.ts";
import { lately } from "./lately.ts";
import { Stalled } from "./outcome.ts";

/**
 * The schema of the CRD again: an object may have been stored under an older or a newer one.
 *
 * @throws Stalled that names the fields; among them what only a newer version of the operator knows, since to go on
 *   without such a field would undo what it asked for
 */
export function parseSpec(kind: Pick<Described, "spec">, spec: Spec = none): Spec {
  const parse = parsers.get(kind.spec) ?? lately((stored: Spec) => parsed(kind.spec, stored));
  parsers.set(kind.spec, parse);
  const { problem, value } = parse(spec);
  if (problem !== undefined) throw new Stalled("InvalidSpec", problem);
  return value;
}

type Spec = Record<string, unknown>;
type Parsed = { problem: string; value?: undefined } | { problem?: undefined; value: Spec };

const none: Spec = {};

/** An object that waits is reconciled many times as it stands. */
const parsers = new WeakMap<Described["spec"], (spec: Spec) => Parsed>();

function parsed(schema: Described["spec"], spec: Spec): Parsed {
  const { success, data: value, error } = schema.safeParse(spec);
  if (!success) return { problem: error.issues.slice(0, 5).map(describeIssue).join("; ") };
  const unknown = unknownFields(spec, value, "spec");
  if (unknown.length === 0) return { value };
  const names = unknown.slice(0, 5).join(", ");
  return { problem: `${names}: not known to this version of the operator; upgrade it, or remove the field` };
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return `${path.reduce<string>(below, "spec")}: ${message}`;
}

/** The path of a member as the API server spells it: `spec.instanceRefs[1].id`. */
function below(path: string, member: PropertyKey): string {
  return typeof member === "number" ? `${path}[${member}]` : `${path}.${String(member)}`;
}

/** Paths of what the schema left out. */
function unknownFields(stored: unknown, parsed: unknown, path: string): string[] {
  if (typeof stored !== "object" || stored === null || typeof parsed !== "object" || parsed === null) return [];
  const known = parsed as Record<string, unknown>;
  return Object.entries(stored).flatMap(([field, value]) =>
    Object.hasOwn(known, field)
      ? unknownFields(value, known[field], below(path, memberOf(stored, field)))
      : [below(path, field)],
  );
}

function memberOf(parent: object, field: string): PropertyKey {
  return Array.isArray(parent) ? Number(field) : field;
}
