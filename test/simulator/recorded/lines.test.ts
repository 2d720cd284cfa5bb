import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("every recorded fact has a test that is named after it", () => {
  const here = new URL(".", import.meta.url);
  const title = /\btest(?:\.each\([\s\S]*?\))?\(\s*"([^"]+)"/g;
  const titles = readdirSync(here)
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => Array.from(readFileSync(new URL(file, here), "utf8").matchAll(title), ([, text = ""]) => text));
  const facts = readFileSync(new URL("lines.tsv", here), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(facts).toHaveLength(60);
  const untested = facts.filter(([, key = ""]) => !titles.some((each) => each.startsWith(`${key}: `)));
  expect(untested).toEqual([]);
});
