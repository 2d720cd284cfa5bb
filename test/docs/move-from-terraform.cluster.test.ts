/**
 * The commands of the guide *Move from Terraform* run in order. Without TERRAFORM_MIRROR, a replacement of Terraform has a recorded state.
 * With the folder of a mirror in TERRAFORM_MIRROR, Terraform and the provider of the mirror run.
 */
import { execFile } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { folderOfTest } from "../cli/run.ts";
import { brandWord, configuration, recordedState, rename, replay } from "../cli/terraform/recording.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { root } from "../support/sources.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { guideOf } from "./guides.ts";

const path = "docs/move-from-terraform.md";
const [whole = "", part = ""] = readFileSync(join(root, path), "utf8").split("## One part at a time");
const mirror = process.env["TERRAFORM_MIRROR"];

let world: World;
let folder: string;
let before: number;
let environment: Record<string, string | undefined>;

beforeEach(async () => {
  world = await startWorld(sharedControlPlane(), { simulator: { brandWord }, operator: { brandWord } });
  folder = folderOfTest();
  cpSync(configuration, folder, { recursive: true });
  environment = { ...process.env, ...programs(), ...variables() };
  if (mirror === undefined) {
    await replay(world.simulator);
    cpSync(recordedState, join(folder, "terraform.tfstate"));
  } else await run("terraform init && terraform apply");
  await rename(world.simulator);
  await world.ready("CloudAccount", "default");
  before = world.simulator.control.ledger({ last: 1 }).at(-1)?.id ?? 0;
}, 120_000);
afterEach(() => world.stop());

/** Writes the programs of the guide into a folder, and returns the variables that select them. */
function programs(): Record<string, string> {
  const bin = folderOfTest();
  const add = (name: string, command: string): void =>
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  add("cloudplatform", `${process.execPath} ${join(root, "src/cli/main.ts")}`);
  add("kubectl", inject("cluster").kubectlPath);
  if (mirror === undefined) add("terraform", `${process.execPath} ${join(root, "test/cli/terraform/stand-in.ts")}`);
  return { PATH: `${bin}:${process.env["PATH"]}`, KUBECONFIG: inject("cluster").kubeconfigPath };
}

function variables(): Record<string, string> {
  if (mirror === undefined) return {};
  const config = join(folderOfTest(), "terraformrc");
  writeFileSync(
    config,
    `disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`,
  );
  const { url, token } = world.simulator;
  const values = { TF_VAR_url: url, TF_VAR_token: token, TF_VAR_root_pass: "Canary-of-the-root-1!" };
  return { ...values, TF_CLI_CONFIG_FILE: config, TF_CLI_ARGS: "-no-color", TF_CLI_ARGS_apply: "-auto-approve" };
}

async function run(script: string): Promise<string> {
  const own = script.replaceAll("-n shop", `-n ${world.namespace}`);
  const options = { cwd: folder, env: environment, timeout: 180_000, maxBuffer: 64 * 1_048_576 };
  const { stdout, stderr } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", own], options);
  return stdout + stderr;
}

/** Runs the commands of a part of the guide, and returns their outputs. */
async function followed(text: string): Promise<string[]> {
  const commands = guideOf({ path, text }).blocks.filter(({ language }) => language === "");
  const outputs: string[] = [];
  for (const { text: command } of commands) outputs.push(await run(command));
  return outputs;
}

const mutating = () =>
  world.simulator.control
    .ledger({ sinceId: before, mutating: true })
    .map(({ method, path: of, body }) => `${method} ${of} ${body}`);

/** Returns the counts of destroyed objects in the plans. */
function destroyedIn(outputs: string[]): string[] {
  const plans = outputs.flatMap((text) => text.match(/^Plan: .*|^No changes\./gm) ?? []);
  return plans.map((plan) => (plan === "No changes." ? "0" : (/(\d+) to destroy/.exec(plan)?.[1] ?? plan)));
}

test(
  "the guide moves every covered resource to the operator, and no request changes the cloud",
  { timeout: 600_000 },
  async () => {
    const outputs = await followed(whole);
    expect(outputs.join("")).toContain("34 of 35 resources imported as 32 objects");
    // The first plan, the plan with the removed blocks, the plan of the apply, and the last plan.
    expect(destroyedIn(outputs)).toEqual(["0", "0", "0", "0"]);
    expect(outputs.join("")).toContain("Plan: 0 to add, 0 to change, 0 to destroy.");
    expect(outputs.at(-1)?.match(/condition met/g)).toHaveLength(32);
    expect(await run("terraform state pull")).not.toContain(`"${brandWord}_`);
    expect(mutating()).toEqual([]);
  },
);

test(
  "the guide moves one instance of for_each, and the plan has nothing to destroy or to add",
  { timeout: 300_000 },
  async () => {
    const outputs = await followed(part);
    expect(outputs[0]).toContain("1 of 1 resources imported as 1 objects");
    expect(destroyedIn(outputs)).toEqual(["0"]);
    expect(outputs.join("")).not.toMatch(/Plan: [1-9]/);
    await world.ready("DomainRecord", "host-api-v2");
    expect(mutating()).toEqual([]);
  },
);
