/** Writes crds/README.md with every kind and every field. */
import { commonSpec } from "../core/kind/common-schema.ts";
import { commonStatus } from "../core/kind/status-schema.ts";
import type { Described, Example } from "../core/kind/described.ts";
import type { Reason } from "../core/kind/reasons.ts";
import { group, version } from "../core/kind/resource.ts";
import { nameForKubectl } from "../core/kind/resource.ts";
import type { Resource } from "./crd.ts";
import { crdName } from "./crd.ts";
import { isImmutability } from "./cel.ts";
import { code, markdownHeader, table } from "./markdown.ts";
import { reasonsOf } from "./reasons-of.ts";
import { risksOf } from "./risks.ts";
import { exampleObject } from "./example-manifests.ts";
import type { OpenApi } from "./open-api.ts";
import type { Structural } from "./structural.ts";
import { yaml } from "./yaml.ts";
import statuses from "./statuses.json" with { type: "json" };

interface Seen {
  name: string;
  status: object;
}

/** Written by the test of the golden requests. */
const seen: Record<string, Seen | undefined> = statuses;

const intro = `# Custom resources

The reference of \`cloudplatform.dev/v1alpha1\`. A field is optional unless it says **required**; an **immutable** field
cannot be changed once the object exists; values of a **sensitive** one are never shown. No field has a default here: what
is not given is left to the cloud, and \`status\` shows the result.
`;

export function reference(resources: Resource[]): string {
  const contents = table(
    ["kind", "short", "description"],
    resources.map(({ kind }) => [
      `[${kind.kind}](#${kind.kind.toLowerCase()})`,
      kind.shortNames.map(code).join(", "),
      firstSentence(kind.doc),
    ]),
  );
  return [markdownHeader + intro, contents, commonFields(resources), ...resources.map(chapter)].join("\n");
}

export function firstSentence(doc: string): string {
  return /^.*?[.](?=\s|$)/s.exec(doc)?.[0] ?? doc;
}

/** Describes the fields that every kind has, once. */
export function commonFields(resources: Resource[]): string {
  const typical = resources.find(({ kind }) => hasCommonSpec(kind));
  if (!typical) return "";
  const only = (names: object) => (field: string) => Object.hasOwn(names, field);
  return [
    "## Common fields\n\nKinds that link to this section have these fields.\n",
    fields(typical.spec, "spec", only(commonSpec())),
    fields(typical.status, "status", only(commonStatus)),
  ].join("\n");
}

export function hasCommonSpec(kind: Described): boolean {
  return Object.keys(commonSpec()).every((field) => field in kind.spec.shape);
}

function chapter(resource: Resource): string {
  const { kind, spec, status } = resource;
  const shared = hasCommonSpec(kind);
  const rules = rulesOf(kind, spec.schema);
  const risks = risksOf(kind).map(({ message }) => message);
  const recorded = recordedStatus(kind);
  return [
    `## ${kind.kind}\n\n${kind.doc}\n`,
    `${kind.scope === "Cluster" ? "Cluster-scoped, written only by the operator" : "Namespaced"}; \`kubectl get ${kubectlName(kind)}\`.${shared ? " Has the [common fields](#common-fields)." : ""}\n`,
    fields(spec, "spec", (field) => !(shared && field in commonSpec())),
    ...(rules.length > 0 ? [`Rules:\n\n${rules.map((message) => `- ${message}\n`).join("")}`] : []),
    ...(risks.length > 0 ? [`The API server warns:\n\n${risks.map((message) => `- ${message}\n`).join("")}`] : []),
    fields(status, "status", (field) => !(shared && field in commonStatus)),
    `Reasons of the conditions: ${reasonsOf(kind).map(linked).join(", ")}.\n`,
    ...kind.examples.map((example) => exampleText(kind, example)),
    ...(kind.shown ? [shownText(kind, kind.shown)] : []),
    ...(recorded ? [seenText(recorded)] : []),
  ].join("\n");
}

function exampleText(kind: Described, example: Example<Record<string, unknown>>): string {
  return `Example: ${example.doc}\n\n\`\`\`yaml\n${yaml(exampleObject(kind, example))}\`\`\`\n`;
}

export function shownText(kind: Described, { name, labels, status }: NonNullable<Described["shown"]>): string {
  const object = { apiVersion: `${group}/${version}`, kind: kind.kind, metadata: { name, labels }, status };
  return `Example of an object that the operator writes, without conditions:\n\n\`\`\`yaml\n${yaml(object)}\`\`\`\n`;
}

function linked(reason: Reason): string {
  return `[${reason}](../docs/troubleshooting.md#${reason.toLowerCase()})`;
}

