import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { startSimulator } from "../../../src/simulator/simulator.ts";

/** Programs in Go that use the service's public client, unchanged; they are the tests of the module beside this file. */
const folder = fileURLToPath(new URL("go/", import.meta.url));
const names = readdirSync(folder)
  .filter((file) => file.endsWith("_test.go"))
  .flatMap((file) =>
    [...readFileSync(folder + file, "utf8").matchAll(/^func (Test\w+)\(t /gm)].map(([, name]) => name),
  );

/** What `go test -json` tells line by line. */
interface Told {
  Action: string;
  Test?: string;
  Output?: string;
}

const outcomes = new Map<string, { passed: boolean; output: string }>();
let atLarge = "";

beforeAll(async () => {
  const simulator = await startSimulator({ brandWord: "linode", timeScale: 1000 });
  try {
    for (const told of await goTest(simulator.url, simulator.token)) note(told);
  } finally {
    await simulator.close();
  }
}, 600_000);

test.each(names)("the Go client: %s", (name) => {
  expect(outcomes.get(String(name)), atLarge).toMatchObject({ passed: true });
});

function note({ Action, Test, Output = "" }: Told): void {
  if (Test === undefined) atLarge += Output;
  else {
    const output = (outcomes.get(Test)?.output ?? "") + Output;
    outcomes.set(Test, { passed: Action === "pass", output });
  }
}

/** Runs the module's tests anew; Go keeps what it compiled, so that only the first run on a machine is slow. */
function goTest(url: string, token: string): Promise<Told[]> {
  const settings = { GOWORK: "off", GOFLAGS: "-mod=readonly", SIMULATOR_URL: url, SIMULATOR_TOKEN: token };
  const child = spawn("go", ["test", "-json", "-count=1", "./..."], {
    cwd: folder,
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 590_000,
  });
  const told: Told[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => told.push(JSON.parse(line) as Told));
  child.stderr.on("data", (text: Buffer) => told.push({ Action: "output", Output: text.toString() }));
  return new Promise((resolve, reject) => {
    child.on("error", () => reject(new Error("Go is missing: install Go 1.26 or newer")));
    child.on("close", () => resolve(told));
  });
}
