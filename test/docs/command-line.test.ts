import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commands } from "../../src/cli/program.ts";
import { root } from "../support/sources.ts";

const page = readFileSync(join(root, "docs/command-line.md"), "utf8");

it.each([...commands.map(({ name }) => name), "completion"])(
  "the page of the command line has a section for %s",
  (name) => {
    expect(page).toContain(`\n### \`${name}\`\n`);
  },
);

it("the page of the command line names no command that does not exist", () => {
  const sections = [...page.matchAll(/^### `(.+)`$/gm)].map(([, name]) => name);
  expect(new Set(sections)).toEqual(new Set([...commands.map(({ name }) => name), "completion"]));
});
