import { show } from "../run/command.ts";

/**
 * Says what is done, and does it with its output shown.
 *
 * @throws Error that names the step when the program is missing or fails
 */
export async function run(step: string, program: string, args: string[], more?: NodeJS.ProcessEnv): Promise<void> {
  const code = await attempt(step, program, args, more);
  if (code !== 0) throw new Error(`${step}: ${program} ended with ${code}`);
}

/** The same for a step that may fail: answers its exit code. */
export function attempt(step: string, program: string, args: string[], more?: NodeJS.ProcessEnv): Promise<number> {
  console.log(`\n${step}`);
  return show(program, args, more).catch((cause: unknown) => {
    throw new Error(`${step}: ${program} is not installed`, { cause });
  });
}
