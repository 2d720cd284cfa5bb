/** Runs every test, or the tests that vitest's arguments name. Prints `N passed, N failed` at the end; exits non-zero if a test failed. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBrowser } from "./browser/ensure.ts";
import { ensureControlPlane } from "./control-plane/ensure.ts";
import { ensureGoTool, gitopsControllers, goTools } from "./go-tool/ensure.ts";
import { show } from "./run/command.ts";
import { closingLine, failureLines, tally } from "./test/tally.ts";
import type { Report } from "./test/tally.ts";

const folder = mkdtempSync(join(tmpdir(), "test-report-"));
const file = join(folder, "report.json");
let exitCode = 1;
let report: Report | undefined;
let building: Promise<void> | undefined;
try {
  await ensureControlPlane();
  // If the browser is missing, only the tests of the simulator's page fail.
  await ensureBrowser().catch((error: Error) => console.error(error.message));
  for (const name of goTools) if (!gitopsControllers.has(name)) await ensureGoTool(name);
  if (process.argv.length === 2) building = buildControllers();
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  exitCode = await show("vitest", ["run", ...reporters, ...process.argv.slice(2)], {
    // API servers that live for minutes need not save memory: an eighth of their time was the collection of garbage.
    GOGC: "400",
    // Programs are started many times from the same sources: a third of what such a start takes is compiling them.
    NODE_COMPILE_CACHE: join(folder, "compiled"),
  });
  report = JSON.parse(readFileSync(file, "utf8")) as Report;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
await building;
const result = tally(report, exitCode);
console.log(["", ...failureLines(report), closingLine(result)].join("\n"));
process.exitCode = result.failed > 0 ? 1 : 0;

/** Builds the controllers of the GitOps stories while other tests run. If a build fails, the stories build again and report the error. */
async function buildControllers(): Promise<void> {
  for (const name of gitopsControllers) await ensureGoTool(name).catch((error: Error) => console.error(error.message));
}
