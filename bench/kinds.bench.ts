/** All kinds at once: what their definitions weigh, and what the operator holds when idle. How soon one of each is ready: `test/contract/all-kinds.cluster.test.ts`. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startLocalCluster } from "../tools/local-cluster.ts";
import { residentMiB, startBundled } from "./support/bundled.ts";
import { figure } from "./support/measure.ts";

weighDefinitions();
await idle();
const cluster = await startLocalCluster();
try {
  await apiServerMemory();
} finally {
  await cluster.stop();
}

function weighDefinitions(): void {
  const sizes = readdirSync("crds")
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => readFileSync(join("crds", name)).byteLength / 1000);
  figure(
    "all definitions",
    sizes.reduce((sum, size) => sum + size, 0),
    "kB",
    { atMost: 700 },
  );
  figure("the largest one", Math.max(...sizes), "kB", { atMost: 60 });
}

/** With an account, and no object of a kind. */
async function idle(): Promise<void> {
  const world = await startBundled();
  try {
    const operator = world.operator();
    await sleep(30_000);
    const cpu = operator.cpuSeconds();
    await sleep(60_000);
    figure("CPU of the operator in a minute, idle with all kinds", operator.cpuSeconds() - cpu, "s", { atMost: 0.3 });
    figure("memory of the operator then", operator.residentMiB(), "MiB", { atMost: 70 });
    figure("its connections to the API server", connections(operator.pid, world.server), "", { atMost: 6 });
    const lists = [
      "/regions",
      "/compute/types",
      "/compute/kernels",
      "/databases/engines",
      "/object-storage/clusters",
      "/betas",
    ];
    const read = await Promise.all(
      lists.map((path) => operator.counted("cloudplatform_api_requests_total", `operation="GET ${path}"`)),
    );
    figure("reads of a catalog, which are hourly, so far; the most of any", Math.max(...read), "", { atMost: 1 });
  } finally {
    await world.stop();
  }
}

/** What the kernel has of this process: Linux only. */
function connections(pid: number, server: string): number {
  const port = Number(new URL(server).port).toString(16).toUpperCase().padStart(4, "0");
  const folder = `/proc/${pid}/fd`;
  const sockets = new Set(
    readdirSync(folder).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, fd)))?.[1] ?? [];
      } catch {
        // Closed meanwhile.
        return [];
      }
    }),
  );
  const established = "01";
  return ["tcp", "tcp6"].flatMap((family) =>
    readFileSync(`/proc/${pid}/net/${family}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, , to = "", state, , , , , , inode = ""]) =>
          to.endsWith(`:${port}`) && state === established && sockets.has(inode),
      ),
  ).length;
}

/** After a restart each, since what it took to store definitions is given back late. */
async function apiServerMemory(): Promise<void> {
  const before = await rested();
  const applied = await cluster.kubectl(["apply", "--server-side", "-f", "crds"]);
  if (applied.code !== 0) throw new Error(`the definitions were not accepted: ${applied.stderr}`);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  await cluster.kubectl(["get", "cloudplatform,cloudcatalogs", "-A"]);
  const after = await rested();
  figure("memory that the API server uses without definitions", before.liveMiB, "MiB");
  figure("what all of them add to that", after.liveMiB - before.liveMiB, "MiB", { atMost: 60 });
  figure(
    "what they add to its resident memory, with the garbage that Go allows",
    after.residentMiB - before.residentMiB,
    "MiB",
  );
}

/** What the definitions take is taken when a kind is first asked for: where nothing asks for some, half of it is missing. */
async function rested(): Promise<{ liveMiB: number; residentMiB: number }> {
  await cluster.killApiServer();
  await cluster.restartApiServer();
  await sleep(15_000);
  await cluster.kubectl(["get", "cloudplatform,cloudcatalogs", "-A"]);
  await sleep(30_000);
  const resident = residentMiB(cluster.apiServerPid());
  const live = [await liveMiB(), await liveMiB(), await liveMiB()];
  return { liveMiB: Math.min(...live), residentMiB: resident };
}

/** The profile of the heap has garbage collected before. What requests at that moment leave comes to three MiB at times: the least of several counts. */
async function liveMiB(): Promise<number> {
  await cluster.kubectl(["get", "--raw", "/debug/pprof/heap?gc=1"]);
  const { stdout } = await cluster.kubectl(["get", "--raw", "/metrics"]);
  const [, bytes] = /^go_memstats_heap_alloc_bytes (\S+)/m.exec(stdout) ?? [];
  await sleep(1_000);
  return Number(bytes) / 1024 ** 2;
}
