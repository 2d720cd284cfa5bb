/**
 * The browser room: a Chromium for the tests of pages.
 *
 * It guarantees that a browser which is there is used, and that one line says what to install where none can be had.
 * Where this is root on Debian, as in CI, it installs the package. May import tools/run.
 */
import { existsSync } from "node:fs";
import { capture } from "../run/command.ts";
import { isExecutable, onPath } from "../run/executables.ts";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Path of a browser: $CHROME, else the first on PATH. */
export function findBrowser(environment: NodeJS.ProcessEnv): string | undefined {
  const named = environment["CHROME"] ?? "";
  return named !== "" && isExecutable(named) ? named : onPath(names, environment);
}

/**
 * Path of a browser, installed first where that can be done.
 *
 * @throws Error whose message is one line that says what to install
 */
export async function ensureBrowser(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const found = findBrowser(environment);
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.error("installing chromium, for the tests of the simulator's page");
    const problem = await install();
    const installed = findBrowser(environment);
    if (installed !== undefined) return installed;
    throw new Error(`no browser: apt-get could not install chromium: ${problem}`);
  }
  throw new Error("no browser: install Chromium (Debian: apt-get install chromium), or name one in CHROME");
}

/** The last line that was printed. Lists of packages may be missing or old, so they are renewed first. */
async function install(): Promise<string> {
  await capture("apt-get", ["update", "--quiet"]);
  const flags = ["install", "--yes", "--quiet", "--no-install-recommends"];
  const { output } = await capture("apt-get", ["-o", "DPkg::Lock::Timeout=300", ...flags, "chromium"]);
  return output.trim().split("\n").at(-1) ?? "";
}
