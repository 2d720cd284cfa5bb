/** `plan`: the requests that the operator would send for changed manifests. */
import { Option } from "commander";
import type { CommandDefinition } from "../command.ts";
import { exitCodes, Failure } from "../failure.ts";
import { readManifests } from "../manifest-files.ts";
import type { Session } from "../session.ts";
import type { Format } from "../output/table.ts";
import { copyCluster } from "../../twin/copy-cluster.ts";
import type { ClusterCopy } from "../../twin/copy-cluster.ts";
import { failsOn, parseFailOn } from "../../twin/fail-on.ts";
import type { FailOn } from "../../twin/fail-on.ts";
import { makePlan } from "../../twin/make-plan.ts";
import type { Plan } from "../../twin/plan.ts";
import { neededReads } from "../../twin/needed-reads.ts";
import { planMarkdown } from "../../twin/plan-markdown.ts";
import { planText } from "../../twin/plan-text.ts";
import { readAccount } from "../../twin/read-account.ts";

export const plan: CommandDefinition = {
  name: "plan",
  summary: "Shows the requests that the operator would send for changed manifests.",
  description:
    "Copies the account and the cluster into memory, applies the manifests to the copy, and runs the operator until it rests. The command changes nothing: it only reads the account and the cluster. Exit codes: 0 no request, 2 requests, 1 an error or a manifest that the API server refuses, 3 if --fail-on matches.",
  examples: [
    ["plan -f manifests/ --account production", "plans the manifests of a folder against a cluster and its account"],
    [
      "plan -f manifests/ --token-file token --endpoint https://api.example.com -o markdown --fail-on deletion",
      "plans without a cluster, for a comment of a pull request",
    ],
  ],
  formats: ["text", "json", "markdown"],
  options: [
    new Option("-f, --filename <path...>", "files or folders with manifests; - for the standard input"),
    new Option("--against <what>", "plan the existing objects too, to show drift").choices(["cluster"]),
    new Option("--fail-on <condition...>", "exit code 3 for disruption, deletion, or cost>N in US dollars per month"),
  ],
  async run(session, _, { output = "text", filename, against, failOn }) {
    const paths = (filename ?? []) as string[];
    if (paths.length === 0 && against === undefined)
      throw new Failure("plan needs manifests. Add -f with a file or a folder, or --against cluster");
    const conditions = conditionsOf((failOn ?? []) as string[]);
    const made = await planOf(session, paths);
    session.terminal.data(printed(session, made, output));
    if (made.refusals.length > 0) return exitCodes.error;
    if (failsOn(made, conditions)) return exitCodes.condition;
    return made.objects.some(({ operations }) => operations.length > 0) ? exitCodes.different : exitCodes.ok;
  },
};

function conditionsOf(texts: readonly string[]): FailOn[] {
  return texts.map((text) => {
    try {
      return parseFailOn(text);
    } catch (error) {
      throw new Failure(`--fail-on: ${(error as Error).message}. Give one of them`, { cause: error });
    }
  });
}

async function planOf(session: Session, paths: readonly string[]): Promise<Plan> {
  const { terminal, clock, flags } = session;
  const manifests = await readManifests(paths);
  const account = await session.account();
  const cluster = session.hasCluster ? session.cluster() : undefined;
  const namespace = cluster?.namespace ?? flags.namespace ?? "default";
  terminal.progress("reading the account");
  const reads = await readAccount(account.reader);
  terminal.progress("reading the cluster");
  const copy = cluster && (await copyCluster(cluster.kube, account.name ?? "", namespace));
  const planned = [...manifests.map(({ object }) => object), ...(copy?.existing ?? [])];
  const unread = neededReads(reads, planned).map(({ path, why }) => `${path} (${why})`);
  if (unread.length > 0)
    throw new Failure(
      `the manifests need lists that cannot be read: ${unread.join(", ")}. Give a token that can read them`,
    );
  terminal.progress("running the operator on the copy");
  const made = await makePlan({ account: reads, start: clock.date(), namespace, manifests, ...copied(copy) });
  return { ...made, unknown: [...made.unknown, ...limits(copy)] };
}

function copied(copy: ClusterCopy | undefined) {
  if (!copy) return { existing: [] };
  const { existing, installationTag, endpoints } = copy;
  return { existing, installationTag, endpoints };
}

function limits(copy: ClusterCopy | undefined): string[] {
  if (!copy) return [];
  const { limited, existing } = copy;
  return [
    ...(limited.length > 0 ? [`objects of other namespaces: you may not list ${limited.join(", ")}`] : []),
    ...(existing.length > 0 ? ["values of Secrets in the cluster: a changed value shows no operation"] : []),
  ];
}

function printed({ terminal }: Session, made: Plan, output: Format): string {
  if (output === "json") return `${JSON.stringify(made, null, 2)}\n`;
  if (output === "markdown") return planMarkdown(made);
  return planText(made, (colour, text) => terminal.paint(colour, text));
}
