/** The operator as the image runs it: one bundle on Node alone; how soon it says something, and what it holds when idle. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { bundle, nodeEnvironment, nodeFlags, programs } from "../tools/bundle/bundle.ts";
import { startLocalCluster } from "../tools/local-cluster.ts";
import { alternate, figure, median } from "./support/measure.ts";

const folder = mkdtempSync(join(tmpdir(), "image-bench-"));
const cluster = await startLocalCluster();
try {
  await bundle(
    folder,
    programs.filter(({ file }) => file === "operator.mjs"),
  );
  await cluster.kubectl(["apply", "--server-side", "-f", "crds"]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"]);
  const idle = await idleMiB();
  const times = await alternate(5, { operator: untilFirstLine, bare: bareNode });
  figure(
    "the operator's first log line, from the start of the process",
    median(times.operator),
    "ms",
    { atMost: 400 },
    {
      of: "Node that runs nothing, to its end",
      value: median(times.bare),
    },
  );
  figure(
    "memory of the operator when idle",
    idle,
    "MiB",
    { atMost: 70 },
    {
      of: "Node that waits",
      value: await waitingMiB(),
    },
  );
} finally {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}

function operator(): ChildProcess {
  const flags = ["--kubeconfig", cluster.kubeconfigPath, "--endpoint", "default=http://127.0.0.1:1"];
  const own = ["--lease-namespace", "default", "--metrics-address", "0", "--health-address", "0"];
  return spawn(process.execPath, [...nodeFlags, "operator.mjs", ...flags, ...own], {
    cwd: folder,
    env: { ...process.env, ...nodeEnvironment },
    stdio: ["ignore", "ignore", "pipe"],
  });
}

async function untilFirstLine(): Promise<void> {
  const child = operator();
  await line(child, "waiting for caches");
  await ended(child);
}

/** Resident memory twenty seconds after all caches are filled: what starting up took is given back by then. */
async function idleMiB(): Promise<number> {
  const child = operator();
  await line(child, '"leading"');
  await sleep(20_000);
  const memory = residentMiB(child);
  await ended(child);
  return memory;
}

async function bareNode(): Promise<void> {
  await once(spawn(process.execPath, ["-e", "0"]), "close");
}

async function waitingMiB(): Promise<number> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"]);
  await sleep(1_000);
  const memory = residentMiB(child);
  await ended(child);
  return memory;
}

/** @throws Error with what the process wrote, when it ends before a line with these words */
async function line(child: ChildProcess, words: string): Promise<void> {
  if (child.stderr === null) throw new Error("no pipe");
  let written = "";
  for await (const text of createInterface(child.stderr)) {
    if (text.includes(words)) return;
    written += `${text}\n`;
  }
  throw new Error(`the operator ended: ${written}`);
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "close");
}

/** Linux only, where the image runs. */
function residentMiB({ pid }: ChildProcess): number {
  const [, kB] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kB) / 1024;
}
