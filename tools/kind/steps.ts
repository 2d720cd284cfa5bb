import { spawn } from "node:child_process";
import { root } from "../run/places.ts";

/**
 * Says what is done, and does it with its output shown.
 *
 * @throws Error that names the step when the program is missing or fails
 */
export async function run(
  step: string,
  program: string,
  args: string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const code = await attempt(step, program, args, environment);
  if (code !== 0) throw new Error(`${step}: ${program} ended with ${code}`);
}

/** The same for a step that may fail: answers its exit code. */
export function attempt(
  step: string,
  program: string,
  args: string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  console.log(`\n${step}`);
  const child = spawn(program, args, { cwd: root, env: environment, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", () => reject(new Error(`${step}: ${program} is not installed`)));
    child.once("close", (code) => resolve(code ?? 1));
  });
}
