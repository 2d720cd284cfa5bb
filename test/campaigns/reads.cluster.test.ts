import { journalAnnotation } from "../../src/core/kind/annotations.ts";
import { createSecretKey } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { statedEntryIn, entryText } from "../../src/core/model/journal.ts";
import type { CommonStatus } from "../../src/core/kind/status-schema.ts";
import { recordText, unprovenRecord } from "../../src/core/kind/record.ts";
import type { LedgerEntry } from "../../src/simulator/server/ledger/ledger.ts";
import type { Dump } from "../../src/simulator/server/store/store.ts";
import { startProxy } from "../cluster/support.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { installationKey, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import {
  createAll,
  inParallel,
  instances,
  isReady,
  names,
  resourceNamed,
  untilAll,
  untilTrue,
} from "./support/fleet.ts";
import { lastEntry, mutations } from "./support/judge.ts";

/** Whoever copies an object signs anew what it records. */
const key = createSecretKey(installationKey);

/** Two pages each. */
const many = 600;
const pollMs = 2_000;

/** In the proportion that the defaults have: six reads of the account's events in a poll. */
const feedMs = pollMs / 6;

/** Six hundred instances and as many records of one domain, settled, behind a proxy that counts connections. */
async function arrange(): Promise<{ world: World; connections: () => number }> {
  const cluster = sharedControlPlane();
  const proxy = await startProxy(Number(new URL(cluster.server).port));
  const text = cluster.kubeconfig.replaceAll(cluster.server, `https://127.0.0.1:${proxy.port}`);
  const world = await startWorld(cluster, { simulator: { timeScale: 100_000 } });
  onTestFinished(async () => {
    await world.stop();
    await proxy.close();
  });
  await settleMany(world);
  const handled = new Set<string>();
  const measures = { handled: ({ key }: { key: string }) => handled.add(key) };
  const patient = { pollMs, fastPollMs: 1_000, feedMs, resyncMs: 1_000_000 };
  await world.restartOperator({ ...patient, measures, kubeConfig: { text } });
  await untilTrue("every object is reconciled", () => handled.size >= 2 * many + 2, 60_000);
  return { world, connections: () => proxy.accepted() };
}

/** One of each is made by the operator; the others are copies of it, in the cloud and in the cluster, as if it had made them. */
async function settleMany(world: World): Promise<void> {
  const domain = { domain: "many.example.com", type: "master", soaEmail: "admin@example.com" };
  const record = { domainRef: { name: "zone" }, type: "A", name: "rec-0", target: "203.0.113.1" };
  await createAll(world, [
    ...instances(world, 1),
    world.object("Domain", "zone", domain),
    world.object("DomainRecord", "rec-0", record),
  ]);
  const machines = await untilAll(world, "ComputeInstance", 1, isReady, 30_000);
  const records = await untilAll(world, "DomainRecord", 1, isReady, 30_000);
  await world.stopOperator();
  copyRows(world, "instance", (row, index) => ({ ...row, label: `vm-${index}` }));
  copyRows(world, "record", (row, index) => ({ ...row, name: `rec-${index}` }));
  const rows = [...world.simulator.control.rows("instance"), ...world.simulator.control.rows("record")];
  const ids = new Map(rows.map((row) => [String(row["label"] ?? row["name"]), String(row["id"])]));
  const copies = [...machines, ...records].flatMap((first) => copiesOf(first, ids));
  await inParallel(copies, 24, async ({ status, ...object }) => {
    const { namespace = "", name } = object.metadata;
    const resource = resourceNamed(object.kind);
    const made = await world.kube.create(resource, { ...object });
    const { id, record = "" } = (status ?? {}) as CommonStatus;
    const signed = recordText(made, { ...unprovenRecord(record), id }, key);
    await world.kube.patch(
      resource,
      { namespace, name },
      { status: { ...status, record: signed } },
      { subresource: "status" },
    );
  });
}

