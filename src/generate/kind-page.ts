/** Writes one page for each kind: purpose, smallest manifest, fields, conditions, drift, price, permissions, worked example. */
import { commonSpec } from "../core/kind/common-schema.ts";
import type { Described } from "../core/kind/described.ts";
import { reasonDocs } from "../core/kind/reasons.ts";
import { group, nameForKubectl, version } from "../core/kind/resource.ts";
import { commonStatus } from "../core/kind/status-schema.ts";
import { titleOf } from "./covered-guide.ts";
import { resourceOf } from "./crd.ts";
import type { Resource } from "./crd.ts";
import { documentsOf, exampleObject, withNeeds } from "./example-manifests.ts";
import type { AnyExample } from "./example-manifests.ts";
import { driftOf, permissionsOf, priceOf } from "./kind-facts.ts";
import { deletionOf, duplicates, duplicatesOf, isKind, isMirror, listOf, shapes } from "./kinds-guide.ts";
import type { LoadedKind } from "./load-kinds.ts";
import { code, markdownHeader, table } from "./markdown.ts";
import { reasonsOf } from "./reasons-of.ts";
import {
  commonFields,
  fields,
  firstSentence,
  hasCommonSpec,
  kubectlName,
  recordedStatus,
  rulesOf,
  shownText,
} from "./reference.ts";
import { risksOf } from "./risks.ts";
import { plainest } from "./samples.ts";
import { yaml, yamlFile } from "./yaml.ts";

/** Returns the recorded requests of an example as text. */
export type RequestsOf = (kind: string, example: string) => string | undefined;

/** Path of the page of a kind. The links of a page are relative to the path. */
export function kindPagePath(kind: Described): string {
  return `crds/${kind.kind.toLowerCase()}.md`;
}

/** Path of the index of the pages. */
export const kindIndexPath = "crds/README.md";

/** Returns the pages of all kinds with their index, by path. */
export function kindPages(loaded: LoadedKind[], requestsOf: RequestsOf): Map<string, string> {
  const kinds = loaded.map(({ kind }) => kind);
  const pages = kinds.map((kind): [string, string] => [kindPagePath(kind), kindPage(kinds, kind, requestsOf)]);
  return new Map([[kindIndexPath, kindIndex(loaded)], ...pages]);
}

function kindIndex(loaded: LoadedKind[]): string {
  const areas = [...Map.groupBy(loaded, ({ file }) => file.split("/")[0] ?? "")];
  const rows = (kinds: LoadedKind[]) =>
    kinds.map(({ kind }) => [
      `[${kind.kind}](${kind.kind.toLowerCase()}.md)`,
      firstSentence(kind.doc),
      kind.shortNames.map(code).join(", "),
    ]);
  return [
    `${markdownHeader}# Kinds of resources\n\nAll kinds belong to \`${group}/${version}\`. Each kind has a page.\n`,
    ...areas.map(([area, kinds]) => `## ${titleOf(area)}\n\n${table(["kind", "purpose", "short names"], rows(kinds))}`),
    commonFields(loaded.map(({ kind }) => resourceOf(kind))),
  ].join("\n");
}

function kindPage(kinds: Described[], kind: Described, requestsOf: RequestsOf): string {
  return [
    `${markdownHeader}# ${kind.kind}\n\n${kind.doc}\n`,
    table(["property", "value"], propertiesOf(kind)),
    `## Smallest manifest\n\n${smallest(kind)}`,
    `## Fields\n\n${fieldsOf(resourceOf(kind))}`,
    `## Conditions\n\n${conditionsOf(kind)}`,
    `## Drift\n\n${driftOf(kind)}`,
    `## Price\n\n${priceOf(kind)}`,
    `## Permissions\n\n${permissionsOf(kinds, kind)}`,
    `## Worked example\n\n${workedExample(kinds, kind, requestsOf)}`,
  ].join("\n");
}

function propertiesOf(kind: Described): string[][] {
  const scope = kind.scope === "Cluster" ? "cluster; only the operator writes the objects" : "namespace";
  return [
    ["API version", code(`${group}/${version}`)],
    ["kubectl", [`kubectl get ${kubectlName(kind)}`, ...kind.shortNames].map(code).join(", ")],
    ["scope", scope],
    ...(isMirror(kind) ? [shapeRow("mirror"), ["list of the cloud API", code(kind.path)]] : []),
    ...(isKind(kind) ? behaviourOf(kind) : []),
  ];
}

function shapeRow(shape: keyof typeof shapes): string[] {
  return ["shape", `${shape}: ${shapes[shape]}`];
}

