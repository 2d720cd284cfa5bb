import { capture } from "../run/command.ts";

/** A command for each required program, which succeeds if the program can work. `docker version` asks the daemon. */
const requirements: [program: string, ...args: string[]][] = [
  ["docker", "version"],
  ["kind", "version"],
];

/** Returns a sentence about the first program that is missing or cannot work; undefined if `make kind` can begin. */
export async function missingProgram(): Promise<string | undefined> {
  for (const [program, ...args] of requirements) {
    const result = await capture(program, args).catch(() => undefined);
    if (!result) return `make kind needs ${program}, which is not installed.`;
    const [last = `${program} ended with ${result.code}`] = result.output.trim().split("\n").toReversed();
    if (result.code !== 0) return `make kind needs ${program}: ${last}`;
  }
  return undefined;
}
