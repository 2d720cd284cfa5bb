/** Rules in CEL that follow from marks, and how CEL names a field. Source: Kubernetes documentation, "Validation rules". */
import { isDeepStrictEqual } from "node:util";
import { ownName, type AdmissionRule } from "../core/kind/schema.ts";

/** One entry of `x-kubernetes-validations`. */
export interface Validation {
  rule: string;
  message: string;
  /** What the message is, where it depends on what was changed. */
  messageExpression?: string;
  fieldPath?: string;
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** A property's name as CEL wants it: words of the language and characters outside of identifiers are escaped. */
export function celName(property: string): string {
  if (reserved.has(property)) return `__${property}__`;
  return property
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}

/** Whether a rule says that fields cannot be changed. */
export function isImmutability({ message, messageExpression }: Validation): boolean {
  return messageExpression !== undefined || /^[\w.]+ cannot be changed[.:] /.test(message);
}

/** A rule of a kind, as the CRD has it. */
export function validation({ cel, message, fieldPath }: AdmissionRule): Validation {
  return { rule: cel, message, ...(fieldPath !== undefined && { fieldPath }) };
}

/**
 * A rule about one of several fields begins its message with that field's name: the error, the reference and tools then
 * name the field, too, and not just what holds it.
 */
export function located(rule: Validation, fields: string[]): Validation {
  const [, field = ""] = /^(\w+) [^:]*\b(?:must|may|can)\b/.exec(rule.message) ?? [];
  const isAbout = rule.fieldPath === undefined && fields.includes(field) && !rule.rule.includes("oldSelf");
  return isAbout ? { ...rule, fieldPath: fieldPath(field) } : rule;
}

/** For the field itself; only where it is always there, since a rule does not run when its field appears or goes. */
export function requiredImmutable(field: string, remedy: string): Validation {
  return { rule: "self == oldSelf", message: `${field} cannot be changed${remedy}` };
}

/** An optional field that cannot be changed. */
export interface OptionalField {
  /** Where it is, from what has the rule: its names. */
  names: string[];
  /** The names of what it holds, where that is an object. */
  members: string[];
  /** What its absence means, if anything. */
  absent?: unknown;
}

/** For what contains an optional field: neither added, nor removed, nor changed, except to what it is without. */
export function optionalImmutable({ names, members, absent }: OptionalField, message: string): Validation {
  const path = names.map((name) => `.${celName(name)}`).join("");
  const [now, before] = [`self${path}`, `oldSelf${path}`];
  // No orValue(): the API server cannot tell how long what it answers is, and what that costs.
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

/** A rule that keeps one field as it is, and how the same is said from what contains the field. */
export interface Guard {
  name: string;
  own: Validation;
  fromAbove: string;
}

/** As `requiredImmutable`, from what contains the field: silent, too, where there was none before. */
export function requiredFromAbove(name: string): string {
  const path = celName(name);
  return `!has(oldSelf.${path}) || self.${path} == oldSelf.${path}`;
}

/** From so many fields on, one rule for all of them: it takes two programs, that of the message included. */
const worthJoining = 3;

/**
 * One rule for several fields of an object, whose message names those that were changed, with their paths, since the error's
 * own is that of the object. Each rule is a program of its own in the API server, with a table of all functions of CEL.
 */
export function joined(guards: Guard[], path: string, remedy: string): Validation | undefined {
  if (guards.length < worthJoining) return undefined;
  const same = guards.map(({ fromAbove }) => `(${fromAbove})`);
  // No list of names: the API server cannot tell how long what join() answers is, and what that costs.
  const changed = guards.map(({ name }, index) => `(${same[index]} ? "" : ${text(`${path}.${name}, `)})`);
  const told = [...changed, text(`cannot be changed${remedy}`)].join(" + ");
  return {
    rule: same.join(" && "),
    message: "a field that cannot be changed was changed",
    messageExpression: `(${told}).replace(", cannot", " cannot")`,
  };
}

function text(value: string): string {
  return JSON.stringify(value);
}

const ofKeys = "self.all(key, size(key) <= ";

/** A structural schema cannot bound the keys of a map, a rule can. */
export function keyLength(maxLength: number): Validation {
  return { rule: `${ofKeys}${maxLength})`, message: `a key has at most ${maxLength} characters` };
}

/** The one rule of a map says the bound of its keys as well, since each rule is a program: see `joined`. */
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
