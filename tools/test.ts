/** Runs every test, or those that vitest's arguments name, and prints at the end `N passed, N failed`; exits non-zero when any failed. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBrowser } from "./browser/ensure.ts";
import { ensureControlPlane } from "./control-plane/ensure.ts";
import { ensureGoTool, testTools } from "./go-tool/ensure.ts";
import { show } from "./run/command.ts";
import { closingLine, failureLines, tally } from "./test/tally.ts";
import type { Report } from "./test/tally.ts";

const folder = mkdtempSync(join(tmpdir(), "test-report-"));
const file = join(folder, "report.json");
let exitCode = 1;
let report: Report | undefined;
try {
  await ensureControlPlane();
  // Without one only the tests of the page fail, and say so.
  await ensureBrowser().catch((error: Error) => console.error(error.message));
  for (const name of testTools) await ensureGoTool(name);
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
const result = tally(report, exitCode);
console.log(["", ...failureLines(report), closingLine(result)].join("\n"));
process.exitCode = result.failed > 0 ? 1 : 0;
