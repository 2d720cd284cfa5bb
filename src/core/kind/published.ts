/** `spec.connectionSecret`: the form of a published Secret, so that workloads can use the Secret directly. */
import * as z from "zod";
import { asValue } from "./leaf-class.ts";
import { objectName, rule } from "./schema.ts";

const keyPattern = "^[-._a-zA-Z0-9]+$";
const keyName = asValue(z.string().min(1).max(253));

const labelName = "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$";
const labelValue = "^([A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?)?$";
const ownLabel = "(^|[.])cloudplatform[.]dev/";

/** Mark of a field whose value becomes content of a Secret. The author needs the permission to create Secrets. */
const content = { access: { verb: "create", of: "Secret", content: true } } as const;

const labels = rule(
  z
    .record(z.string().max(317), z.string().max(63))
    .meta({ leaf: { is: "value" }, maxProperties: 32, ...content })
    .describe("Labels of the Secret, besides the operator's own."),
  {
    cel: `self.all(name, name.matches('${labelName}') && !name.matches('${ownLabel}') && self[name].matches('${labelValue}'))`,
    check: (all) => Object.entries(all).every(([name, value]) => isLabel(name, value)),
    message: "must be valid names and values of labels, and must not use cloudplatform.dev",
  },
);

function isLabel(name: string, value: string): boolean {
  return new RegExp(labelName).test(name) && !new RegExp(ownLabel).test(name) && new RegExp(labelValue).test(value);
}

/** Types with a special meaning for Kubernetes or Helm. */
const reservedType = "^helm[.]sh/|(^|[.])kubernetes[.]io/";
const basicAuth = "kubernetes.io/basic-auth";

const type = rule(
  z
    .string()
    .min(1)
    .max(253)
    .meta({
      description:
        "Type of the Secret; Opaque if not given. Kubernetes cannot change it: with another type, give another name.",
      leaf: { is: "value" },
      ...content,
    }),
  {
    cel: `self == '${basicAuth}' || !self.matches('${reservedType}')`,
    check: (text) => text === basicAuth || !new RegExp(reservedType).test(text),
    message: `must not be a type of Kubernetes other than ${basicAuth}, and not a type of Helm`,
  },
);

/**
 * Returns the schema of `spec.connectionSecret`. `published`: the keys of the Secret. `byDefault`: the default name of the
 * Secret, for the description.
 */
export function publishedForm(published: readonly string[], byDefault: string) {
  const form = z.object({
    name: secretName(`Name of the Secret; ${byDefault} if not given.`).optional(),
    keys: keysOf(published).optional(),
    template: templateOf(published).optional(),
    type: type.optional(),
    labels: labels.optional(),
  });
  const names = `[${published.map((key) => `has(self.keys) && has(self.keys.${key}) ? self.keys.${key} : '${key}'`).join(", ")}]`;
  return rule(form, {
    cel: `[${names}].all(names, names.all(key, names.indexOf(key) == names.lastIndexOf(key) && (!has(self.template) || !(key in self.template))))`,
    check: ({ keys = {}, template = {} }) => {
      const all = published.map((key) => (keys as Record<string, string | undefined>)[key] ?? key);
      return new Set(all).size === all.length && !all.some((key) => Object.hasOwn(template, key));
    },
    message: "keys and template must name each key only once. A template must not replace a published key",
  }).describe("Form of the published Secret, so that workloads can use the Secret directly.");
}

/** Returns the schema for the name of a published Secret. The operator creates the Secret for the author of the name. */
export function secretName(description: string) {
  return objectName.meta({ description, access: { verb: "create", of: "Secret" } });
}

/** Uses one rule for all keys, because every rule costs memory of the API server. */
function keysOf(published: readonly string[]) {
  const renamed = published.map((key) => [
    key,
    keyName.describe(`Name that replaces \`${key}\` in the Secret.`).optional(),
  ]);
  const shape = Object.fromEntries(renamed) as Record<string, z.ZodOptional<typeof keyName>>;
  const given = published.map((key) => `has(self.${key}) ? self.${key} : 'none'`);
  return rule(z.object(shape), {
    cel: `[${given.join(", ")}].all(key, key.matches('${keyPattern}'))`,
    check: (keys) => Object.values(keys).every((key) => key === undefined || new RegExp(keyPattern).test(key)),
    message: "must be keys of a Secret: letters, digits, dashes, underscores and periods",
  }).describe("Other names for keys of the Secret. A key without an entry keeps its name.");
}

/** Limit of placeholders in one text, because a placeholder can multiply a value of 10 KB. */
const mostPlaceholders = 32;

/** Name that the schemas refuse as a key of a map. */
const unkept = "__proto__";

/** Permits placeholders, and no logic. Refuses two opening braces without a placeholder. */
function templateOf(published: readonly string[]) {
  const text = `^([^{]|[{][^{]|[{][{] *[.](${published.join("|")}) *[}][}])*[{]?$`;
  const list = published.map((key) => `{{ .${key} }}`).join(", ");
  return rule(
    z
      .record(keyName, z.string().max(4096))
      .meta({ leaf: { is: "value" }, maxProperties: 32, ...content })
      .describe(
        `Further keys of the Secret, with text in which these placeholders stand for published values: ${list}.`,
      ),
    {
      cel: `self.all(key, key != '${unkept}' && key.matches('${keyPattern}') && self[key].matches('${text}') && size(self[key].split('{{')) <= ${mostPlaceholders + 1})`,
      check: (all) =>
        Object.entries(all).every(
          ([key, value]) =>
            new RegExp(keyPattern).test(key) &&
            new RegExp(text).test(value) &&
            value.split("{{").length <= mostPlaceholders + 1,
        ),
      message: `must be keys of a Secret with texts whose placeholders are among ${list}, at most ${mostPlaceholders} in one text`,
    },
  );
}
