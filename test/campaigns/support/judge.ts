import { expect } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { LedgerEntry } from "../../../src/simulator/server/ledger/ledger.ts";
import type { AuditEntry } from "../../support/audit-log.ts";
import type { ControlPlane } from "../../support/control-plane.ts";
import type { World } from "../../support/world.ts";
import { pause } from "./fleet.ts";

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Writes to the API server in the world's namespace from a moment on; leases live their own life. */
export function kubeWritesSince(cluster: ControlPlane, world: World, since: Date): string[] {
  return entriesSince(cluster, world, since).map(textOf);
}

function entriesSince(cluster: ControlPlane, world: World, since: Date): AuditEntry[] {
  return cluster
    .auditLog(since)
    .filter(
      ({ verb, namespace, resource }) => writing.has(verb) && namespace === world.namespace && resource !== "leases",
    );
}

function textOf({ verb, resource, name = "", code }: AuditEntry): string {
  return `${verb} ${resource} ${name} ${code}`;
}

/**
 * …without events of what was before: they are written one after the other, so that one that the API server takes seconds
 * for holds up the others.
 */
async function decidedSince(cluster: ControlPlane, world: World, since: Date): Promise<string[]> {
  const entries = entriesSince(cluster, world, since);
  if (entries.length === 0) return [];
  const path = `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`;
  const { items } = (await world.kube.raw(path)) as { items: (KubeObject & { eventTime: string })[] };
  const before = new Set(
    items.flatMap(({ eventTime, metadata }) => (new Date(eventTime) < since ? metadata.name : [])),
  );
  return entries.filter(({ verb, name = "" }) => verb !== "create" || !before.has(name)).map(textOf);
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
  expect(await decidedSince(cluster, world, since)).toEqual([]);
}

/** What was decided before may still arrive. */
async function untilQuiet(cluster: ControlPlane, world: World): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const since = new Date();
    await pause(1_500);
    if (kubeWritesSince(cluster, world, since).length === 0) return;
  }
}
