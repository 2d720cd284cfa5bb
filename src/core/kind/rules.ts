/** Common validation rules. A rule applies at admission (CEL) and in the parser. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { rule } from "./schema.ts";
import type { AdmissionRule } from "./schema.ts";

type RuleField<T extends z.ZodType> = Extract<keyof z.output<T>, string>;
type Two<T extends z.ZodType> = [RuleField<T>, RuleField<T>];

/** Field of the error. Defaults to the first field in the message. */
type RulePlace = Pick<AdmissionRule, "fieldPath">;

/** Requires exactly one of two fields. */
export function exactlyOneOf<T extends z.ZodType>(schema: T, [one, other]: Two<T>, place: RulePlace = {}): T {
  return rule(schema, {
    cel: `has(self.${one}) != has(self.${other})`,
    check: (value) => isGiven(value, one) !== isGiven(value, other),
    message: `exactly one of ${one} and ${other} must be given`,
    ...place,
  });
}

/** Requires at least one of the fields. */
export function atLeastOneOf<T extends z.ZodType>(schema: T, fields: RuleField<T>[], place: RulePlace = {}): T {
  return rule(schema, {
    cel: fields.map((field) => `has(self.${field})`).join(" || "),
    check: (value) => fields.some((field) => isGiven(value, field)),
    message: `at least one of ${enumerated(fields)} must be given`,
    ...place,
  });
}

/** Requires an entry in at least one of the lists. An empty list has the same meaning as an absent list. */
export function atLeastOneEntry<T extends z.ZodType>(schema: T, lists: RuleField<T>[], place: RulePlace = {}): T {
  return rule(schema, {
    cel: lists.map((list) => `(has(self.${list}) && size(self.${list}) > 0)`).join(" || "),
    check: (value) => lists.some((list) => lengthOf(value, list) > 0),
    message: `at least one of ${enumerated(lists)} must be given`,
    ...place,
  });
}

/**
 * Requires different values of two fields. `field` can be the member of a field, such as `clone.instanceRef`. `what`: the noun
 * for both values in the message.
 */
export function anotherThan<T extends z.ZodType>(schema: T, field: string, other: RuleField<T>, what: string): T {
  const [top = field] = field.split(".");
  return rule(schema, {
    cel: `!has(self.${top}) || dyn(self.${field}) != self.${other}`,
    check: (value) =>
      !isDeepStrictEqual(field.split(".").reduce(memberNamed, value as unknown), memberNamed(value, other)),
    message: `${field} must be another ${what} than ${other}`,
    fieldPath: `.${field}`,
  });
}

/** Limits the total number of items in several lists. `items`: the plural noun for the items in the message. */
export function atMostTogether<T extends z.ZodType>(
  schema: T,
  lists: RuleField<T>[],
  { most, items, ...place }: RulePlace & { most: number; items: string },
): T {
  return rule(schema, {
    cel: `${lists.map((list) => `(has(self.${list}) ? size(self.${list}) : 0)`).join(" + ")} <= ${most}`,
    check: (value) => lists.reduce((sum, list) => sum + lengthOf(value, list), 0) <= most,
    message: `${enumerated(lists)} may hold at most ${most} ${items} together`,
    ...place,
  });
}

/** Values of a second field with which a field is required or permitted. With different values, the field is forbidden. */
interface Belonging {
  values: readonly string[];
  isNeeded: boolean;
}

const belongings = z.registry<Belonging>();

/**
 * Declares a field that is required with these values of a second field, and forbidden otherwise. Call `belonging` on the object.
 * Adds a sentence to the description.
 */
export function neededFor<T extends z.ZodType>(values: readonly string[], schema: T) {
  return belongingTo({ values, isNeeded: true }, schema);
}

/**
 * Declares a field that is permitted with these values of a second field, and forbidden otherwise. Call `belonging` on the
 * object. Adds a sentence to the description.
 */
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

/**
 * Adds the rules for all fields of `neededFor` and `allowedFor`. `by`: the field with the deciding value. `path`: the path
 * of the object for messages. Inside a list, the API server adds the path.
 */
export function belonging<T extends z.ZodObject>(schema: T, by: RuleField<T>, path: "spec." | "" = "spec."): T {
  return Object.entries<z.ZodType>(schema.shape).reduce((whole, [field, member]) => {
    const belongs = belongings.get(member);
    const permitted = belongs?.isNeeded ? permittedValues(member) : "";
    return belongs ? rule(whole, { ...ruleOf(field, by, belongs, path, permitted), ...at(field) }) : whole;
  }, schema);
}

function either(values: readonly string[]): string {
  return [values.slice(0, -1).join(", "), ...values.slice(-1)].filter(Boolean).join(" or ");
}

/** Returns the place of an error about one field, for the API server and for the parser. */
export function at(field: string) {
  return { fieldPath: `.${field}`, path: [field] };
}

/** Returns the permitted values of an enumeration or of a bounded number as the end of a sentence. */
function permittedValues(schema: z.ZodType): string {
  if (schema instanceof z.ZodOptional) return permittedValues(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodEnum) return `: ${either(schema.options.map(String))}`;
  if (schema instanceof z.ZodNumber) return `: a number from ${schema.minValue} to ${schema.maxValue}`;
  return "";
}

function ruleOf(field: string, by: string, { values, isNeeded }: Belonging, path: string, permitted: string) {
  const isOne = isOneOf(`self.${by}`, values);
  const fits = (value: unknown): boolean => values.includes(String(memberNamed(value, by)));
  return isNeeded
    ? {
        cel: `has(self.${field}) == (${isOne})`,
        check: (value: unknown) => isGiven(value, field) === fits(value),
        message: `${by} ${either(values)} needs ${path}${field}${permitted}. No other ${by} has ${path}${field}`,
      }
    : {
        cel: `!has(self.${field}) || ${isOne}`,
        check: (value: unknown) => !isGiven(value, field) || fits(value),
        message: `${path}${field} is only for ${by} ${either(values)}. Remove the field, or change ${path}${by}`,
      };
}

/**
 * Requires `spec.notAfter` for irreversible actions. A user can apply an old manifest again, and the operator must not repeat the
 * action. The rule applies to the whole object.
 */
export function needsNotAfter(actions: readonly string[]): AdmissionRule {
  return {
    fieldPath: ".spec.notAfter",
    cel: `!(${isOneOf("self.spec.action", actions)}) || has(self.spec.notAfter)`,
    message: `action ${either(actions)} needs ${notAfter}`,
  };
}

/** The end of a sentence about the limit of irreversible actions. */
export const notAfter =
  "spec.notAfter: the time, such as 2030-01-31T12:00:00Z, after which the operator does not start the action";

function isOneOf(field: string, values: readonly string[]): string {
  return `${field} in [${values.map((one) => `'${one}'`).join(", ")}]`;
}

function isGiven(value: unknown, field: string): boolean {
  return memberNamed(value, field) !== undefined;
}

function lengthOf(value: unknown, field: string): number {
  const list = memberNamed(value, field);
  return Array.isArray(list) ? list.length : 0;
}

function memberNamed(value: unknown, field: string): unknown {
  return (value as Record<string, unknown> | undefined)?.[field];
}
