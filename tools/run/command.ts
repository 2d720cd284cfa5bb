import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./places.ts";

/** The environment in which this project's own programs and Node 24 come first. */
export const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}:${process.env["PATH"] ?? ""}`,
};

/** Runs a program in the project's root with its output shown as it comes; answers the exit code. */
export function show(command: string, args: string[], more: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(command, args, { cwd: root, env: { ...environment, ...more }, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** Runs a program in the project's root and keeps its output, standard error included. */
export function capture(command: string, args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(command, args, { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
