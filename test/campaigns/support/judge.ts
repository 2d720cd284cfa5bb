import { expect } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { LedgerEntry } from "../../../src/simulator/server/ledger/ledger.ts";
import type { ControlPlane } from "../../support/control-plane.ts";
import type { World } from "../../support/world.ts";
import { pause } from "./fleet.ts";

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Writes to the API server in the world's namespace from a moment on; leases live their own life. */
export function kubeWritesSince(cluster: ControlPlane, world: World, since: Date): string[] {
  return cluster
    .auditLog(since)
    .filter(
      ({ verb, namespace, resource }) => writing.has(verb) && namespace === world.namespace && resource !== "leases",
    )
    .map(({ verb, resource, name = "", code }) => `${verb} ${resource} ${name} ${code}`);
}

/** Calls that change something in the cloud, after the ledger's entry `sinceId`. */
export function mutations({ simulator }: World, sinceId = 0): LedgerEntry[] {
  return simulator.control.ledger({ mutating: true, sinceId });
}

export function lastEntry({ simulator }: World): number {
  return simulator.control.ledger().at(-1)?.id ?? 0;
}

/** Exactly one row in the cloud for each object, made by exactly one creation, and recorded in its status. */
export function expectOneEach(world: World, table: string, path: string, objects: KubeObject[], what: string): void {
  const rows = world.simulator.control.rows(table);
  const labels = rows.map((row) => String(row["label"])).toSorted();
  expect(labels, what).toEqual(objects.map(({ metadata }) => metadata.name).toSorted());
  const made = world.simulator.control.ledger({ method: "POST", path, applied: true });
  expect(made, `${what}: creations that took effect`).toHaveLength(objects.length);
  const ids = Object.fromEntries(rows.map((row) => [String(row["label"]), String(row["id"])]));
  expect(Object.fromEntries(objects.map(({ metadata, status }) => [metadata.name, status?.["id"]])), what).toEqual(ids);
}

/** For so long nobody writes anything, neither to the cloud nor to the API server. */
export async function expectSilence(cluster: ControlPlane, world: World, ms: number): Promise<void> {
  await untilQuiet(cluster, world);
  const mark = lastEntry(world);
  const since = new Date();
  await pause(ms);
  expect(mutations(world, mark)).toEqual([]);
  expect(kubeWritesSince(cluster, world, since)).toEqual([]);
}

/** What was decided before may still arrive: events are sent a few a second. */
async function untilQuiet(cluster: ControlPlane, world: World): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const since = new Date();
    await pause(1_500);
    if (kubeWritesSince(cluster, world, since).length === 0) return;
  }
}
