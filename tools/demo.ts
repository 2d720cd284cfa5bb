/**
 * The demo: a control plane, the simulator and the operator as processes of this machine, with all samples applied.
 *
 * Exits with 0 when every object became ready, with 1 when not. In a terminal it stays up until Ctrl-C. Everything it
 * started ends with it, and its temporary folders go.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { duration } from "./run/progress.ts";
import { namedCluster, ownCluster } from "./demo/cluster.ts";
import type { DemoCluster } from "./demo/cluster.ts";
import { install, must } from "./demo/install.ts";
import { readDefinitions, readSamples } from "./demo/manifests.ts";
import type { Definition } from "./demo/manifests.ts";
import { nextSteps } from "./demo/next-steps.ts";
import { listObjects, rowOf } from "./demo/objects.ts";
import { logPath, startOperator, startSimulator } from "./demo/programs.ts";
import type { Room } from "./demo/programs.ts";
import { createScreen } from "./demo/screen.ts";
import { interruptible } from "./demo/signals.ts";
import { allReady, pending, plain } from "./demo/table.ts";
import type { Row } from "./demo/table.ts";
import { startGuard } from "./local-cluster/guarded.ts";

const { values } = parseArgs({
  options: { cluster: { type: "string" }, "timeout-seconds": { type: "string", default: "300" } },
});
const folder = mkdtempSync(join(tmpdir(), "cloud-platform-demo-"));
const room: Room = { folder, guard: startGuard(folder) };
const interrupts = interruptible();
const cleanups: (() => Promise<unknown>)[] = [() => room.guard.close()];

try {
  process.exitCode = await run();
} catch (error) {
  process.exitCode = interrupts.happened() ? 130 : 1;
  if (!interrupts.happened()) tell(error instanceof Error ? error.message : String(error));
} finally {
  interrupts.disarm();
  if (process.stdout.isTTY) console.log("\nending everything that was started");
  for (const cleanup of cleanups.toReversed()) {
    await cleanup().catch((error: unknown) => console.error(`demo: ${String(error)}`));
  }
}
process.exit();

async function run(): Promise<number> {
  const { cluster, rows, cloud, page, metrics, token, died } = await start();
  if (!allReady(rows)) return explain(rows);
  console.log("\nEverything is ready.\n");
  if (!process.stdout.isTTY) return endAtOnce();
  console.log(
    nextSteps({ ...cluster, cloud, page, metrics, token, rows, operatorLog: logPath(room, "operator") }).join("\n"),
  );
  console.log("\nCtrl-C ends the demo.");
  const reason = await Promise.race([died, interrupts.wait()]);
  if (reason === undefined) return 0;
  throw new Error(reason);
}

/** Where nobody can press Ctrl-C. */
function endAtOnce(): number {
  console.log("The output is no terminal, so the demo ends now, with everything that it started.");
  return 0;
}

async function start() {
  const crds = readDefinitions();
  const token = randomBytes(16).toString("hex");
  const cluster = await openCluster();
  cleanups.push(() => cluster.stop());
  const uninstall = await step("installing the custom resource definitions", install(cluster, crds));
  cleanups.push(uninstall);
  const simulator = await step("starting the cloud's simulator", startSimulator(room, token));
  cleanups.push(() => simulator.stop());
  await makeNamespace(cluster);
  const { namespace } = cluster;
  const options = { ...cluster, cloud: simulator.url };
  const operator = await step("starting the operator", startOperator(room, options));
  cleanups.push(() => operator.stop());
  if (cluster.foreign) cleanups.push(() => removeNamespace(cluster));
  const apply = must(cluster.kubectl, ["apply", "--server-side", "-n", namespace, "-f", "-"], readSamples(token));
  await step("applying the samples", apply);
  const died = Promise.race([
    operator.ended.then((reason) => `the operator ${reason}`),
    simulator.ended.then((reason) => `the simulator ${reason}:\n${tailOf("simulator")}`),
  ]);
  console.log("");
  const rows = await untilReady(cluster, crds.definitions, died);
  return { cluster, rows, cloud: simulator.url, page: simulator.page, metrics: operator.metrics, token, died };
}

function openCluster(): Promise<DemoCluster> {
  if (values.cluster === undefined) return step("starting a Kubernetes control plane", ownCluster());
  return step(`connecting to ${values.cluster}`, namedCluster(values.cluster, room));
}

/** Says what is done and how long it took; gives up when the person does. */
async function step<T>(what: string, work: Promise<T>): Promise<T> {
  const started = performance.now();
  console.log(what);
  const result = await interrupts.orElse(work);
  const seconds = (performance.now() - started) / 1000;
  if (seconds >= 2) console.log(`  done in ${duration(seconds)}`);
  return result;
}

async function untilReady(cluster: DemoCluster, definitions: Definition[], died: Promise<string>): Promise<Row[]> {
  const screen = createScreen(process.stdout);
  const started = performance.now();
  const limit = Number(values["timeout-seconds"]);
  const failure = died.then((reason) => Promise.reject(new Error(reason)));
  for (;;) {
    const listing = listObjects(cluster.kubectl, cluster.namespace, definitions);
    const rows = (await interrupts.orElse(Promise.race([listing, failure]))).map(rowOf);
    const seconds = (performance.now() - started) / 1000;
    screen.update(rows, duration(seconds));
    if (allReady(rows) || seconds > limit) return rows;
    await interrupts.orElse(new Promise((resolve) => setTimeout(resolve, 1000)));
  }
}

function explain(rows: Row[]): number {
  console.error(`\ndemo: not ready after ${values["timeout-seconds"]} s:`);
  for (const row of pending(rows)) console.error(`  ${plain(row)}`);
  console.error(endOfLog());
  return 1;
}

/** With the end of the operator's log, unless the message ends with it. */
function tell(message: string): void {
  console.error(`\ndemo: ${message}`);
  if (existsSync(logPath(room, "operator")) && !message.trimEnd().endsWith(tailOf("operator")))
    console.error(endOfLog());
}

function endOfLog(): string {
  return `\nThe end of the operator's log:\n${tailOf("operator")}`;
}

function tailOf(name: string): string {
  return readFileSync(logPath(room, name), "utf8").trim().split("\n").slice(-15).join("\n");
}

async function makeNamespace({ kubectl, namespace }: DemoCluster): Promise<void> {
  if (namespace !== "default") await must(kubectl, ["create", "namespace", namespace]);
}

/** While the operator still runs, so that it lets go of what it holds. */
async function removeNamespace({ kubectl, namespace }: DemoCluster): Promise<void> {
  console.log(`removing namespace ${namespace}`);
  await must(kubectl, ["delete", "namespace", namespace, "--timeout=120s"]);
}
