import type { Mirror } from "../core/kind/mirror.ts";
import type { Kind } from "../core/kind/owned.ts";
import { driftGuide } from "./drift-guide.ts";
import type { LoadedKind } from "./load-kinds.ts";
import scopes from "./scopes.json" with { type: "json" };
import { code, markdownHeader, table } from "./markdown.ts";

const intro = `# Kinds

How each kind lives in the cloud. What its fields mean is in the [reference](../crds/README.md), why a creation is judged as
it is in [decision 8](decisions/0008-one-claim.md). The requests that each example sends are in
[\`test/contract/golden\`](../test/contract/golden).

| shape | what it is |
|---|---|
| owned | created, kept as its spec says, deleted |
| setting | always there: read, compared, set |
| once | runs one time, and keeps its result |
| survey | read from time to time, and reported in its status |
| mirror | written by the operator from what the cloud lists |

`;

/** The guide to kinds: for each its shape, where its rows are, and how it is kept from being there twice. */
export function kindsGuide(loaded: LoadedKind[]): string {
  const rows = loaded.flatMap(({ kind, file }) => {
    const source = `[${kind.kind}](../src/kinds/${file})`;
    if (isMirror(kind)) return [[source, "mirror", code(kind.path), "nothing is sent", ""]];
    return isKind(kind) ? [rowOf(source, kind)] : [];
  });
  const head = ["kind", "shape", "rows", "how it is not made twice", "when the object is deleted"];
  return `${markdownHeader}${intro}${table(head, rows)}${scopesGuide()}${driftGuide(loaded)}`;
}

/** Read off the operations that the examples of each kind call. */
function scopesGuide(): string {
  const rows = Object.entries(scopes).map(([kind, needed]) => [
    kind,
    needed.length === 0 ? "none" : needed.map(code).join(", "),
  ]);
  return `
## Scopes

What a token needs for each kind, beside \`account:read_only\` and \`events:read_only\` of its CloudAccount. Objects that an object refers to need
those of their own kinds.

${table(["kind", "scopes"], rows)}`;
}

/** A CloudAccount has no shape: it is what the others live in. */
function isKind(kind: object): kind is Kind {
  return "shape" in kind && "at" in kind;
}

function isMirror(kind: object): kind is Mirror {
  return "shape" in kind && kind.shape === "mirror";
}

function rowOf(source: string, kind: Kind): string[] {
  return [
    source,
    kind.shape,
    listOf(kind) === "" ? "all of them" : code(listOf(kind)),
    creationOf(kind),
    deletionOf(kind),
  ];
}

/** The path of the list, with the kind of what contains it in the place of an identifier. */
function listOf(kind: Kind): string {
  if (kind.shownAt !== undefined) return kind.shownAt;
  const refs = Object.entries(kind.references ?? {}).map(([name, one]) => [
    name,
    { id: "secret" in one ? "" : `{${one.kind}}` },
  ]);
  const path = kind.at({ name: "", namespace: "", spec: {}, refs: Object.fromEntries(refs) as Record<string, never> });
  return decodeURIComponent(path.split("?")[0] ?? path);
}

function creationOf(kind: Kind): string {
  if (kind.shape === "survey") return "nothing is sent";
  if (kind.shape === "setting") return "nothing is created: it is compared, then set";
  if (kind.shape === "once")
    return kind.request
      ? "the operation is recorded before its request leaves, and one without a response is never repeated by itself"
      : "nothing is sent";
  const { billable, answersNothing, secret } = kind;
  const later = answersNothing ? "; the response names nothing, so it is found in the list" : "";
  const shown = secret?.ofCreation ? "; one whose secret nobody knows is deleted, and another one created" : "";
  return `${key(kind)}: ${billable && kind.unique !== "enforced" ? guessed : sentences[kind.unique]}${later}${shown}`;
}

const guessed = "what is found of a lost request is taken, and another one never sent on a guess";

const sentences: Record<Kind["unique"], string> = {
  enforced: "the cloud has one of it, so a lost request is searched for, then sent again",
  none: "a lost request is searched for, then sent again",
  several: guessed,
  returnsExisting: "the cloud API answers with what exists, so its absence is proven right before",
};

/** The fields that name it, in the words of the API. */
function key({ fields, unique }: Kind): string {
  const names = Object.entries(fields).flatMap(([name, field]) => (field.key ? [code(name)] : []));
  return `${unique === "several" ? "several of one " : ""}${names.join(", ")}`;
}

function deletionOf({ shape, stays, undo, holdsData }: Kind): string {
  if (stays !== undefined) return `it stays: ${stays}`;
  if (shape === "setting") return undo ? "what the object has set is reset" : "it stays as it is";
  if (shape === "once" || shape === "survey") return "it stays as it is";
  return holdsData ? "it is deleted with its data" : "it is deleted";
}
