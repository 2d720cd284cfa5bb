import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { DemoCluster } from "./cluster.ts";
import { root } from "../run/places.ts";
import type { Guard } from "../local-cluster/guarded.ts";
import { startProcess } from "../local-cluster/process.ts";
import type { Running } from "../local-cluster/process.ts";
import { freePort } from "../local-cluster/servers.ts";

export interface Room {
  folder: string;
  guard: Guard;
}

/** The person's environment without what would steer our programs or name a cluster of theirs. */
export function cleanEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !/^(KUBECONFIG$|CLOUD_PLATFORM_|CLOUD_SIMULATOR_)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** Starts the simulator; a job that takes the service five minutes takes it one second. */
export async function startSimulator(room: Room, token: string): Promise<Running & { url: string; page: string }> {
  const args = ["--port", "0", "--time-scale", "300", "--token", token];
  const greeted = (output: string): boolean => urlIn(output) !== undefined && controlTokenIn(output) !== undefined;
  const running = await startProgram(room, "simulator", args, greeted);
  const url = urlIn(running.output()) ?? "";
  const page = Object.assign(new URL("/_simulator/", url), {
    username: "demo",
    password: controlTokenIn(running.output()),
  });
  return { ...running, url, page: page.href };
}

/** Starts the operator and waits until it is ready to work. */
export async function startOperator(
  room: Room,
  options: Pick<DemoCluster, "operatorKubeconfigPath" | "namespace" | "foreign"> & { cloud: string },
): Promise<Running & { metrics: string }> {
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    ["--kubeconfig", options.operatorKubeconfigPath],
    ["--endpoint", `default=${options.cloud}`],
    // In a cluster of somebody else's it keeps to a namespace of its own; the catalogs of the cloud are cluster-scoped.
    ...(options.foreign ? [["--namespace", options.namespace]] : []),
    ["--lease-namespace", options.namespace],
    ["--metrics-address", address],
    ["--health-address", address],
    ["--poll-seconds", "10"],
    ["--fast-poll-seconds", "1"],
    ["--log-format", "text"],
  ].flat();
  const ready = async (): Promise<boolean> => (await fetch(`http://${address}/readyz`)).ok;
  return { ...(await startProgram(room, "operator", args, ready)), metrics: `http://${address}/metrics` };
}

/** Where a program's output goes. */
export function logPath({ folder }: Room, name: string): string {
  return join(folder, `${name}.log`);
}

function startProgram(
  room: Room,
  name: "operator" | "simulator",
  args: string[],
  ready: (output: string) => Promise<boolean> | boolean,
): Promise<Running> {
  const main = join(root, "src", ...(name === "operator" ? ["main.ts"] : [name, "main.ts"]));
  const log = logPath(room, name);
  return startProcess({
    name: `the ${name}`,
    command: process.execPath,
    args: [main, ...args],
    guard: room.guard,
    env: cleanEnvironment(process.env),
    ready,
    onLine: (line) => appendFileSync(log, `${line}\n`),
  });
}

function urlIn(output: string): string | undefined {
  return /https?:\/\/\S+/.exec(output)?.[0];
}

function controlTokenIn(output: string): string | undefined {
  return /control token (\S+)/.exec(output)?.[1];
}
