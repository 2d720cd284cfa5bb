import { expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import type { OperatorOptions } from "../../src/operator.ts";
import type { Dump } from "../../src/simulator/store.ts";
import { startProxy } from "../cluster/support.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { createAll, instances, isReady, names, pause, untilAll } from "./support/fleet.ts";
import { lastEntry, mutations } from "./support/judge.ts";

const many = 1_000;
const sweepMs = 4_000;

/** In the proportion that the defaults have: six looks at the account's events in a sweep. */
const feedMs = sweepMs / 6;

/** A thousand instances and a thousand records of one domain, settled, behind a proxy that counts connections. */
async function arrange(): Promise<{ world: World; connections: () => number }> {
  const cluster = sharedControlPlane();
  const proxy = await startProxy(Number(new URL(cluster.server).port));
  const text = cluster.kubeconfig.replaceAll(cluster.server, `https://127.0.0.1:${proxy.port}`);
  const patient = { sweepMs, fastSweepMs: 1_000, feedMs, slowPassMs: 1_000_000 };
  // Limits are on, so that answers name them, and so high that they hold up nothing.
  const simulator = { timeScale: 100_000, rateLimits: true };
  const operator: Partial<OperatorOptions> = { ...patient, kubeConfig: { text } };
  const world = await startWorld(cluster, { start: false, operator, simulator });
  onTestFinished(async () => {
    await world.stop();
    await proxy.close();
  });
  world.simulator.control.rateLimits.set({ scale: 1_000 });
  await settleMany(world);
  return { world, connections: () => proxy.accepted() };
}

/** One of each is made by the operator; the cloud then gets a thousand copies, which are taken over by id. */
async function settleMany(world: World): Promise<void> {
  const domain = { domain: "many.example.com", type: "master", soaEmail: "admin@example.com" };
  const record = { domainRef: { name: "zone" }, type: "A", target: "203.0.113.1" };
  await createAll(world, [
    ...instances(world, 1),
    world.object("Domain", "zone", domain),
    world.object("DomainRecord", "rec-0", { ...record, name: "rec-0" }),
  ]);
  await world.restartOperator();
  await untilAll(world, "ComputeInstance", 1, isReady, 30_000);
  await untilAll(world, "DomainRecord", 1, isReady, 30_000);
  copyRows(world, "instance", (row, index) => ({ ...row, label: `vm-${index}` }));
  copyRows(world, "record", (row, index) => ({ ...row, name: `rec-${index}` }));
  const adopted = (object: object, id: unknown): object => {
    const { spec, ...rest } = object as KubeObject;
    return { ...rest, spec: { ...spec, management: { adopt: { id: String(id) } } } };
  };
  const idOf = idsByName(world);
  const more = (prefix: string): string[] => names(many, prefix).slice(1);
  await createAll(world, [
    ...instances(world, many)
      .slice(1)
      .map((object) => adopted(object, idOf((object as KubeObject).metadata.name))),
    ...more("rec").map((name) => adopted(world.object("DomainRecord", name, { ...record, name }), idOf(name))),
  ]);
  await untilAll(world, "ComputeInstance", many, isReady, 60_000);
  await untilAll(world, "DomainRecord", many, isReady, 60_000);
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

function idsByName({ simulator }: World): (name: string) => unknown {
  const rows = [...simulator.control.rows("instance"), ...simulator.control.rows("record")];
  const ids = new Map(rows.map((row) => [String(row["label"] ?? row["name"]), row["id"]]));
  return (name) => ids.get(name);
}

test("a thousand unchanged instances and a thousand records of a domain cost the pages of their lists per sweep, over ten connections", async () => {
  const { world, connections } = await arrange();
  await pause(sweepMs);
  const mark = lastEntry(world);
  const sweeps = 5;
  await pause(sweeps * sweepMs);
  const reads = world.simulator.control.ledger({ method: "GET", sinceId: mark });
  const feed = reads.filter(({ path }) => path === "/v4/account/events");
  const lists = Map.groupBy(
    reads.filter((read) => !feed.includes(read)),
    ({ path }) => path,
  );
  const zone = String(world.simulator.control.rows("domain")[0]?.["id"]);
  const pages = { "/v4/compute/instances": 2, [`/v4/domains/${zone}/records`]: 2, "/v4/domains": 1 };
  expect([...lists.keys()].toSorted()).toEqual(Object.keys(pages).toSorted());
  for (const [path, count] of Object.entries(pages)) {
    const ofList = lists.get(path) ?? [];
    const begun = ofList.filter(({ query }) => /\bpage=1\b/.test(query)).length;
    process.stderr.write(`${path}: ${ofList.length} reads in ${begun} sweeps of ${count} pages\n`);
    expect(ofList.length / begun).toBeLessThanOrEqual(1.1 * count);
    // Sweeps spread out: a tenth sooner or later than asked for.
    expect(begun).toBeLessThanOrEqual(Math.ceil(sweeps / 0.9));
    expect(begun).toBeGreaterThanOrEqual(sweeps - 1);
  }
  expect(feed.length).toBeLessThanOrEqual((sweeps * sweepMs) / feedMs + 1);
  expect(mutations(world, mark)).toEqual([]);
  process.stderr.write(`connections to the API server: ${connections()}; reads of events: ${feed.length}\n`);
  expect(connections()).toBeLessThanOrEqual(10);
}, 240_000);
