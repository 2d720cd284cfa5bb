import type { Described } from "../core/kind/described.ts";
import { group } from "../core/kind/resource.ts";
import { customResources, policyWithBinding } from "./admission-policy.ts";
import type { AdmissionObject } from "./admission-policy.ts";
import { celName } from "./cel.ts";
import { pathOf, secretFieldsOf } from "./secret-fields.ts";
import type { SecretField, Step } from "./secret-fields.ts";

/**
 * Policies that keep authors of custom resources from using the operator's rights on Secrets. The authorizer of the API
 * server decides whether an author may `get` a named Secret or ConfigMap. For a chosen name of a published Secret, the author
 * needs the verb `create`.
 *
 * A policy asks only if a reference is new or changed. A controller without these permissions can still update more fields,
 * labels and finalizers. One policy covers one kind, because the API server checks types against the schema of one kind. An
 * expression contains one authorization: three would exceed the limit of 1,000,000 units for an expression.
 */
export function secretPolicies(kinds: Described[]): AdmissionObject[] {
  return kinds.flatMap((kind) => {
    const checks = secretFieldsOf(kind).flatMap(checksOf);
    if (checks.length === 0) return [];
    const { plural } = kind;
    return policyWithBinding(`secrets.${plural}.${group}`, {
      failurePolicy: "Fail",
      matchConstraints: customResources(["CREATE", "UPDATE"], [plural]),
      matchConditions: [{ name: "edited", expression: "oldObject == null || object.spec != oldObject.spec" }],
      variables: checks.flatMap(({ field, now }, index) =>
        field.content ? [] : [{ name: nameOf(index), expression: now }],
      ),
      validations: checks.map((check, index) =>
        check.field.content ? contentValidation(check) : validation(check, `variables.${nameOf(index)}`),
      ),
    });
  });
}

const nameOf = (index: number): string => `name${index}`;

/** One place in which an object can name a Secret, or write into a Secret: a field, or an entry of a list. */
interface Check {
  field: SecretField;
  path: string;
  /** CEL: the name or the content; empty if the field is not given. */
  now: string;
  /** CEL: true if the stored object has the same reference or content. */
  isStored: string;
}

function checksOf(field: SecretField): Check[] {
  const { steps } = field;
  if (field.content) return [contentCheck(field)];
  const list = steps.findIndex((step) => "most" in step);
  const pathIn = (entry: number | "") =>
    pathOf(field.hasKey || field.verb === "get" ? steps.slice(0, -1) : steps, entry);
  if (list < 0) {
    const isStored = `oldObject != null && ${same(field, "object", "oldObject", steps)}`;
    return [{ field, path: pathIn(""), now: `${optional("object", steps)}.orValue('')`, isStored }];
  }
  const { most } = steps[list] as { most: number };
  return Array.from({ length: most }, (_, entry) => {
    const stored = `${optional("oldObject", steps.slice(0, list))}.orValue([])`;
    const own = optional("object", steps.slice(0, list + 1), entry);
    const isStored = `oldObject != null && ${stored}.exists(old, ${same(field, own, "old", steps.slice(list + 1), { isEntry: true })})`;
    return { field, path: pathIn(entry), now: `${optional("object", steps, entry)}.orValue('')`, isStored };
  });
}

function contentCheck(field: SecretField): Check {
  const at = (object: string): string => `${optional(object, field.steps)}.orValue(${emptyOf(field)})`;
  const isStored = `oldObject != null && ${at("object")} == ${at("oldObject")}`;
  return { field, path: pathOf(field.steps), now: at("object"), isStored };
}

/** CEL: the value of a field with content that is not given. */
function emptyOf({ content }: SecretField): string {
  return content === "map" ? "{}" : "''";
}

/** CEL: both have the same name, and the same key where the field has one. `isEntry`: both are entries of a list, not objects. */
function same({ hasKey }: SecretField, now: string, before: string, steps: Step[], { isEntry = false } = {}): string {
  const members = hasKey ? [steps, [...steps.slice(0, -1), { member: "key" }]] : [steps];
  const at = (root: string, path: Step[]): string =>
    `${isEntry ? chained(root, path) : optional(root, path)}.orValue('')`;
  return members.map((path) => `${at(now, path)} == ${at(before, path)}`).join(" && ");
}

/** CEL: an optional value below `spec` of an object. */
function optional(object: string, steps: Step[], entry = 0): string {
  return chained(`${object}.spec`, steps, entry);
}

function chained(root: string, steps: Step[], entry = 0): string {
  return steps.reduce(
    (path, step) => ("member" in step ? `${path}.?${celName(step.member)}` : `${path}[?${entry}]`),
    root,
  );
}

function validation({ field: { verb, of }, path, isStored }: Check, name: string): object {
  const plural = `${of.toLowerCase()}s`;
  const allowed = `authorizer.group('').resource('${plural}').namespace(request.namespace).name(${name}).check('${verb}').allowed()`;
  const cure =
    verb === "get"
      ? `Name a ${of} that this user may get, or permit the verb get on this ${of}`
      : "Remove the field, so that the operator chooses the name, or permit the verb create on Secrets";
  const who = `the author of this field needs the permission to ${verb} the ${of}`;
  return {
    expression: `${name} == '' || (${isStored}) || ${allowed}`,
    message: `${path}: ${who}. ${cure}`,
    messageExpression: `'${path}: user ' + request.userInfo.username + ' may not ${verb} ${of} ' + ${name} + ' in namespace ' + request.namespace + '. ${cure}'`,
    reason: "Forbidden",
  };
}

/** The author needs the permission without a name: the API server asks the same for `kubectl create secret`. */
function contentValidation({ field, path, now, isStored }: Check): object {
  const allowed = "authorizer.group('').resource('secrets').namespace(request.namespace).check('create').allowed()";
  const cure = "Remove the field, or permit the verb create on Secrets";
  return {
    expression: `${now} == ${emptyOf(field)} || (${isStored}) || ${allowed}`,
    message: `${path}: the author of this field needs the permission to create Secrets. ${cure}`,
    messageExpression: `'${path}: user ' + request.userInfo.username + ' may not create Secrets in namespace ' + request.namespace + '. ${cure}'`,
    reason: "Forbidden",
  };
}
