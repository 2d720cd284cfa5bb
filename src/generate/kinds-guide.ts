import type { Mirror } from "../core/kind/mirror.ts";
import type { Kind } from "../core/kind/owned.ts";
import { driftGuide } from "./drift-guide.ts";
import type { LoadedKind } from "./load-kinds.ts";
import scopes from "../kinds/scopes.json" with { type: "json" };
import { code, markdownHeader, table } from "./markdown.ts";

const intro = `# Kinds

This guide lists the behaviour of each kind in the cloud. The [reference](../crds/README.md) describes the fields.
[Decision 8](decisions/0008-one-claim.md) explains the protection against duplicates. [\`test/contract/golden\`](../test/contract/golden)
contains the requests of each example.

`;

/** Behaviour of each shape. */
export const shapes: Record<Kind["shape"] | "mirror", string> = {
  owned: "The operator creates, updates and deletes the cloud object.",
  setting: "The resource always exists. The operator reads, compares and sets.",
  once: "The operation runs once, and the object keeps the result.",
  survey: "The operator reads the account periodically, and reports in the status.",
  mirror: "The operator writes the objects from a list of the cloud.",
};

/** Behaviour after a create request without a response, by the words of the column `duplicates`. */
export const duplicates = {
  refused:
    "The cloud API refuses a duplicate with the same key. The operator searches for the result, then sends the request again.",
  searched:
    "The cloud API would create a duplicate. The operator searches for the result, then sends the request again.",
  proven:
    "The cloud API would create a duplicate, and the duplicate would cost money, or the operator could not distinguish it. The operator takes over a search result. The operator sends a second request only with a proof that the first request did nothing. Otherwise a user decides (`CreateUncertain`).",
  answered:
    "The cloud API returns an existing cloud object. Right before each request, the operator checks that none exists.",
  recorded:
    "The operator records the operation before the request. The operator does not repeat an operation without a response: a user decides (`OperationUncertain`).",
  set: "The operator creates nothing. The operator compares the current value and sets the specified value.",
  read: "The operator sends no request that changes the cloud.",
  listed: "The response contains no ID, and the operator searches the list.",
  replaced: "If the secret in the response is lost, the operator deletes the cloud object and creates a new one.",
};

type Duplicate = keyof typeof duplicates;

const duplicatesIntro = `
The column *duplicates* shows the behaviour after a create request without a response, and the fields that identify the cloud object:

`;

/** Returns the guide to kinds: shape, path, handling of duplicates, and deletion. */
export function kindsGuide(loaded: LoadedKind[]): string {
  const rows = loaded.flatMap(({ kind }) => {
    const name = `[${kind.kind}](../crds/README.md#${kind.kind.toLowerCase()})`;
    if (isMirror(kind)) return [[name, "mirror", code(kind.path), "read", ""]];
    return isKind(kind) ? [rowOf(name, kind)] : [];
  });
  const head = ["kind", "shape", "path", "duplicates", "cloud object after a deletion"];
  const behaviours = table(["shape", "behaviour"], Object.entries(shapes));
  const words = table(["word", "behaviour"], Object.entries(duplicates));
  return `${markdownHeader}${intro}${behaviours}${duplicatesIntro}${words}\n${table(head, rows)}${scopesGuide()}${driftGuide(loaded)}`;
}

/** Returns the table of scopes, derived from the operations that the examples of each kind call. */
function scopesGuide(): string {
  const rows = Object.entries(scopes).map(([kind, needed]) => [
    kind,
    needed.length === 0 ? "none" : needed.map(code).join(", "),
  ]);
  return `
## Scopes

A token needs \`account:read_only\` and \`events:read_only\` for its CloudAccount, and the following scopes for each kind. A referenced
object needs the scopes of its kind.

${table(["kind", "scopes"], rows)}`;
}

/** Returns false for CloudAccount, which has no shape. */
export function isKind(kind: object): kind is Kind {
  return "shape" in kind && "listPath" in kind;
}

export function isMirror(kind: object): kind is Mirror {
  return "shape" in kind && kind.shape === "mirror";
}

function rowOf(name: string, kind: Kind): string[] {
  return [name, kind.shape, listOf(kind) === "" ? "all lists" : code(listOf(kind)), creationOf(kind), deletionOf(kind)];
}

/** Returns the path of the list, with the kind of the parent instead of its identifier. */
export function listOf(kind: Kind): string {
  if (kind.shownAt !== undefined) return kind.shownAt;
  const refs = Object.entries(kind.references ?? {}).map(([name, one]) => [
    name,
    { id: "secret" in one ? "" : `{${one.kind ?? ""}}` },
  ]);
  const path = kind.listPath({
    name: "",
    namespace: "",
    spec: {},
    refs: Object.fromEntries(refs) as Record<string, never>,
  });
  return decodeURIComponent(path.split("?")[0] ?? path);
}

function creationOf(kind: Kind): string {
  const [word = "read", ...more] = duplicatesOf(kind);
  return [kind.shape === "owned" ? `${word}: ${key(kind)}` : word, ...more].join("; ");
}

/** Returns the behaviours of a kind after a create request without a response. The first word is the main behaviour. */
export function duplicatesOf(kind: Kind): Duplicate[] {
  if (kind.shape === "survey") return ["read"];
  if (kind.shape === "setting") return ["set"];
  if (kind.shape === "once") return [kind.request ? "recorded" : "read"];
  const { billable, answersNothing, secret, unique } = kind;
  return [
    billable && unique !== "enforced" ? "proven" : words[unique],
    ...(answersNothing ? (["listed"] as const) : []),
    ...(secret?.ofCreation ? (["replaced"] as const) : []),
  ];
}

const words: Record<Kind["unique"], Duplicate> = {
  enforced: "refused",
  none: "searched",
  several: "proven",
  returnsExisting: "answered",
};

/** Returns the fields that identify a cloud object, in API names. */
export function key({ fields, unique }: Kind): string {
  const names = Object.entries(fields).flatMap(([name, field]) => (field.key ? [code(name)] : []));
  return `${unique === "several" ? "several per " : ""}${names.join(", ")}`;
}

export function deletionOf({ shape, stays, undo, loses }: Kind): string {
  if (stays !== undefined) return `stays: ${stays}`;
  if (shape === "setting") return undo ? "values of the object are reset" : "stays";
  if (shape === "once" || shape === "survey") return "stays";
  return loses === undefined ? "deleted" : `deleted: ${loses}`;
}
