import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { withLock } from "../run/lock.ts";
import { cacheRoot } from "../run/places.ts";
import { createProgress } from "../run/progress.ts";
import { run } from "./run.ts";
import type { Outcome, PythonSuite } from "./suite.ts";

/**
 * Runs the suite of a client in Python against a simulator of its own, on this machine alone; answers what came of each test.
 *
 * @throws Error with one line that says what to do, when Python is missing or what the suite needs cannot be had
 */
export async function runPython(suite: PythonSuite): Promise<Outcome[]> {
  const home = await ensureHome(suite);
  const scratch = mkdtempSync(join(tmpdir(), "cloud-platform-clients-"));
  const file = join(scratch, "outcomes");
  const clean = (): void => rmSync(scratch, { recursive: true, force: true });
  process.once("exit", clean);
  const simulator = await startSimulator({ brandWord: suite.brandWord });
  try {
    const tests = Object.values(suite.covered).flat();
    const plugins = ["-p", "simulated_time", "-p", "no:cacheprovider", "-q", "--no-header", "--no-summary"];
    const root = join(home, suite.root);
    await run(join(home, "bin", "python"), ["-m", "pytest", ...plugins, `--rootdir=${root}`, ...tests], {
      cwd: root,
      // A test that fails is judged by its name.
      accepted: [0, 1],
      env: {
        ...process.env,
        ...suite.environment(simulator),
        PYTHONPATH: [suite.folder, join(home, suite.root.split("/")[0] ?? "")].join(":"),
        PYTHONDONTWRITEBYTECODE: "1",
        SIMULATOR_CONTROL_URL: `${simulator.url}/_simulator`,
        SIMULATOR_CONTROL_TOKEN: simulator.controlToken,
        OUTCOMES: file,
      },
    });
    return existsSync(file) ? read(file) : [];
  } finally {
    await simulator.close();
    process.off("exit", clean);
    clean();
  }
}

function read(file: string): Outcome[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Outcome);
}

/** The folder with Python, what the suite needs, and the suite itself: made once, kept outside the tree. */
async function ensureHome({ folder, name, version }: PythonSuite): Promise<string> {
  const hash = createHash("sha256");
  for (const file of ["requirements.txt", "suite.txt"]) hash.update(readFileSync(join(folder, file)));
  const home = join(cacheRoot(process.env), "clients", hash.digest("hex").slice(0, 12));
  const progress = createProgress();
  const waiting = (pid: number): void => progress.say(`${name}: process ${pid} is fetching it; waiting for it`);
  await withLock(`${home}.lock`, waiting, async () => {
    if (existsSync(join(home, "whole"))) return;
    progress.say(`${name} ${version} is not here yet: fetching it once from its registry, kept in ${home}`);
    rmSync(home, { recursive: true, force: true });
    await fetchSuite(folder, home);
  });
  return home;
}

async function fetchSuite(folder: string, home: string): Promise<void> {
  await run("python3", ["-m", "venv", home]).catch(() => {
    throw new Error("Python is missing: install Python 3.10 or newer with its venv");
  });
  const pip = (...args: string[]): Promise<void> =>
    run(join(home, "bin", "python"), ["-m", "pip", "--quiet", "--disable-pip-version-check", ...args]);
  await pip("install", "--no-deps", "-r", join(folder, "requirements.txt"));
  const sources = ["--no-deps", "--no-build-isolation", "--no-binary", ":all:", "--require-hashes"];
  const arrived = join(home, "arrived");
  mkdirSync(arrived);
  await pip("download", ...sources, "--dest", arrived, "-r", join(folder, "suite.txt"));
  await run(join(home, "bin", "python"), ["-c", UNPACK, arrived, home]);
  renameSync(arrived, join(home, "whole"));
}

const UNPACK =
  "import glob, shutil, sys; [shutil.unpack_archive(each, sys.argv[2]) for each in glob.glob(sys.argv[1] + '/*')]";
