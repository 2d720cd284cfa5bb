/** Writes the guide to the covered parts of the cloud, from the kinds and their folders. */
import { deletionOf, isKind, isMirror } from "./kinds-guide.ts";
import type { LoadedKind } from "./load-kinds.ts";
import { markdownHeader, table } from "./markdown.ts";
import { firstSentence } from "./reference.ts";

/** Parts of the cloud without a kind, and the fields that show or name these parts. */
const missing: [part: string, support: string][] = [
  [
    "block storage volumes",
    "A ComputeInstance shows attached volumes with `spec.reportAttachments`. A Tag and the rescue of a ComputeAction name volumes by ID.",
  ],
  [
    "NodeBalancers",
    "A ComputeInstance shows the NodeBalancers that send traffic to it with `spec.reportAttachments`. A Tag names NodeBalancers by ID.",
  ],
  ["Kubernetes clusters", "–"],
  ["VPCs", "Interfaces of an instance connect to the internet or to a VLAN."],
  ["VLANs", "A VLAN exists while an interface of an instance uses its name."],
  ["PostgreSQL", "ManagedMySQL accepts only engines of MySQL. DatabaseEngine lists all engines of the cloud."],
  ["StackScripts", "Instances and disks use a StackScript by ID."],
  ["billing and invoices", "An [Inventory](../crds/README.md#inventory) shows the cost of instances per month."],
  ["users and grants", "A [Profile](../crds/README.md#profile) shows the grants of the token's user."],
];

/** Returns the guide. */
export function coveredGuide(loaded: LoadedKind[]): string {
  const areas = [...Map.groupBy(loaded, ({ file }) => file.split("/")[0] ?? "")];
  const chapters = areas.map(([area, kinds]) => {
    const head = ["kind", "purpose", "shape", "existing cloud objects", "cloud object after a deletion"];
    return `## ${titleOf(area)}\n\n${table(head, kinds.map(rowOf))}`;
  });
  return `${markdownHeader}# What is covered

The operator has ${loaded.length} kinds. [Kinds](kinds.md) explains the shapes. [Operations of the cloud API](coverage.md) lists each operation that the
operator calls, with a test. The contract tests run every example of every kind on a real API server, with the
[simulator](simulator.md) as the cloud.

The column *existing cloud objects* shows how a kind treats cloud objects that exist before the custom resource:

- *adopt*: the operator takes over a cloud object only if the spec names it ([Adopting](adopting.md)).
- *set*: the resource always exists, and the operator sets the values in the spec.
- *read*: the operator only reads.

${chapters.join("\n")}
## Not covered

The operator has no kind for these parts of the cloud, and never creates, changes or deletes them.

${table(
  ["part", "support"],
  missing.map(([part, support]) => [part, support]),
)}
[Adding a kind](adding-a-kind.md) explains how to cover a further part.
`;
}

/** Returns the title of an area, such as `Object storage` for the folder `objectstorage`. */
export function titleOf(area: string): string {
  const words = area.replace(/(?<=.)storage$/, " storage");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function rowOf({ kind }: LoadedKind): string[] {
  const name = `[${kind.kind}](../crds/README.md#${kind.kind.toLowerCase()})`;
  const purpose = firstSentence(kind.doc);
  if (isMirror(kind)) return [name, purpose, "mirror", "read", "–"];
  if (!isKind(kind)) return [name, purpose, "account", "–", "–"];
  const existing = { owned: "adopt", setting: "set", once: "–", survey: "read" }[kind.shape];
  return [name, purpose, kind.shape, existing, deletionOf(kind)];
}