function seenText({ name, text }: { name: string; text: string }): string {
  return `The status of ${code(name)} when ready, without the record, and with at most two entries of each list:\n\n\`\`\`yaml\n${text}\`\`\`\n`;
}

/** Returns the name of the example that a test recorded, and its status when ready as YAML. */
export function recordedStatus({ kind }: Described): { name: string; text: string } | undefined {
  const found = seen[kind];
  return found && { name: found.name, text: yaml({ kind, status: shortened(found.status) }) };
}

/** Returns the name of the resource for `kubectl get`. */
export function kubectlName(kind: Described): string {
  return nameForKubectl(kind.kind) === kind.kind.toLowerCase() ? kind.plural : crdName(kind);
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 2).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

/**
 * Returns messages of rules with their paths. Omits immutability, which is in the table, and rules of common fields.
 */
export function rulesOf(kind: Described, spec: OpenApi): string[] {
  const properties = Object.entries(spec.properties ?? {}).filter(([name]) => !(name in commonSpec()));
  const below = messagesOf({ ...spec, properties: Object.fromEntries(properties) }, "spec");
  return [...new Set([...(kind.admission ?? []).map(({ message }) => message), ...below])];
}

function messagesOf(schema: OpenApi, path: string): string[] {
  const rules = (schema["x-kubernetes-validations"] ?? []).filter((rule) => !isImmutability(rule));
  return [
    ...rules.map(({ message, fieldPath = "" }) => `${code(`${path}${fieldPath}`)}: ${message}`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => messagesOf(property, `${path}.${name}`)),
    ...(schema.items ? messagesOf(schema.items, `${path}[]`) : []),
    ...(schema.additionalProperties ? messagesOf(schema.additionalProperties, `${path}{}`) : []),
  ];
}

export function fields(part: Structural, root: "spec" | "status", wanted: (topLevelField: string) => boolean): string {
  const rows = rowsOf(part.schema, root, part).filter(([name = ""]) => wanted(/^`\w+\.(\w+)/.exec(name)?.[1] ?? ""));
  return rows.length === 0 ? "" : table(["field", "type", "", "description"], rows);
}

function rowsOf(schema: OpenApi, path: string, part: Structural): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = `${path}.${name}`;
    const row = [code(at), typeName(property), marksOf(at, schema.required?.includes(name), part), textOf(property)];
    return [row].concat(rowsBelow(property, at, part));
  });
}

function marksOf(path: string, required: boolean | undefined, part: Structural): string {
  const marks = { required, immutable: part.immutable.has(path), sensitive: part.sensitive.has(path) };
  return Object.entries(marks)
    .filter(([, holds]) => holds)
    .map(([mark]) => mark)
    .join(", ");
}

function textOf(property: OpenApi): string {
  return [property.description ?? "", limits(property)].filter((piece) => piece !== "").join(" ");
}

function rowsBelow(schema: OpenApi, path: string, part: Structural): string[][] {
  if (schema.items) return rowsBelow(schema.items, `${path}[]`, part);
  if (schema.additionalProperties) return rowsBelow(schema.additionalProperties, `${path}{}`, part);
  return rowsOf(schema, path, part);
}

function typeName(schema: OpenApi): string {
  if (schema.items)
    return `${schema["x-kubernetes-list-type"] === "set" ? "set" : "list"} of ${typeName(schema.items)}`;
  if (schema.additionalProperties) return `map of ${typeName(schema.additionalProperties)}`;
  return schema.type ?? "";
}

function limits(schema: OpenApi): string {
  const pieces = [
    ...(schema.enum ? [`One of ${schema.enum.map((value) => code(String(value))).join(", ")}.`] : []),
    ...range(schema.minimum, schema.maximum, "", "at least", "at most"),
    ...range(schema.minLength, schema.enum ? undefined : schema.maxLength, " characters", "at least", "at most"),
    ...range(schema.minItems, schema.maxItems, " items", "at least", "at most"),
    ...(schema.pattern === undefined || schema.pattern.length > 80 ? [] : [`Pattern ${code(schema.pattern)}.`]),
    ...(schema.items ? [limits(schema.items)].filter((text) => text !== "").map((text) => `Each: ${text}`) : []),
  ];
  return pieces.join(" ");
}

function range(least: number | undefined, most: number | undefined, unit: string, from: string, to: string): string[] {
  if (least !== undefined && most !== undefined)
    return [least === most ? `Exactly ${least}${unit}.` : `${least} to ${most}${unit}.`];
  if (least !== undefined) return [`${capital(from)} ${least}${unit}.`];
  return most === undefined ? [] : [`${capital(to)} ${most}${unit}.`];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
