/**
 * Marks and building blocks for the schemas of kinds.
 *
 * A mark is metadata on a zod schema. The generator reads marks and writes the Kubernetes counterpart. A rule applies twice: as
 * CEL at admission, and as a refinement when the operator parses a stored object.
 */
import * as z from "zod";
import type { CatalogName } from "./catalog.ts";
import { asValue, classified, cloudName } from "./leaf-class.ts";
import type { CloudName, LeafClass } from "./leaf-class.ts";

/** An admission rule: a CEL expression, and the message if the expression is false. */
export interface AdmissionRule {
  /** CEL expression over `self`, and over `oldSelf` to compare with the stored object. */
  cel: string;
  message: string;
  /** CEL expression for a message with values of the object. The API server falls back to `message`. */
  messageExpression?: string;
  /** Field of the error, such as `.spec.port`. */
  fieldPath?: string;
}

/** Marks that the generator reads from a schema. */
export interface SchemaMarks {
  description?: string;
  immutable?: boolean;
  /**
   * Value of an absent immutable field: a constant, or `ownName`. If a user adds this value, the API server accepts the update.
   */
  absent?: unknown;
  /** Value that a new cloud object has without the field; see `initially`. */
  initial?: unknown;
  listType?: "atomic" | "set" | "map";
  listMapKeys?: string[];
  sensitive?: boolean;
  rules?: AdmissionRule[];
  /** OpenAPI format that the API server checks, such as `date-time`. */
  format?: string;
  /** Limit of entries in a map. Zod has no such check. */
  maxProperties?: number;
  /**
   * The operator chooses the keys of the map, so the keys need no limit. A limit needs a rule, and a rule costs the API server
   * about 75 kB of memory.
   */
  ownKeys?: boolean;
  /** See `freeForm`. */
  freeForm?: boolean;
  /** Catalog of the cloud with the permitted values; see `from`. */
  catalog?: CatalogName;
  /** Kind of the referenced object; see `referenceTo`. */
  refersTo?: string;
  /** Permission that the author of the value needs, for a name or for content of a published Secret; see secret-policies.ts. */
  access?: { verb: "get" | "create"; of: "Secret" | "ConfigMap"; content?: true };
  /** Class of a leaf; see leaf-class.ts. */
  leaf?: LeafClass;
  /** See `identifier`. `fields`: a map of fields of the API. */
  branded?: "identifier" | "fields";
}

/** Marks an immutable field. The API server refuses a change. `absent`: the value of an absent field. */
export function immutable<T extends z.ZodType>(schema: T, { absent }: Pick<SchemaMarks, "absent"> = {}): T {
  return schema.meta({ ...schema.meta(), immutable: true, ...(absent !== undefined && { absent }) });
}

/** Declares the value that a new cloud object has without the field. An export omits the value. */
export function initially<T extends z.ZodType>(initial: unknown, schema: T): T {
  return schema.meta({ ...schema.meta(), initial });
}

/** Value of `absent`: the name of the object. */
export const ownName = { metadata: "name" };

/** Declares values from a catalog of the cloud. A refusal names similar entries. Public images begin with `compute/`. */
export function from<T extends z.ZodType>(catalog: CatalogName, schema: T): T {
  const marked = schema.meta({ ...schema.meta(), catalog });
  if (catalog !== "Image") return classified(marked, { is: "catalog", of: catalog });
  return cloudName("Image", marked, { open: "^compute/", creationOnly: true, neededFor: "image" });
}

/** Marks an identifier. The cloud API can prefix the value with its brand word instead of `compute`. Both forms are equal. */
export function identifier<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...schema.meta(), branded: "identifier" });
}

/** Returns the schema of a set: a list without duplicates and without order. Server-side apply merges the set by value. */
export function setOf<T extends z.ZodType>(item: T, maxItems: number) {
  return z
    .array(item)
    .max(maxItems)
    .refine((items) => new Set(items).size === items.length, { error: "has duplicates" })
    .meta({ listType: "set" });
}

/** Returns the schema of an ordered list. The whole list has one owner in server-side apply. */
export function orderedList<T extends z.ZodType>(item: T, maxItems: number) {
  return z.array(item).max(maxItems).meta({ listType: "atomic" });
}

interface Rule<T> extends AdmissionRule {
  /** Returns true if the value is valid. Must agree with `cel`. */
  check: (value: T) => boolean;
  /** Returns the message of the parser for a value. Must agree with `messageExpression`. */
  told?: (value: T) => string;
  path?: string[];
}

/** Adds a rule. The API server checks the CEL expression, and the parser calls `check`. */
export function rule<T extends z.ZodType>(schema: T, { check, told, path, ...admission }: Rule<z.output<T>>): T {
  const refined = schema.refine(check as (value: unknown) => boolean, {
    error: told ? ({ input }) => told(input as z.output<T>) : admission.message,
    ...(path && { path }),
  });
  const marks = (schema.meta() ?? {}) as SchemaMarks;
  return refined.meta({ ...marks, rules: [...(marks.rules ?? []), admission] });
}

/** Requires a text that matches `pattern`, a regular expression with the same meaning in RE2 and JavaScript. */
export function matching<T extends z.ZodType<string>>(schema: T, pattern: string, message: string): T {
  const form = new RegExp(pattern);
  return rule(schema, { cel: `self.matches('${pattern}')`, check: (text) => form.test(text), message });
}

/** Adds a rule about a change (`oldSelf`). Only the API server checks the rule. */
export function transitionRule<T extends z.ZodType>(schema: T, admission: AdmissionRule): T {
  const marks = (schema.meta() ?? {}) as SchemaMarks;
  return schema.meta({ ...marks, rules: [...(marks.rules ?? []), admission] });
}

