/** Options that every command has. */
import { Option } from "commander";
import type { Command } from "commander";

import type { Format } from "./output/table.ts";

export interface Flags {
  context?: string;
  kubeconfig?: string;
  namespace?: string;
  allNamespaces?: true;
  account?: string;
  tokenFile?: string;
  endpoint?: string;
  brandWord?: string;
  output?: Format;
  /** Only of a command that changes something. */
  yes?: true;
  /** Only of a command that changes something. */
  dryRun?: true;
}

/** Adds the options of every command. `offered`: the formats of the command. */
export function addFlags(command: Command, offered: readonly Format[]): void {
  command
    .option("--context <name>", "context of the kubeconfig")
    .option("--kubeconfig <file>", "kubeconfig file; default: as kubectl")
    .option("-n, --namespace <name>", "namespace; default: the namespace of the context")
    .option("-A, --all-namespaces", "objects of all namespaces")
    .option("--account <name>", "CloudAccount in the cluster, such as default or team/default")
    .option("--token-file <file>", "file with a token of the cloud, instead of a CloudAccount")
    .option("--endpoint <url>", "URL of the cloud API; default: the endpoint of the operator")
    .option("--brand-word <word>", "brand word of the cloud API; default: the word of the operator, or compute");
  if (offered.length > 0)
    command.addOption(new Option("-o, --output <format>", "output format").choices(offered).default(offered[0]));
}

/** Adds the options of a command that changes something. */
export function addChangeFlags(command: Command): void {
  command.option("--yes", "change without a question").option("--dry-run", "show the change, and change nothing");
}
