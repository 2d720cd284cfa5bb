import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment } from "../../../tools/demo/programs.ts";
import { startGuard } from "../../../tools/local-cluster/guarded.ts";
import type { Guard } from "../../../tools/local-cluster/guarded.ts";
import { startProcess } from "../../../tools/local-cluster/process.ts";
import type { Running } from "../../../tools/local-cluster/process.ts";

/**
 * Processes of one test: whatever is left of them ends with `close`, and also when the test is killed.
 * `CAMPAIGN_LOG` names a file that keeps what the operators wrote.
 */
export interface Processes {
  /** Starts `node src/main.ts` and waits until its output has `until`. */
  operator: (args: string[], until?: string) => Promise<OperatorProcess>;
  close: () => Promise<void>;
}

export interface OperatorProcess extends Running {
  /** Every line it has written so far. */
  lines: () => string[];
}

export function createProcesses(): Processes {
  const folder = mkdtempSync(join(tmpdir(), "campaign-"));
  const guard = startGuard(folder);
  const started: Running[] = [];
  return {
    async operator(args, until = "leading") {
      const running = await startOperatorProcess(guard, args, until);
      started.push(running);
      return running;
    },
    async close() {
      await Promise.all(started.map((running) => running.kill()));
      await guard.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startOperatorProcess(guard: Guard, args: string[], until: string): Promise<OperatorProcess> {
  const lines: string[] = [];
  const running = await startProcess({
    name: "the operator",
    command: process.execPath,
    args: ["src/main.ts", ...args],
    guard,
    env: cleanEnvironment(process.env),
    ready: () => lines.some((line) => line.includes(until)),
    onLine(line) {
      lines.push(line);
      const file = process.env["CAMPAIGN_LOG"];
      if (file !== undefined) appendFileSync(file, `${line}\n`);
    },
    timeoutMs: 90_000,
  });
  return { ...running, lines: () => [...lines] };
}

/** Arguments for an operator of one namespace: short polls and windows, no ports. */
export function operatorArgs(options: {
  kubeconfigPath: string;
  cloud: string;
  namespace: string;
  more?: string[];
}): string[] {
  return [
    ["--kubeconfig", options.kubeconfigPath],
    ["--endpoint", `default=${options.cloud}`],
    ["--namespace", options.namespace],
    ["--lease-namespace", options.namespace],
    ["--installation-id", "campaign"],
    ["--metrics-address", "0"],
    ["--health-address", "0"],
    ["--poll-seconds", "5"],
    ["--fast-poll-seconds", "1"],
    ["--settle-seconds", "2"],
    ["--settle-billable-seconds", "3"],
    options.more ?? [],
  ].flat();
}
