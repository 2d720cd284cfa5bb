/** Rules that many kinds have. Each is said once here, and holds at admission and in the parser. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { rule } from "./schema.ts";
import type { AdmissionRule } from "./schema.ts";

type Field<T extends z.ZodType> = Extract<keyof z.output<T>, string>;
type Two<T extends z.ZodType> = [Field<T>, Field<T>];

/** Where the error points to, where that is not the field that the message begins with. */
type Place = Pick<AdmissionRule, "fieldPath">;

/** One of two fields is given, and not both. */
export function exactlyOneOf<T extends z.ZodType>(schema: T, [one, other]: Two<T>, place: Place = {}): T {
  return rule(schema, {
    cel: `has(self.${one}) != has(self.${other})`,
    check: (value) => isGiven(value, one) !== isGiven(value, other),
    message: `exactly one of ${one} and ${other} must be given`,
    ...place,
  });
}

/** One of the fields is given, or several. */
export function atLeastOneOf<T extends z.ZodType>(schema: T, fields: Field<T>[], place: Place = {}): T {
  return rule(schema, {
    cel: fields.map((field) => `has(self.${field})`).join(" || "),
    check: (value) => fields.some((field) => isGiven(value, field)),
    message: `at least one of ${enumerated(fields)} must be given`,
    ...place,
  });
}

/** One of the lists has an entry. An empty list means the same as no list. */
export function atLeastOneEntry<T extends z.ZodType>(schema: T, lists: Field<T>[], place: Place = {}): T {
  return rule(schema, {
    cel: lists.map((list) => `(has(self.${list}) && size(self.${list}) > 0)`).join(" || "),
    check: (value) => lists.some((list) => lengthOf(value, list) > 0),
    message: `at least one of ${enumerated(lists)} must be given`,
    ...place,
  });
}

/** A field, or a member of one (`clone.instanceRef`), says something else than another field; `what`: what both name. */
export function anotherThan<T extends z.ZodType>(schema: T, field: string, other: Field<T>, what: string): T {
  const [top = field] = field.split(".");
  return rule(schema, {
    cel: `!has(self.${top}) || dyn(self.${field}) != self.${other}`,
    check: (value) => !isDeepStrictEqual(field.split(".").reduce(memberOf, value as unknown), memberOf(value, other)),
    message: `${field} must be another ${what} than ${other}`,
    fieldPath: `.${field}`,
  });
}

/** Several lists together have at most so many items; `items`: the name of an item. */
export function atMostTogether<T extends z.ZodType>(
  schema: T,
  lists: Field<T>[],
  { most, items, ...place }: Place & { most: number; items: string },
): T {
  return rule(schema, {
    cel: `${lists.map((list) => `(has(self.${list}) ? size(self.${list}) : 0)`).join(" + ")} <= ${most}`,
    check: (value) => lists.reduce((sum, list) => sum + lengthOf(value, list), 0) <= most,
    message: `${enumerated(lists)} may hold at most ${most} ${items} together`,
    ...place,
  });
}

/** A field must be given for these values of another one, or may be, and for no other. */
interface Belonging {
  values: readonly string[];
  isNeeded: boolean;
}

const belongings = z.registry<Belonging>();

/** A field that must be given for these values of another one, and for no other: see `belonging`. Its description says so. */
export function neededFor<T extends z.ZodType>(values: readonly string[], schema: T) {
  return belongingTo({ values, isNeeded: true }, schema);
}

/** A field that may be given for these values of another one, and for no other: see `belonging`. Its description says so. */
export function allowedFor<T extends z.ZodType>(values: readonly string[], schema: T) {
  return belongingTo({ values, isNeeded: false }, schema);
}

function belongingTo<T extends z.ZodType>(belongs: Belonging, schema: T): z.ZodOptional<T> {
  const { values, isNeeded } = belongs;
  const sentence = `${isNeeded ? "Required for" : "For"} ${enumerated(values)}.`;
  const optional = schema.describe([schema.description, sentence].filter(Boolean).join(" ")).optional();
  belongings.add(optional, belongs);
  return optional;
}

function enumerated(values: readonly string[]): string {
  return [values.slice(0, -1).join(", "), ...values.slice(-1)].filter(Boolean).join(" and ");
}

/** Adds a rule for each field that is needed or allowed for values of the field `by` alone. */
export function belonging<T extends z.ZodObject>(schema: T, by: Field<T>): T {
  return Object.entries<z.ZodType>(schema.shape).reduce((whole, [field, member]) => {
    const belongs = belongings.get(member);
    return belongs ? rule(whole, ruleOf(field, by, belongs)) : whole;
  }, schema);
}

function ruleOf(field: string, by: string, { values, isNeeded }: Belonging) {
  const isOne = isOneOf(`self.${by}`, values);
  const when = `for the ${by} ${values.join(" or ")}`;
  const fits = (value: unknown): boolean => values.includes(String(memberOf(value, by)));
  return isNeeded
    ? {
        cel: `has(self.${field}) == (${isOne})`,
        check: (value: unknown) => isGiven(value, field) === fits(value),
        message: `${field} must be given ${when}, and for no other`,
      }
    : {
        cel: `!has(self.${field}) || ${isOne}`,
        check: (value: unknown) => !isGiven(value, field) || fits(value),
        message: `${field} may be given only ${when}`,
      };
}

/**
 * What cannot be taken back needs a time after which it is not started: a manifest that is applied again long after must not
 * run it. A rule of the whole object.
 */
export function needsNotAfter(actions: readonly string[]): AdmissionRule {
  return {
    fieldPath: ".spec.notAfter",
    cel: `!(${isOneOf("self.spec.action", actions)}) || has(self.spec.notAfter)`,
    message: `spec.notAfter must be given for the actions ${actions.join(", ")}: after that time they are not started`,
  };
}

function isOneOf(field: string, values: readonly string[]): string {
  return `${field} in [${values.map((one) => `'${one}'`).join(", ")}]`;
}

function isGiven(value: unknown, field: string): boolean {
  return memberOf(value, field) !== undefined;
}

function lengthOf(value: unknown, field: string): number {
  const list = memberOf(value, field);
  return Array.isArray(list) ? list.length : 0;
}

function memberOf(value: unknown, field: string): unknown {
  return (value as Record<string, unknown> | undefined)?.[field];
}
