/**
 * Marks and building blocks for the schemas of kinds.
 *
 * A mark is metadata on a zod schema; the generator reads it and writes the Kubernetes counterpart. A rule is said once
 * and holds twice: as CEL at admission and as a refinement when the controller parses a stored object again.
 */
import * as z from "zod";
import type { CatalogName } from "./catalog.ts";
import { asValue, classified, cloudName } from "./leaf-class.ts";
import type { CloudName, LeafClass } from "./leaf-class.ts";

/** One admission rule: a CEL expression and what a person reads when it is false. */
export interface AdmissionRule {
  /** CEL over `self` (and `oldSelf` where it compares with the stored object). */
  cel: string;
  message: string;
  /** Where the error points to, for example `.spec.port`. */
  fieldPath?: string;
}

/** What the generator reads off a schema. */
export interface SchemaMarks {
  description?: string;
  immutable?: boolean;
  /** What the absence of an immutable field means: a value, or `ownName`. To state it is no change. */
  absent?: unknown;
  listType?: "atomic" | "set" | "map";
  listMapKeys?: string[];
  sensitive?: boolean;
  rules?: AdmissionRule[];
  /** A format of OpenAPI that the API server checks, such as `date-time`. */
  format?: string;
  /** Upper bound of a map, which zod cannot say. */
  maxProperties?: number;
  /**
   * The keys of the map are of the operator's own making, and not bounded: that takes a rule, and each place with a rule costs
   * the API server some 75 kB.
   */
  ownKeys?: boolean;
  /** See `freeForm`. */
  freeForm?: boolean;
  /** Values are entries of this list of the cloud; see `from`. */
  catalog?: CatalogName;
  /** A reference to an object of this kind; see `referenceTo`. */
  refersTo?: string;
  /** Permission that the author of this name, or of this content of a published Secret, needs; see secret-policies.ts. */
  access?: { verb: "get" | "create"; of: "Secret" | "ConfigMap"; content?: true };
  /** What the value of a leaf stands for; see leaf-class.ts. */
  leaf?: LeafClass;
  /** See `identifier`; `fields`: a map of fields of the API. */
  branded?: "identifier" | "fields";
}

/** The value cannot change once the object exists; the API server refuses it. `absent`: what it is where it is not given. */
export function immutable<T extends z.ZodType>(schema: T, { absent }: Pick<SchemaMarks, "absent"> = {}): T {
  return schema.meta({ ...schema.meta(), immutable: true, ...(absent !== undefined && { absent }) });
}

/** Where it is not given, it is the object's own name. */
export const ownName = { metadata: "name" };

/** Values are entries of a list of the cloud. A refusal names the nearest entries. Public images begin with `compute/`. */
export function from<T extends z.ZodType>(catalog: CatalogName, schema: T): T {
  const marked = schema.meta({ ...schema.meta(), catalog });
  if (catalog !== "Image") return classified(marked, { is: "catalog", of: catalog });
  return cloudName("Image", marked, { open: "^compute/", creationOnly: true, neededFor: "image" });
}

/** An identifier that the cloud API may write with its brand word in front: such a value means what it means with `compute`. */
export function identifier<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...schema.meta(), branded: "identifier" });
}

/** A list without duplicates whose order means nothing; server-side apply merges it by value. */
export function setOf<T extends z.ZodType>(item: T, maxItems: number) {
  return z
    .array(item)
    .max(maxItems)
    .refine((items) => new Set(items).size === items.length, { error: "has duplicates" })
    .meta({ listType: "set" });
}

/** A list whose order means something; it has one owner as a whole. */
export function orderedList<T extends z.ZodType>(item: T, maxItems: number) {
  return z.array(item).max(maxItems).meta({ listType: "atomic" });
}

interface Rule<T> extends AdmissionRule {
  /** The same rule for the controller. */
  check: (value: T) => boolean;
  path?: string[];
}

/** Adds a rule that the API server enforces by CEL and the parser by code. */
export function rule<T extends z.ZodType>(schema: T, { check, path, ...admission }: Rule<z.output<T>>): T {
  const refined = schema.refine(check as (value: unknown) => boolean, {
    error: admission.message,
    ...(path && { path }),
  });
  const marks = (schema.meta() ?? {}) as SchemaMarks;
  return refined.meta({ ...marks, rules: [...(marks.rules ?? []), admission] });
}

/** A text of this form; `pattern` is a regular expression that RE2 and JavaScript read alike. */
export function matching<T extends z.ZodType<string>>(schema: T, pattern: string, message: string): T {
  const form = new RegExp(pattern);
  return rule(schema, { cel: `self.matches('${pattern}')`, check: (text) => form.test(text), message });
}

/** Adds a rule about a change, which only the API server can see (`oldSelf`). */
export function transitionRule<T extends z.ZodType>(schema: T, admission: AdmissionRule): T {
  const marks = (schema.meta() ?? {}) as SchemaMarks;
  return schema.meta({ ...marks, rules: [...(marks.rules ?? []), admission] });
}

/**
 * Name of a Kubernetes object: a DNS subdomain, because the operator writes it into paths of the API server. A keyword, not a
 * rule: each place with a rule costs the API server memory.
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

/** Name of an object of this kind in the namespace of the object. */
export function nameOfObject(kind: string) {
  return classified(objectName, { is: "reference", to: kind });
}

/** How ids of a kind are written: in one way only, because ids are compared as text and become parts of paths. */
export interface IdPattern {
  /** A regular expression that RE2 and JavaScript read alike. */
  pattern: string;
  message: string;
}

const numericId: IdPattern = {
  pattern: "^[1-9][0-9]{0,18}$",
  message: "must be the number that the cloud API shows, without leading zeros, such as 1001",
};

/** An identifier, which `oneWithId` says how to write. */
export const plainId = identifier(z.string().min(1).max(253));

/** An identifier of the API, in the form that its kind has. */
export function externalId({ pattern, message }: IdPattern = numericId) {
  return matching(plainId, pattern, message);
}

/** The identifier of something in the cloud; see `cloudName`. */
export function idOf(of: string, more: Omit<CloudName, "is" | "of"> = {}) {
  return cloudName(of, externalId(), more);
}

/**
 * Either an `id` or the other field. One rule for that, the form of the id and what `also` says of the other: each rule costs
 * the API server memory.
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

/** Reference to an object of this namespace by name, or to something in the cloud that no object manages by id. */
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
 * References of which each may be given once. No set: server-side apply knows none of objects. Of more than a hundred,
 * the API server cannot afford to compare all pairs: there the parser alone refuses duplicates.
 */
export function referencesTo(kind: string, maxItems: number) {
  const text = "has(one.name) ? 'name ' + one.name : has(one.id) ? 'id ' + one.id : ''";
  return rule(orderedList(referenceTo(kind), maxItems), {
    // The list of one list names the texts, so that they are made once: to compare objects takes a hundred times as long.
    cel: `size(self) > 100 || [self.map(one, ${text})].all(texts, texts.all(text, texts.indexOf(text) == texts.lastIndexOf(text)))`,
    check: (references) => new Set(references.map((one) => JSON.stringify(one))).size === references.length,
    message: "must not have duplicates: give each name and each id once",
  });
}

/** A JSON object of any contents, which no schema names; only its kind can bound it. */
export function freeForm(description: string) {
  return z.looseObject({}).meta({ freeForm: true }).describe(description);
}

/** One key of a Secret in this namespace. */
export function secretKeyReference(description: string, defaultKey: string) {
  return keyReference("Secret", description, defaultKey);
}

/** One key of a ConfigMap in this namespace. */
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
