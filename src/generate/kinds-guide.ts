import type { Mirror } from "../core/kind/mirror.ts";
import type { Kind } from "../core/kind/owned.ts";
import { driftGuide } from "./drift-guide.ts";
import type { LoadedKind } from "./load-kinds.ts";
import scopes from "../kinds/scopes.json" with { type: "json" };
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

How the operator makes nothing twice, where a create request gets no response:

| word | what happens |
|---|---|
| refused | the cloud API refuses a second one with the same key. The operator searches for the first, then sends the request again |
| searched | the cloud API would create a second one. The operator searches for the first, then sends the request again |
| proven | as *searched*, but a second one would cost money or could not be told apart. The operator takes what it finds, and sends no other request before it is proven that the first did nothing: else a person decides (\`CreateUncertain\`) |
| answered | the cloud API answers with the one that exists. Right before each request the operator proves that none does |
| recorded | the operation is recorded before its request leaves. Without a response it is not repeated: a person decides (\`OperationUncertain\`) |
| set | nothing is created: what is there is compared, then set |
| read | nothing is sent |

After the word stands the key by which it is known. *Listed*: the response names nothing, so it is found in the list. *Replaced*: where the
secret that the response showed is lost, it is deleted and another one created.

`;

/** The guide to kinds: for each its shape, where its rows are, and how it is kept from being there twice. */
export function kindsGuide(loaded: LoadedKind[]): string {
  const rows = loaded.flatMap(({ kind, file }) => {
    const source = `[${kind.kind}](../src/kinds/${file})`;
    if (isMirror(kind)) return [[source, "mirror", code(kind.path), "read", ""]];
    return isKind(kind) ? [rowOf(source, kind)] : [];
  });
  const head = ["kind", "shape", "path", "made once", "when the object is deleted"];
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

What a token needs for each kind, besides \`account:read_only\` and \`events:read_only\` for its CloudAccount. What an object refers to needs
the scopes of its own kind.

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
    { id: "secret" in one ? "" : `{${one.kind ?? ""}}` },
  ]);
  const path = kind.at({ name: "", namespace: "", spec: {}, refs: Object.fromEntries(refs) as Record<string, never> });
  return decodeURIComponent(path.split("?")[0] ?? path);
}

function creationOf(kind: Kind): string {
  if (kind.shape === "survey") return "read";
  if (kind.shape === "setting") return "set";
  if (kind.shape === "once") return kind.request ? "recorded" : "read";
  const { billable, answersNothing, secret, unique } = kind;
  const word = billable && unique !== "enforced" ? "proven" : words[unique];
  return `${word}: ${key(kind)}${answersNothing ? "; listed" : ""}${secret?.ofCreation ? "; replaced" : ""}`;
}

const words: Record<Kind["unique"], string> = {
  enforced: "refused",
  none: "searched",
  several: "proven",
  returnsExisting: "answered",
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
