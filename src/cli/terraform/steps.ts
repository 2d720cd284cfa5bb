/** The steps after an import: Terraform forgets the resources, and the operator manages them. */
import { quoted } from "../shell.ts";
import { isWithin, moduleAddress } from "./address.ts";
import type { StateResource } from "./state.ts";

/** Changes of the state of Terraform, so that Terraform forgets the imported resources. */
export interface Forgetting {
  /** Addresses for `removed` blocks: modules and resources without keys. */
  removed: string[];
  /** Addresses of single instances, for `terraform state rm`. */
  single: string[];
}

/**
 * Returns how Terraform forgets the imported resources. Terraform refuses keys in a `removed` block, so an instance is removed from the
 * state by a command if another instance of the resource stays. `all`: the managed resources of the state.
 */
export function forgettingOf(all: readonly StateResource[], imported: ReadonlySet<StateResource>): Forgetting {
  const staying = all.filter((one) => !imported.has(one)).map(({ block }) => block);
  const removed = new Set<string>();
  const single: string[] = [];
  for (const { modules, block, address } of all.filter((one) => imported.has(one))) {
    const above = modules.map((_, index) => moduleAddress(modules.slice(0, index + 1), false));
    const whole = [...above, block].find((one) => !staying.some((other) => isWithin(other, one)));
    if (whole === undefined) single.push(address);
    else removed.add(whole);
  }
  return { removed: [...removed].toSorted(), single: [...new Set(single)].toSorted() };
}

/** Returns the `removed` blocks. */
export function removedBlocks({ removed }: Forgetting): string {
  return removed.map((from) => `removed {\n  from = ${from}\n  lifecycle {\n    destroy = false\n  }\n}\n`).join("\n");
}

/** Arguments of the import, for the commands in the steps. */
export interface StepOptions {
  /** Folder with the manifests and `removed.tf`; undefined if the manifests went to stdout. */
  folder: string | undefined;
  namespace: string | undefined;
  /** The command of the import with all its options. */
  command: string;
}

type Step = readonly [text: string, lines: string];

/** Returns the steps as text, in the order in which the user follows them. */
export function stepsText(forgetting: Forgetting, { folder, namespace, command }: StepOptions): string {
  const kubectl = namespace === undefined ? "kubectl" : `kubectl -n ${quoted(namespace)}`;
  const manifests = folder === undefined ? "-f FILE" : `-k ${quoted(folder)}`;
  const manage = `${command} --manage${folder === undefined ? " > FILE" : ""}`;
  const steps: Step[] = [
    ["Apply the manifests. With the policy Observe, the operator changes nothing:", `${kubectl} apply ${manifests}`],
    ["Wait until no object is Drifted: the reason of every object is Observed:", `${kubectl} get ${manifests}`],
    ...forgettingSteps(forgetting, folder),
    [
      "Check that the plan has 0 to destroy. Then apply the plan, so that Terraform forgets the resources:",
      "terraform plan\nterraform apply",
    ],
    ["Switch to the policy Manage, with the same copy of the state:", `${manage}\n${kubectl} apply ${manifests}`],
  ];
  const texts = steps.map(([text, lines], index) => `${index + 1}. ${text}\n\n${indented(lines)}\n`);
  return `Next steps:\n\n${texts.join("\n")}`;
}

function forgettingSteps(forgetting: Forgetting, folder: string | undefined): Step[] {
  const { removed, single } = forgetting;
  const copy = folder === undefined ? "" : `. ${quoted(`${folder}/removed.tf`)} has the same text`;
  const blocks: Step = [
    `In the configuration of Terraform, replace the blocks of these resources and modules${copy}:`,
    removedBlocks(forgetting),
  ];
  const commands: Step = [
    "Remove these instances from for_each or count in the configuration, and from the state:",
    single.map((address) => `terraform state rm ${quoted(address)}`).join("\n"),
  ];
  return [...(removed.length > 0 ? [blocks] : []), ...(single.length > 0 ? [commands] : [])];
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `     ${line}`))
    .join("\n");
}
