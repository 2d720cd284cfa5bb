/** Programs that fetch, build and run the tests of public clients. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Exit codes that are no failure. */
  accepted?: number[];
  /** File that gets the standard output. */
  output?: string | undefined;
}

/**
 * Runs a program that ends with this process. Its output goes to standard error, or into the file `output`.
 *
 * @throws Error with the command and the exit code, if the exit code is not accepted
 */
export async function run(
  command: string,
  args: string[],
  { accepted = [0], output, ...options }: RunOptions = {},
): Promise<void> {
  const descriptor = output === undefined ? 2 : openSync(output, "w");
  const child = spawn(command, args, { ...options, stdio: ["ignore", descriptor, 2] });
  if (output !== undefined) closeSync(descriptor);
  const end = (): void => void child.kill();
  process.once("exit", end);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("exit", end);
      if (accepted.includes(code ?? -1)) resolve();
      else reject(new Error(`${command} ${args.slice(0, 3).join(" ")} … ended with ${code}`));
    });
  });
}
