/** Rules in CEL that follow from marks, and how CEL names a field. Source: Kubernetes documentation, "Validation rules". */
import type { AdmissionRule } from "../core/kind/schema.ts";

/** One entry of `x-kubernetes-validations`. */
export interface Validation {
  rule: string;
  message: string;
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

const afterField = " cannot be changed; delete and create the object anew";

/** Whether a rule's message is the one of immutability. */
export function isImmutability(message: string): boolean {
  return message.endsWith(afterField);
}

/** A rule of a kind, as the CRD has it. */
export function validation({ cel, message, fieldPath }: AdmissionRule): Validation {
  return { rule: cel, message, ...(fieldPath !== undefined && { fieldPath }) };
}

/** For the field itself; only where it is always there, since a rule does not run when its field appears or goes. */
export function requiredImmutable(field: string): Validation {
  return { rule: "self == oldSelf", message: `${field}${afterField}` };
}

/** For the parent of an optional field: neither added, nor removed, nor changed. */
export function optionalImmutable(property: string, field: string): Validation {
  const name = celName(property);
  return {
    rule: `has(self.${name}) == has(oldSelf.${name}) && (!has(self.${name}) || self.${name} == oldSelf.${name})`,
    message: `${field}${afterField}`,
    fieldPath: fieldPath(property),
  };
}

/** A structural schema cannot bound the keys of a map, a rule can. */
export function keyLength(maxLength: number): Validation {
  return { rule: `self.all(key, size(key) <= ${maxLength})`, message: `a key has at most ${maxLength} characters` };
}

function fieldPath(property: string): string {
  return /^[A-Za-z_]\w*$/.test(property) ? `.${property}` : `['${property}']`;
}
