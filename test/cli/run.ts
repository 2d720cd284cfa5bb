/** Runs the command line in this process, with captured streams. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Ask } from "../../src/cli/question.ts";
import { runProgram } from "../../src/cli/program.ts";
import { systemClock } from "../../src/process/clock.ts";
import type { Clock } from "../../src/queue/clock.ts";

export interface Ran {
  code: number;
  /** Data of the command. */
  out: string;
  /** Messages of the command. */
  err: string;
}

interface RunOptions {
  environment?: Record<string, string>;
  isTTY?: boolean;
  /** Answers the questions; without it, the command runs without a terminal. */
  ask?: Ask;
  signal?: AbortSignal;
  clock?: Clock;
}

/** Runs one command. */
export async function runCli(args: string[], options: RunOptions = {}): Promise<Ran> {
  const { environment = {}, isTTY = false, ask, signal = new AbortController().signal, clock = systemClock } = options;
  const texts = { out: "", err: "" };
  const stdout = { isTTY, write: (text: string) => void (texts.out += text) };
  const stderr = { isTTY, columns: 100, write: (text: string) => void (texts.err += text) };
  const code = await runProgram(args, { environment, stdout, stderr, ask, signal }, clock);
  return { code, ...texts };
}

/** Makes an empty folder for one test. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the options that reach an account without a cluster. */
export function accountFlags({ url, token }: { url: string; token: string }): string[] {
  const file = join(folderOfTest(), "token");
  writeFileSync(file, `${token}\n`);
  return ["--token-file", file, "--endpoint", url];
}
