import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cleanEnvironment } from "../../tools/demo/programs.ts";
import { freePort } from "../../tools/local-cluster/servers.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { pause } from "./support/fleet.ts";
import { createProcesses } from "./support/processes.ts";

interface Ended {
  code: number | null;
  lines: string[];
}

/** Runs `node src/main.ts` to its end. */
function run(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, ["src/main.ts", ...args], {
    env: { ...cleanEnvironment(process.env), ...environment },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (text += String(chunk)));
  return new Promise((resolve) =>
    child.once("close", (code) => resolve({ code, lines: text.split("\n").filter((line) => line !== "") })),
  );
}

const endpoint = ["--endpoint", "default=http://127.0.0.1:1"];
const off = ["--metrics-address", "0", "--health-address", "0"];

test.for<{ args: string[]; environment?: Record<string, string>; names: string; why: string }>([
  { args: [], names: "--endpoint", why: "nothing to talk to" },
  { args: [...endpoint, "--workers", "none"], names: "--workers", why: "not a number" },
  { args: [...endpoint, "--poll-second", "5"], names: "--poll-second", why: "no such flag" },
  {
    args: endpoint,
    environment: { CLOUD_PLATFORM_LOG_LEVEL: "loud" },
    names: "CLOUD_PLATFORM_LOG_LEVEL",
    why: "set in the environment",
  },
  { args: [...endpoint, "--kubeconfig", "/no/such/file"], names: "--kubeconfig", why: "the file does not exist" },
  { args: [...endpoint, ...off], names: "--kubeconfig", why: "outside of a cluster, and no kubeconfig" },
  {
    args: [...endpoint, "--endpoint-ca", "default=/no/such/ca.pem", "--kubeconfig", "KUBECONFIG", ...off],
    names: "--endpoint-ca",
    why: "authorities that cannot be read",
  },
  {
    args: [...endpoint, "--kubeconfig", "KUBECONFIG", "--metrics-address", "192.0.2.1:9"],
    names: "--metrics-address",
    why: "an address that is not of this machine",
  },
])("a wrong setting is one line that names $names, and exit code 2: $why", async ({ args, environment, names }) => {
  const { kubeconfigPath } = sharedControlPlane();
  const given = args.map((each) => (each === "KUBECONFIG" ? kubeconfigPath : each));
  const { code, lines } = await run(given, environment);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(names);
  expect(code).toBe(2);
});

test("a kubeconfig that is none is named in one line", async () => {
  const { kubeconfigPath } = sharedControlPlane();
  const path = join(kubeconfigPath, "..", "broken.kubeconfig");
  writeFileSync(path, "this: [is no kubeconfig");
  const { code, lines } = await run([...endpoint, ...off, "--kubeconfig", path]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("--kubeconfig");
  expect(code).toBe(2);
});

test("an API server that does not answer is said, and tried for ever", async () => {
  const cluster = sharedControlPlane();
  const port = await freePort();
  const path = join(cluster.kubeconfigPath, "..", "nobody.kubeconfig");
  writeFileSync(path, cluster.kubeconfig.replaceAll(cluster.server, `https://127.0.0.1:${port}`));
  const processes = createProcesses();
  onTestFinished(() => processes.close());
  const operator = await processes.operator([...endpoint, ...off, "--kubeconfig", path], "ECONNREFUSED");
  let ended = false;
  void operator.ended.then(() => (ended = true));
  await pause(4_000);
  expect(ended).toBe(false);
  expect(
    operator.lines().some((line) => line.includes(String(port))),
    "the address is named",
  ).toBe(true);
  expect(operator.lines().length, "lines while nobody answers").toBeLessThan(60);
  await operator.stop();
});
