/** `doctor`: checks the installation and the accounts. */
import { KubeError } from "../../cluster/errors.ts";
import { dataText } from "../output/table.ts";
import type { CommandDefinition } from "../command.ts";
import { checkAccounts } from "../doctor/accounts.ts";
import { checkCloud } from "../doctor/cloud.ts";
import { checkDefinitions } from "../doctor/definitions.ts";
import { ok, wrong } from "../doctor/finding.ts";
import type { Finding } from "../doctor/finding.ts";
import { checkLeader } from "../doctor/leader.ts";
import { checkOperator, checkUser } from "../doctor/permissions.ts";
import { exitCodes, textOf } from "../failure.ts";
import type { Session } from "../session.ts";
import type { Colour, Terminal } from "../terminal.ts";

export const doctor: CommandDefinition = {
  name: "doctor",
  summary: "Checks the installation, the accounts and their tokens. Each line is ok, or names the cure.",
  description:
    "Checks reachability, definitions, the leader, permissions, and for each CloudAccount its conditions, token, scopes, brand word and clock. Changes nothing. The exit code is 1 if a check finds a problem. A line with the state unknown is no problem: a check was not possible, for example because you lack a permission.",
  examples: [
    ["doctor -n shop", "checks the operator, and the accounts of the namespace shop"],
    ["doctor --token-file token --endpoint https://api.example.com", "checks a token without a cluster"],
  ],
  formats: ["table", "json", "yaml"],
  async run(session, _, { output = "table" }) {
    const findings = session.hasCluster ? await checkCluster(session) : await checkToken(session);
    session.terminal.data(written(findings, output, session.terminal));
    return findings.some(({ state }) => state === "wrong") ? exitCodes.error : exitCodes.ok;
  },
};

async function checkToken(session: Session): Promise<Finding[]> {
  return checkCloud(session, await session.account(), "--token-file");
}

async function checkCluster(session: Session): Promise<Finding[]> {
  const { kube, namespace, listed } = session.cluster();
  const say = (text: string): void => session.terminal.progress(`checking ${text}`);
  try {
    say("the Kubernetes API");
    const { gitVersion } = (await kube.raw("/version")) as { gitVersion?: string };
    say("definitions");
    const definitions = await checkDefinitions(kube);
    say("the operator");
    const { findings, lease } = await checkLeader(kube, session.clock, listed);
    const permissions = [...(await checkOperator(kube, namespace, lease)), ...(await checkUser(kube, namespace))];
    say("the accounts");
    const accounts = await checkAccounts(session);
    return [
      ok("cluster", `the Kubernetes API answers (${gitVersion ?? "unknown version"})`),
      ...definitions,
      ...findings,
      ...permissions,
      ...accounts,
    ];
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return [wrong("cluster", textOf(error), "Check --kubeconfig, --context, the network, and your roles")];
  }
}

const colours: Record<Finding["state"], Colour> = { ok: "green", wrong: "red", unknown: "yellow" };

function written(findings: readonly Finding[], output: string, { paint }: Terminal): string {
  if (output === "json" || output === "yaml") return dataText({ findings }, output);
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, state, text, cure }) => [
    `${paint(colours[state], state.padEnd(7))}  ${check.padEnd(width)}  ${shown(text)}`,
    ...(cure === undefined ? [] : [`${" ".repeat(11 + width)}${shown(cure)}`]),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

/** Texts of the cloud can have control characters. */
function shown(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}
