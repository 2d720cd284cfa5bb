import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { askOn } from "../../src/cli/question.ts";

function streams(isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  let shown = "";
  output.on("data", (part: Buffer) => (shown += part.toString()));
  return { input, output, shown: () => shown };
}

describe("a question", () => {
  it.each([
    ["y", "yes", "the key of the answer"],
    ["\r", "no", "the default is no"],
    ["\u0003", "interrupted", "Ctrl-C"],
  ])("with the key %j answers %s: %s", async (key, expected, _reason) => {
    const { input, output, shown } = streams();
    const answer = askOn(input, output)!("Change it?");
    await expect.poll(shown).toContain("Change it?");
    input.write(key);
    expect(await answer).toBe(expected);
  });

  it("is impossible without a terminal", () => {
    const { input, output } = streams(false);
    expect(askOn(input, output)).toBeUndefined();
  });
});
