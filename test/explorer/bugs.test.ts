/**
 * The explorer finds what it is made for: each patch of `bugs/` plants one bug in a copy of the code, and the life that
 * its head names, by a seed or written down, breaks the invariant that it names.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { invariants } from "./invariants.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "explorer-"));
for (const what of ["src", "test/world", "test/explorer", "test/support/chance.ts", "package.json"])
  cpSync(join(root, what), join(scratch, what), { recursive: true });
symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"));
afterAll(() => rmSync(scratch, { recursive: true }));

const folder = fileURLToPath(new URL("bugs/", import.meta.url));
const bugs = readdirSync(folder)
  .filter((file) => file.endsWith(".patch"))
  .map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const said = (what: string) => new RegExp(`^${what}: (.*)$`, "m").exec(text)?.[1] ?? "";
    // A seed that the explorer came upon, or a life written down.
    return { file, invariant: said("Invariant"), life: said("Life") || said("Seed") };
  });

/** The invariants that these lives break. */
async function broken(lives: string[]): Promise<string[]> {
  const { stdout } = await run(process.execPath, ["test/explorer/replay.ts", ...lives], { cwd: scratch });
  return JSON.parse(stdout) as string[];
}

function apply(file: string, ...how: string[]): Promise<unknown> {
  return run("git", ["apply", "-C1", ...how, join(folder, file)], { cwd: scratch });
}

describe("the explorer finds a planted bug", { timeout: 300_000 }, () => {
  it("and nothing where none is planted", async () => {
    expect(await broken(bugs.map(({ life }) => life))).toEqual([]);
  });

  it.each(bugs)("$file breaks: $invariant", async ({ file, invariant, life }) => {
    await apply(file).catch((error: unknown) => {
      throw new Error(`${file} does not apply any more: renew the patch against the code as it is now`, {
        cause: error,
      });
    });
    try {
      expect(await broken([life])).toContain(invariant);
    } finally {
      await apply(file, "--reverse");
    }
  });

  it("for each invariant there is", () => {
    const named = new Set(bugs.map(({ invariant }) => invariant));
    expect([...Object.keys(invariants), "the way out works"].filter((invariant) => !named.has(invariant))).toEqual([]);
  });
});