/** Objects `vm-1` and on after the likeness of `vm-0`, with its journal entry and status. */
function copiesOf(first: KubeObject, ids: ReadonlyMap<string, string>): KubeObject[] {
  const prefix = first.metadata.name.replace("-0", "");
  return names(many, prefix)
    .slice(1)
    .map((name) => {
      const text = JSON.stringify(first).replaceAll(`${prefix}-0`, name);
      const copy = JSON.parse(text) as KubeObject;
      const { apiVersion, kind, spec = {}, status, metadata } = copy;
      const { namespace = "", finalizers = [] } = metadata;
      // Whoever changes a journal entry signs it anew.
      const annotations = {
        ...metadata.annotations,
        [journalAnnotation]: entryText(statedEntryIn(copy)!, key),
      };
      const kept = { name, namespace, finalizers, annotations } as unknown as KubeObject["metadata"];
      return { apiVersion, kind, spec, metadata: kept, status: { ...status, id: ids.get(name) } };
    });
}

function copyRows(
  { simulator }: World,
  table: string,
  copy: (row: object, index: number) => Record<string, unknown>,
): void {
  const dump = simulator.control.snapshot();
  const first = dump.rows.find((row) => row.table === table);
  if (!first) throw new Error(`no row in ${table}: ${[...new Set(dump.rows.map((row) => row.table))].join(", ")}`);
  const { id } = first.body as { id: number };
  const copies: Dump["rows"] = Array.from({ length: many - 1 }, (_, index) => {
    const fresh = id + 10_000 + index;
    return { ...first, id: String(fresh), body: { ...copy(first.body as object, index + 1), id: fresh } };
  });
  simulator.control.restore({ ...dump, rows: [...dump.rows, ...copies] });
}

/** Polls of a list that began. */
function begunIn(reads: LedgerEntry[], list: string): number {
  return reads.filter(({ path, query }) => path === list && /\bpage=1\b/.test(query)).length;
}

/** Until each list was read in so many polls, from now on, and in one more that may be under way. */
async function untilSwept({ simulator }: World, lists: string[], polls: number): Promise<void> {
  const sinceId = simulator.control.ledger().at(-1)?.id ?? 0;
  const reads = () => simulator.control.ledger({ method: "GET", sinceId });
  const polled = () => lists.every((list) => begunIn(reads(), list) > polls);
  await untilTrue(`${polls} polls`, polled, 100_000, 200);
}

test("six hundred unchanged instances and as many records of a domain cost the pages of their lists per poll, over ten connections", async () => {
  const { world, connections } = await arrange();
  const zone = String(world.simulator.control.rows("domain")[0]?.["id"]);
  const pages = { "/v4/compute/instances": 2, [`/v4/domains/${zone}/records`]: 2, "/v4/domains": 1 };
  const polls = 5;
  // Of the first poll after a restart some reads confirm what was found.
  await untilSwept(world, Object.keys(pages), 1);
  const mark = lastEntry(world);
  const began = performance.now();
  await untilSwept(world, Object.keys(pages), polls);
  const reads = world.simulator.control.ledger({ method: "GET", sinceId: mark });
  const elapsedMs = performance.now() - began;
  // Polls spread out: a tenth sooner or later than asked for. A slow machine makes fewer of them, never more.
  const most = Math.ceil(elapsedMs / pollMs / 0.9) + 1;
  const feed = reads.filter(({ path }) => path === "/v4/account/events");
  const lists = Map.groupBy(
    reads.filter(({ path }) => path !== "/v4/account/events"),
    ({ path }) => path,
  );
  expect([...lists.keys()].toSorted()).toEqual(Object.keys(pages).toSorted());
  for (const [path, count] of Object.entries(pages)) {
    const ofList = lists.get(path) ?? [];
    process.stderr.write(`${path}: ${ofList.length} reads in ${begunIn(reads, path)} polls of ${count} pages\n`);
    expect(ofList.length / begunIn(reads, path)).toBeLessThanOrEqual(1.1 * count);
    expect(begunIn(reads, path)).toBeLessThanOrEqual(most);
  }
  expect(feed.length).toBeLessThanOrEqual(elapsedMs / feedMs + 1);
  expect(mutations(world, mark)).toEqual([]);
  process.stderr.write(`connections to the API server: ${connections()}; reads of events: ${feed.length}\n`);
  expect(connections()).toBeLessThanOrEqual(10);
});
