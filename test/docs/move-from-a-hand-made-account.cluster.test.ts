/** The guide runs from start to end: its commands are those that this test runs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { firstPair } from "../../src/kinds/objectstorage/certificate-examples.ts";
import { furnishAccount } from "../cli/furnished.ts";
import { folderOfTest, runCli } from "../cli/run.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { root } from "../support/sources.ts";
import { startWorld } from "../support/world.ts";
import { guideOf } from "./guides.ts";

const path = "docs/move-from-a-hand-made-account.md";
const guide = guideOf({ path, text: readFileSync(join(root, path), "utf8") });
const commands = guide.blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.trim().split("\n"));

test("the guide moves an account without a request that changes the cloud", async () => {
  const cluster = sharedControlPlane();
  const world = await startWorld(cluster);
  onTestFinished(() => world.stop());
  await furnishAccount(world.simulator);
  const mark = world.simulator.control.ledger().at(-1)?.id ?? 0;
  const folder = folderOfTest();
  for (const [name, text] of Object.entries({ ...firstPair, kubeconfig: cluster.kubeconfig }))
    writeFileSync(join(folder, name), text);
  const placed = (word: string): string =>
    word.replace(
      /^(--\w+=)?(manifests|tls\.\w+)$/,
      (_, flag: string | undefined, file: string) => `${flag ?? ""}${join(folder, file)}`,
    );

  /** Runs one program of a command, with the output of the program before as its input. */
  const run = async (command: string, input: string): Promise<string> => {
    const [program, ...words] = command.replace(/^npx /, "").split(" ");
    const args = [...words.map(placed), "-n", world.namespace];
    if (program === "cloudplatform") {
      const { code, out, err } = await runCli([...args, "--kubeconfig", join(folder, "kubeconfig")]);
      expect(code, `${command}\n${err}`).toBe(0);
      return out;
    }
    const { code, stdout, stderr } = await cluster.kubectl(args, { input });
    expect(code, `${command}\n${stderr}`).toBe(0);
    return stdout;
  };
  const outputs: string[] = [];
  for (const command of commands) {
    let output = "";
    for (const part of command.split(" | ")) output = await run(part, output);
    outputs.push(output);
  }

  expect(commands.length).toBeGreaterThan(8);
  const isSettled = ({ metadata, status }: KubeObject): boolean =>
    status?.["observedGeneration"] === metadata.generation;
  for (const [kind, name] of [
    ["Domain", "example-org"],
    ["ComputeInstance", "web"],
    ["Firewall", "edge-fw"],
  ] as const)
    await world.until(kind, name, isSettled);
  expect(world.simulator.control.ledger({ mutating: true, sinceId: mark })).toEqual([]);
  expect(outputs[0]).toContain("web-1002");
  expect(outputs.at(-1)).not.toContain("web-1002");
  const managed = await world.get("Domain", "example-org");
  expect(managed?.spec?.["management"]).toMatchObject({ policy: "Manage" });
}, 300_000);
