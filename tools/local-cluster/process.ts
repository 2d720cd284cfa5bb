import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Guard } from "./guarded.ts";

/** A child process that is ready, with the end of its output kept for error messages. */
export interface Running {
  readonly pid: number;
  /** The last part of standard output and standard error together. */
  output(): string;
  /** Resolves with the reason when the process has ended, wanted or not. */
  ended: Promise<string>;
  /** SIGTERM, and SIGKILL to whatever of its group is left after five seconds. */
  stop(): Promise<void>;
  /** SIGKILL at once, as a crash would end it. */
  kill(): Promise<void>;
}

interface Options {
  name: string;
  command: string;
  args: string[];
  guard: Guard;
  env?: NodeJS.ProcessEnv;
  /** Asked every 50 ms until it says true; a rejection counts as not yet. */
  ready: (output: string) => Promise<boolean> | boolean;
  timeoutMs?: number;
  onLine?: (line: string) => void;
}

/**
 * Starts a child in a process group of its own, so that Ctrl-C reaches just us and we end children in order; the guard
 * ends it when we die without a chance to. Resolves when it is ready.
 *
 * @throws Error with the end of its output, when it ends or is not ready in time (default 60 s)
 */
export async function startProcess(options: Options): Promise<Running> {
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  const running = supervise(child, options);
  let reason: string | undefined;
  void running.ended.then((text) => (reason = text));
  const deadline = performance.now() + (options.timeoutMs ?? 60_000);
  while (!(await isReady(options, running.output()))) {
    if (reason === undefined && performance.now() > deadline) {
      await running.kill();
      reason = "was not ready in time";
    }
    if (reason !== undefined) throw new Error(`${options.name} ${reason}:\n${tail(running.output())}`);
    await sleep(50);
  }
  return running;
}

function supervise(child: ChildProcess, { name, guard, onLine }: Options): Running {
  const pid = child.pid ?? 0;
  if (pid > 0) guard.watch(pid);
  let output = "";
  let partial = "";
  const take = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-65_536);
    if (onLine === undefined) return;
    const lines = (partial + chunk.toString()).split("\n");
    partial = lines.pop() ?? "";
    lines.forEach(onLine);
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started (${error.message})`));
    child.once("exit", (code, signal) => resolve(`ended (${signal ?? `exit code ${code}`})`));
  });
  void ended.then(() => {
    signalGroup(pid, "SIGKILL");
    guard.release(pid);
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), 5000);
    await ended;
    clearTimeout(timer);
  };
  if (pid === 0) output = `${name} has no process`;
  return { pid, output: () => output, ended, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

async function isReady({ ready }: Options, output: string): Promise<boolean> {
  try {
    return await ready(output);
  } catch {
    return false;
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 0) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has gone already.
  }
}

function tail(output: string): string {
  return output.trim().split("\n").slice(-15).join("\n");
}
