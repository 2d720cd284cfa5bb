/** Questions to the user on a terminal. */
import type { Readable, Writable } from "node:stream";

export type Answer = "yes" | "no" | "interrupted";
export type Ask = (question: string) => Promise<Answer>;

/**
 * Returns the function that asks; undefined if one of the streams is not a terminal. The default answer is no. Ctrl-C and Escape
 * answer `interrupted`.
 */
export function askOn(input: Readable & { isTTY?: boolean }, output: Writable & { isTTY?: boolean }): Ask | undefined {
  if (input.isTTY !== true || output.isTTY !== true) return undefined;
  return async (message) => {
    // Only a question needs the library, and each command would pay for its start.
    const { confirm, isCancel } = await import("@clack/prompts");
    const answer = await confirm({ message, initialValue: false, input, output });
    if (isCancel(answer)) return "interrupted";
    return answer ? "yes" : "no";
  };
}