/**
 * Name of a Kubernetes object: a DNS subdomain, because the operator writes the name into paths of the API server. The schema
 * uses `pattern` instead of a CEL rule, because every rule costs memory of the API server.
 */
export const objectName = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/, {
    error: "must be the name of a Kubernetes object: lower case letters, digits, dashes and periods",
  });

/** Name of a namespace: a DNS label. */
export const namespaceName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, {
    error: "must be the name of a namespace: lower case letters, digits and dashes",
  });

/** Returns the schema for the name of an object of this kind, in the namespace of the object. */
export function nameOfObject(kind: string) {
  return classified(objectName, { is: "reference", to: kind });
}

/**
 * Format of the IDs of a kind. An ID has a single valid spelling, because the operator compares IDs as text and uses them in
 * paths.
 */
export interface IdPattern {
  /** Regular expression with the same meaning in RE2 and JavaScript. */
  pattern: string;
  message: string;
}

const numericId: IdPattern = {
  pattern: "^[1-9][0-9]{0,18}$",
  message: "must be the number that the cloud API shows, without leading zeros, such as 1001",
};

/** Identifier without a format. `oneWithId` adds the format. */
export const plainId = identifier(z.string().min(1).max(253));

/** Returns the schema of an identifier in the format of a kind. Defaults to numbers. */
export function externalId({ pattern, message }: IdPattern = numericId) {
  return matching(plainId, pattern, message);
}

/** Returns the regular expression of the IDs of a kind. Defaults to numbers. */
export function patternOfIds({ pattern }: IdPattern = numericId): string {
  return pattern;
}

/** Returns the schema for the identifier of a cloud object; see `cloudName`. */
export function idOf(of: string, more: Omit<CloudName, "is" | "of"> = {}) {
  return cloudName(of, externalId(), more);
}

/**
 * Requires either `id` or the field `other`. Combines three checks in one rule: exclusivity, the format of `id`, and `also` for
 * the field `other`. Every rule costs memory of the API server.
 */
export function oneWithId<T extends z.ZodType<{ id?: string | undefined }>>(
  schema: T,
  other: string,
  { pattern, message }: IdPattern = numericId,
  also?: { cel: string; check: (other: unknown) => boolean; message: string },
): T {
  const given = also ? `has(self.${other}) && ${also.cel}` : `has(self.${other})`;
  return rule(schema, {
    cel: `has(self.id) ? !has(self.${other}) && self.id.matches('${pattern}') : ${given}`,
    check: (value) => {
      const found = (value as Record<string, unknown>)[other];
      if (value.id !== undefined) return found === undefined && new RegExp(pattern).test(value.id);
      return found !== undefined && (also?.check(found) ?? true);
    },
    message: `exactly one of ${other} and id must be given, and id ${message}${also ? `; ${also.message}` : ""}`,
  });
}

/**
 * Returns the schema of a reference: by name to an object in the namespace, or by ID to a cloud object without a custom resource.
 */
export function referenceTo(kind: string, idPattern?: IdPattern, more: Omit<CloudName, "is" | "of"> = {}) {
  const reference = z.object({
    name: nameOfObject(kind).describe(`Name of a ${kind} in this namespace.`).optional(),
    id: cloudName(kind, plainId, more)
      .describe(`Identifier in the API of a ${kind} that no object manages.`)
      .optional(),
  });
  const described = reference.meta({ description: `Reference to a ${kind}, by name or by id.`, refersTo: kind });
  return oneWithId(described, "name", idPattern);
}

/**
 * Returns the schema of a list of references without duplicates. A list, because server-side apply supports no sets of objects.
 * For more than a hundred references, only the parser refuses duplicates, because the comparison exceeds the cost limit of the
 * API server.
 */
export function referencesTo(kind: string, maxItems: number) {
  const text = "has(one.name) ? 'name ' + one.name : has(one.id) ? 'id ' + one.id : ''";
  return rule(orderedList(referenceTo(kind), maxItems), {
    // The nested list binds `texts`, so that CEL computes the texts only once. A comparison of objects takes a hundred times as
    // long.
    cel: `size(self) > 100 || [self.map(one, ${text})].all(texts, texts.all(text, texts.indexOf(text) == texts.lastIndexOf(text)))`,
    check: (references) => new Set(references.map((one) => JSON.stringify(one))).size === references.length,
    message: "must not have duplicates: give each name and each id once",
  });
}

/** Returns the schema of any JSON object. The API server does not check the content, so the kind must check the size. */
export function freeForm(description: string) {
  return z.looseObject({}).meta({ freeForm: true }).describe(description);
}

/** Returns the schema of a reference to a key of a Secret in the namespace. */
export function secretKeyReference(description: string, defaultKey: string) {
  return keyReference("Secret", description, defaultKey);
}

/** Returns the schema of a reference to a key of a ConfigMap in the namespace. */
export function configMapKeyReference(description: string, defaultKey: string) {
  return keyReference("ConfigMap", description, defaultKey);
}

function keyReference(of: "Secret" | "ConfigMap", description: string, defaultKey: string) {
  return z
    .object({
      name: readFrom(of, objectName.describe(`Name of a ${of} in this namespace.`)),
      key: asValue(z.string().min(1).max(253)).describe(`Key in the ${of}. Defaults to \`${defaultKey}\`.`).optional(),
    })
    .describe(description);
}

/** Marks the name of a Secret or a ConfigMap that the operator reads for the author. */
export function readFrom<T extends z.ZodType>(of: "Secret" | "ConfigMap", name: T): T {
  return name.meta({ ...name.meta(), access: { verb: "get", of } });
}

export type NamedReference = z.infer<ReturnType<typeof referenceTo>>;
export type SecretKeyReference = z.infer<ReturnType<typeof secretKeyReference>>;