function behaviourOf(kind: Parameters<typeof duplicatesOf>[0]): string[][] {
  const path = listOf(kind);
  return [
    shapeRow(kind.shape),
    ["list of the cloud API", path === "" ? "all lists" : code(path)],
    ["cloud object after a deletion", deletionOf(kind)],
    [
      "request without a response",
      duplicatesOf(kind)
        .map((word) => duplicates[word])
        .join(" "),
    ],
  ];
}

function smallest(kind: Described): string {
  const example = plainest(kind);
  if (!example) return `Do not create a ${kind.kind}. The operator writes the objects.\n`;
  const needs = (example.needs ?? []).map((need) => `${need.kind} ${code(need.name ?? need.example)}`);
  const secrets = Object.keys(example.secrets ?? {}).map((name) => `Secret ${code(name)}`);
  const maps = Object.keys(example.configMaps ?? {}).map((name) => `ConfigMap ${code(name)}`);
  const all = [...needs, ...secrets, ...maps];
  const needed = all.length === 0 ? "" : `\nThe manifest refers to: ${all.join(", ")}.\n`;
  return `\`\`\`yaml\n${yaml(exampleObject(kind, example))}\`\`\`\n${needed}`;
}

function fieldsOf({ kind, spec, status }: Resource): string {
  const shared = hasCommonSpec(kind);
  const rules = rulesOf(kind, spec.schema);
  const risks = risksOf(kind).map(({ message }) => message);
  const common = "This kind also has the [common fields](README.md#common-fields) of `spec` and `status`.\n";
  const own = fields(spec, "spec", (field) => !(shared && field in commonSpec()));
  return [
    "A field is optional unless the table says **required**. An **immutable** field cannot change. The operator never shows a **sensitive** value.\n",
    ...(shared ? [common] : []),
    ...(own === "" ? [] : [`### Spec\n\n${own}`]),
    ...(rules.length > 0
      ? [`### Rules\n\nThe API server refuses an object that breaks a rule:\n\n${list(rules)}`]
      : []),
    ...(risks.length > 0 ? [`### Warnings\n\nThe API server warns of:\n\n${list(risks)}`] : []),
    `### Status\n\n${fields(status, "status", (field) => !(shared && field in commonStatus))}`,
  ].join("\n");
}

function list(lines: string[]): string {
  return lines.map((line) => `- ${line}\n`).join("");
}

function conditionsOf(kind: Described): string {
  const rows = reasonsOf(kind).map((reason) => [
    `[${reason}](../docs/troubleshooting.md#${reason.toLowerCase()})`,
    `${reasonDocs[reason].means} **Cure:** ${reasonDocs[reason].cure}`,
  ]);
  return `[Troubleshooting](../docs/troubleshooting.md) explains the types of conditions. The conditions of this kind have these reasons:\n\n${table(["reason", "meaning"], rows)}`;
}

function workedExample(kinds: Described[], kind: Described, requestsOf: RequestsOf): string {
  const ready = recordedStatus(kind);
  const example = kind.examples.find(({ name }) => name === ready?.name) ?? kind.examples[0];
  if (!example) return kind.shown ? shownText(kind, kind.shown) : "";
  const requests = requestsOf(kind.kind, example.name);
  return [
    `Save the manifest as \`${kind.plural}.yaml\`:\n\n\`\`\`yaml\n${manifest(kinds, kind, example)}\`\`\`\n`,
    `Apply the manifest, wait, and read the result:\n\n\`\`\`\n${commands(kind, example.name)}\`\`\`\n`,
    ...(ready
      ? [
          `The status, without the record, and with at most two entries of each list:\n\n\`\`\`yaml\n${ready.text}\`\`\`\n`,
        ]
      : []),
    ...(requests === undefined ? [] : [requestsText(requests)]),
  ].join("\n");
}

/** Returns the manifests of an example and of the objects that the example needs, as in examples/kinds. */
function manifest(kinds: Described[], kind: Described, example: AnyExample): string {
  const wanted = withNeeds(kinds, [{ kind, name: example.name, example }], []);
  const known = new Map<string, string>();
  const documents = wanted.flatMap((one) => documentsOf(one, known, []));
  return yamlFile(documents).replace(/^#.*\n/, "");
}

function commands(kind: Described, name: string): string {
  const object = `${nameForKubectl(kind.kind)}/${name}`;
  const condition = "shape" in kind && kind.shape === "once" ? "Complete" : "Ready";
  return [
    `$ kubectl apply -f ${kind.plural}.yaml`,
    `$ kubectl wait ${object} --for=condition=${condition} --timeout=10m`,
    `$ kubectl describe ${object}`,
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function requestsText(requests: string): string {
  const text = requests.replace(/^#.*\n+/, "").trimEnd();
  return `A test records the requests that the operator sends to create, change and delete the cloud object:\n\n\`\`\`http\n${text}\n\`\`\`\n`;
}
