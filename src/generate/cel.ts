/** Creates CEL rules and CEL field names. Source: Kubernetes documentation, "Validation rules". */
import { isDeepStrictEqual } from "node:util";
import { ownName, type AdmissionRule } from "../core/kind/schema.ts";

/** One entry of `x-kubernetes-validations`. */
export interface Validation {
  rule: string;
  message: string;
  /** CEL expression for a message that depends on the object. */
  messageExpression?: string;
  fieldPath?: string;
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Returns the CEL name of a property. Escapes reserved words and characters outside identifiers. */
export function celName(property: string): string {
  if (reserved.has(property)) return `__${property}__`;
  return property
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}

/** Returns true for a rule that makes fields immutable. */
export function isImmutability({ message }: Validation): boolean {
  return message.includes(immutability);
}

/** The words of every message about an immutable field. */
export const immutability = "cannot change after creation";

/** Returns a rule of a kind in CRD format. */
export function validation({ cel, message, messageExpression, fieldPath }: AdmissionRule): Validation {
  return {
    rule: cel,
    message,
    ...(messageExpression !== undefined && { messageExpression }),
    ...(fieldPath !== undefined && { fieldPath }),
  };
}

/**
 * Adds the field path to a rule about one of several fields, if the message begins with the field name. The error, the
 * reference and tools then name the field.
 */
export function located(rule: Validation, fields: string[]): Validation {
  const [, field = ""] = /^(\w+) [^:]*\b(?:must|may|can)\b/.exec(rule.message) ?? [];
  const isAbout = rule.fieldPath === undefined && fields.includes(field) && !rule.rule.includes("oldSelf");
  return isAbout ? { ...rule, fieldPath: fieldPath(field) } : rule;
}

/**
 * Returns the rule for a required field. A rule of an optional field does not run when the field is added or removed.
 */
export function requiredImmutable(field: string, remedy: string): Validation {
  return { rule: "self == oldSelf", message: `${field} ${immutability}${remedy}` };
}

export interface OptionalField {
  /** Names on the path from the object with the rule to the field. */
  names: string[];
  /** Names of the members, if the field is an object. */
  members: string[];
  /** Value that an absent field stands for, if any. */
  absent?: unknown;
}

/** Returns the rule for the parent of an optional field. Permits changes between absence and its default value. */
export function optionalImmutable({ names, members, absent }: OptionalField, message: string): Validation {
  const path = names.map((name) => `.${celName(name)}`).join("");
  const [now, before] = [`self${path}`, `oldSelf${path}`];
  // Without orValue(): the API server cannot estimate the size and cost of its result.
  const means = (value: string) => `(!has(${value}) || ${is(value, members, absent)})`;
  if (typeof absent === "number" || typeof absent === "boolean") {
    const meant = (value: string) => `(has(${value}) ? ${value} : ${absent})`;
    return { rule: `${meant(now)} == ${meant(before)}`, message, fieldPath: names.map(fieldPath).join("") };
  }
  const rule =
    absent === undefined
      ? `has(${now}) == has(${before}) && (!has(${now}) || ${now} == ${before})`
      : `has(${now}) && has(${before}) ? ${now} == ${before} : ${means(now)} && ${means(before)}`;
  return { rule, message, fieldPath: names.map(fieldPath).join("") };
}

function is(value: string, members: string[], wanted: unknown): string {
  if (isDeepStrictEqual(wanted, ownName)) return `${value} == self.metadata.name`;
  if (!isObject(wanted)) return `${value} == ${JSON.stringify(wanted)}`;
  const each = members.map((member) => {
    const one = `${value}.${celName(member)}`;
    return wanted[member] === undefined ? `!has(${one})` : `${one} == ${JSON.stringify(wanted[member])}`;
  });
  return each.join(" && ");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A rule that makes one field immutable, and the rule's form for the parent of the field. */
export interface Guard {
  name: string;
  own: Validation;
  fromAbove: string;
}

/** Returns the condition of `requiredImmutable` for the parent. Permits adding the field. */
export function requiredFromAbove(name: string): string {
  const path = celName(name);
  return `!has(oldSelf.${path}) || self.${path} == oldSelf.${path}`;
}

/** Number of fields from which one rule is cheaper: the joined rule takes two programs, including its message. */
const worthJoining = 3;

/**
 * Joins the rules for several fields of an object. The message lists the changed fields with paths, because the error
 * has only the path of the object. In the API server, each rule is a separate program with a table of CEL functions.
 */
export function joined(guards: Guard[], path: string, remedy: string): Validation | undefined {
  if (guards.length < worthJoining) return undefined;
  const same = guards.map(({ fromAbove }) => `(${fromAbove})`);
  // Without a list of names: the API server cannot estimate the size and cost of join().
  const changed = guards.map(({ name }, index) => `(${same[index]} ? "" : ${text(`${path}.${name}, `)})`);
  const told = [...changed, text(`${immutability}${remedy}`)].join(" + ");
  return {
    rule: same.join(" && "),
    message: `a field ${immutability}`,
    messageExpression: `(${told}).replace(", cannot", " cannot")`,
  };
}

function text(value: string): string {
  return JSON.stringify(value);
}

const ofKeys = "self.all(key, size(key) <= ";

/** Returns a rule for the length of map keys. A structural schema cannot limit keys. */
export function keyLength(maxLength: number): Validation {
  return { rule: `${ofKeys}${maxLength})`, message: `a key has at most ${maxLength} characters` };
}

/** Adds the limit of the keys to the only rule of a map, because each rule is a separate program: see `joined`. */
export function together(rules: Validation[], implied: Validation[]): Validation[] {
  const [own, ...others] = rules;
  const [bound] = implied;
  if (!own || !bound?.rule.startsWith(ofKeys) || others.length > 0 || /\boldSelf\b/.test(own.rule))
    return [...rules, ...implied];
  return [{ ...own, rule: `(${own.rule}) && ${bound.rule}`, message: `${own.message}; ${bound.message}` }];
}

function fieldPath(property: string): string {
  return /^[A-Za-z_]\w*$/.test(property) ? `.${property}` : `['${property}']`;
}
