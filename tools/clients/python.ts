import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";
import type { ClientSuite, Outcome, SuiteFacts } from "./suite.ts";

/** A suite that pytest runs. `folder` has `suite.txt` (the source package with its checksum), `requirements.txt` and `simulated_time.py`. */
interface PythonSuite extends SuiteFacts {
  /** The folder of the tests in the unpacked source package. */
  root: string;
}

/** Returns a suite of a client in Python. Its plugin writes one line of JSON for each outcome. */
export function pythonSuite(facts: PythonSuite): ClientSuite {
  const { folder, root } = facts;
  return {
    ...facts,
    inputs: ["requirements.txt", "suite.txt"].map((file) => readFileSync(join(folder, file))),
    build: (home) => fetchSuite(folder, home),
    command({ home, simulator, outcomes }) {
      const plugins = ["-p", "simulated_time", "-p", "no:cacheprovider", "-q", "--no-header", "--no-summary"];
      const cwd = join(home, root);
      const tests = Object.values(facts.covered).flat();
      return {
        program: join(home, "bin", "python"),
        args: ["-m", "pytest", ...plugins, `--rootdir=${cwd}`, ...tests],
        cwd,
        env: {
          PYTHONPATH: [folder, join(home, root.split("/")[0] ?? "")].join(":"),
          PYTHONDONTWRITEBYTECODE: "1",
          SIMULATOR_CONTROL_URL: `${simulator.url}/_simulator`,
          SIMULATOR_CONTROL_TOKEN: simulator.controlToken,
          OUTCOMES: outcomes,
        },
      };
    },
    outcomesIn: (text) =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Outcome),
  };
}

/** Makes an environment of Python with the requirements, and unpacks the source package beside them. */
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
}

const UNPACK =
  "import glob, shutil, sys; [shutil.unpack_archive(each, sys.argv[2]) for each in glob.glob(sys.argv[1] + '/*')]";
