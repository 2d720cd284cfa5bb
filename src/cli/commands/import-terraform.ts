/** `import terraform`: manifests for the resources in a state of Terraform. */
import { readFile } from "node:fs/promises";
import { Option } from "commander";
import { createLists } from "../account/lists.ts";
import type { CommandDefinition, OptionValues } from "../command.ts";
import { exitCodes, Failure } from "../failure.ts";
import type { Session } from "../session.ts";
import { isWithin } from "../terraform/address.ts";
import { identifying } from "../terraform/covered.ts";
import { importedFrom } from "../terraform/import.ts";
import type { Imported } from "../terraform/import.ts";
import { compareAddresses } from "../terraform/names.ts";
import { readState } from "../terraform/state.ts";
import type { StateResource } from "../terraform/state.ts";
import { quoted } from "../shell.ts";
import { forgettingOf, removedBlocks, stepsText } from "../terraform/steps.ts";
import type { Forgetting } from "../terraform/steps.ts";
import { accountNameOf, filesOf, sayRemarks, streamOf } from "../export/written.ts";

export const importTerraform: CommandDefinition = {
  name: "import terraform",
  arguments: "<file>",
  summary: "Writes manifests for the resources in a state of Terraform.",
  description:
    "The file is the output of terraform state pull, or of terraform show -json. Each object adopts the cloud object of its resource and has the policy Observe, so that the operator changes nothing. The state gives identities, names and references. All values come from the account, so no secret of the state is in the output. The end of the output lists the resources that stay in Terraform, and the next steps.",
  examples: [
    [
      "import terraform terraform.tfstate --account default --folder manifests",
      "writes one file for each object, with a kustomization.yaml",
    ],
    [
      "import terraform state.json --target module.web --token-file token --endpoint https://api.example.com",
      "prints manifests for one module, without a cluster",
    ],
  ],
  formats: ["yaml", "json", "name"],
  options: [
    new Option("--folder <folder>", "write one file for each object, in folders by area, with a kustomization.yaml"),
    new Option("--target <address>", "only this module, resource or instance; can be repeated")
      .default([], "all resources")
      .argParser((address: string, before: string[]) => [...before, address]),
    new Option("--manage", "set the policy Manage instead of Observe"),
    new Option("--full", "write default values, too"),
  ],
  async run(session, [file = ""], options) {
    const { folder, manage, full, output = "yaml", target } = options;
    const all = readState(await contentOf(file), file, identifying);
    const resources = selected(all, target as string[], file);
    const account = await session.account();
    const lists = createLists(account.reader, (done, begun) =>
      session.terminal.progress(`reading the account: ${done} of ${begun} reads`),
    );
    const imported = await importedFrom(lists, resources, {
      policy: manage === true ? "Manage" : "Observe",
      full: full === true,
      namespace: session.flags.namespace,
      account: accountNameOf(account.name),
    });
    const forgetting = forgettingOf(all, imported.covered);
    const files = new Map([...filesOf(imported), ["removed.tf", removedBlocks(forgetting)]]);
    if (typeof folder === "string") await session.write(folder, files);
    else session.terminal.data(streamOf(imported, output));
    report(session, resources.length, imported);
    if (manage !== true && imported.covered.size > 0) sayNext(session, file, forgetting, options);
    return imported.missed.length === 0 ? exitCodes.ok : exitCodes.error;
  },
};

async function contentOf(file: string): Promise<Uint8Array> {
  return readFile(file).catch(({ code = "error" }: NodeJS.ErrnoException) => {
    throw new Failure(`${file} cannot be read (${code}). Name a file with the state`);
  });
}

function selected(all: readonly StateResource[], targets: readonly string[], file: string): StateResource[] {
  if (all.length === 0) throw new Failure(`${file} has no resources. Check the workspace and the backend of Terraform`);
  const absent = targets.find((target) => !all.some(({ address }) => isWithin(address, target)));
  if (absent !== undefined)
    throw new Failure(`--target: ${file} has no resource ${absent}. Run terraform state list for the addresses`);
  const isWanted = ({ address }: StateResource): boolean => targets.some((target) => isWithin(address, target));
  const wanted = targets.length === 0 ? [...all] : all.filter(isWanted);
  // A removed block and a command would also forget the former object, which then stays in the cloud.
  const former = wanted.find(({ deposed }) => deposed);
  if (former)
    throw new Failure(`${former.address} has a former object that Terraform still deletes. Run terraform apply first`);
  return wanted;
}

/** Prints the steps. The commands repeat the options of this one. */
function sayNext(
  { terminal, flags }: Session,
  file: string,
  forgetting: Forgetting,
  { folder, full, target }: OptionValues,
): void {
  const { context, kubeconfig, namespace, account, tokenFile, endpoint, brandWord } = flags;
  const given = { context, kubeconfig, namespace, account, "token-file": tokenFile, endpoint, "brand-word": brandWord };
  const texts = Object.entries({ ...given, folder: folder as string | undefined }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const targets = (target as string[]).flatMap((address) => ["--target", address]);
  const words = ["cloudplatform import terraform", quoted(file), ...[...targets, ...texts].map(quoted)];
  const command = [...words, ...(full === true ? ["--full"] : [])].join(" ");
  const place = { folder: folder as string | undefined, namespace, command };
  terminal.say(stepsText(forgetting, place));
}

/** Reports what the user must know. */
function report({ terminal }: Session, count: number, imported: Imported): void {
  const { manifests, missed, covered, others } = imported;
  sayRemarks(terminal, imported);
  for (const { resource, why } of others.toSorted((a, b) => compareAddresses(a.resource, b.resource)))
    terminal.say(`stays in Terraform: ${resource.address}: ${why}`);
  for (const { what, why } of missed) terminal.say(`${terminal.paint("red", "not imported")}: ${what}: ${why}`);
  terminal.say(`${covered.size} of ${count} resources imported as ${manifests.length} objects`);
}
