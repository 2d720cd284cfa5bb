/** Each patch of `matrix/bugs` removes one check from a copy of the code. The cells in its head must find the difference. */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { root } from "../support/sources.ts";

const run = promisify(execFile);
const copy = mkdtempSync(join(tmpdir(), "matrix-"));
for (const part of ["src", "test/world", "test/tenancy/matrix", "test/support/chance.ts", "package.json"])
  cpSync(join(root, part), join(copy, part), { recursive: true });
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
afterAll(() => rmSync(copy, { recursive: true }));

const folder = join(root, "test/tenancy/matrix/bugs");
const bugs = readdirSync(folder).map((file) => {
  const text = readFileSync(join(folder, file), "utf8");
  const [title = ""] = text.split("\n");
  const said = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1] ?? "";
  return { file, title, sample: said("Cells").split(" ") };
});

async function redIn(sample: string[]): Promise<string[]> {
  const { stdout } = await run(process.execPath, ["test/tenancy/matrix/replay.ts", "until=red", ...sample], {
    cwd: copy,
  });
  return (JSON.parse(stdout) as { red: string[] }).red;
}

async function apply(file: string, ...how: string[]): Promise<void> {
  await run("git", ["apply", "-C1", ...how, join(folder, file)], { cwd: copy });
}

describe("the matrix finds a removed check", { timeout: 120_000 }, () => {
  it.each(bugs)("$title", async ({ file, sample }) => {
    await apply(file);
    try {
      // Without the patch, no cell is red: see the other tests of the matrix.
      expect(await redIn(sample)).not.toEqual([]);
    } finally {
      await apply(file, "--reverse");
    }
  });
});
