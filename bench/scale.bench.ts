/**
 * What a restart with a hundred thousand settled objects takes: memory, CPU, and how long the event loop stalls. The objects and
 * their rows are made up from one that the operator has created, because creating all of them would take an hour.
 */
import { journalAnnotation } from "../src/core/kind/annotations.ts";
import { createSecretKey } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../src/cluster/types.ts";
import { statedEntryIn, entryText } from "../src/core/model/journal.ts";
import { recordText, unprovenRecord } from "../src/core/kind/record.ts";
import { forward, passOn, startCloudProxy } from "../test/campaigns/support/cloud-proxy.ts";
import type { Exchange } from "../test/campaigns/support/cloud-proxy.ts";
import { resourceNamed } from "../test/campaigns/support/fleet.ts";
import { create, readyOf, startBundled, wall } from "./support/bundled.ts";
import { putObjects, startMadeUpCluster } from "./support/made-up.ts";
import type { BenchCluster } from "./support/made-up.ts";
import { figure, until } from "./support/measure.ts";

/** `SIZES=1000` for others. */
const sizes = (process.env["SIZES"] ?? "10000,100000").split(",").map(Number);
const kind = "Firewall";
const path = "/v4/networking/firewalls";
const pageSize = 500;
const firstId = 1_000_000;
const calmMs = 20_000;
const patienceMs = 900_000;

/** How many rows the cloud shows, like the one that there is. */
const shown: { count: number; row: object } = { count: 0, row: {} };
let cluster: BenchCluster | undefined;
const world = await startBundled(
  ["--endpoint-limit", "default=1000000"],
  (cloud) => startCloudProxy(cloud, serve),
  async () => (cluster = await startMadeUpCluster()),
);
try {
  await world.scaleLimits(1_000);
  await create(world, kind, "sample", wall);
  await until("the sample is Ready", async () => (await readyOf(world.operator(), kind)) >= 1, { patienceMs });
  const sample = await world.kube.get(resourceNamed(kind), { namespace: world.namespace, name: "sample" });
  if (!sample || !cluster) throw new Error("the sample is not there");
  const answer = await fetch(`${world.cloud}${path}/${String(sample.status?.["id"])}`, {
    headers: { authorization: `Bearer ${world.token}` },
  });
  shown.row = (await answer.json()) as object;
  let made = 0;
  for (const size of sizes) {
    const objects = await madeUp(sample, made, size - 1);
    await measure(size, () => putObjects(cluster as BenchCluster, "firewalls", objects));
    made = size - 1;
  }
} finally {
  await world.stop();
}

/** The list shows what is made up beside what is there; everything else is the simulator's. */
async function serve(exchange: Exchange): Promise<void> {
  const { pathname, searchParams } = new URL(exchange.from.url ?? "/", "http://localhost");
  const body = await buffer(exchange.from);
  if (shown.count === 0 || pathname !== path || exchange.from.method !== "GET")
    return passOn(await forward(exchange, body), exchange.to);
  const page = Number(searchParams.get("page") ?? 1);
  const from = (page - 1) * pageSize;
  const rows = Array.from({ length: Math.min(pageSize, shown.count - from) }, (_, index) => rowAt(from + index));
  const pages = Math.ceil(shown.count / pageSize);
  exchange.to.writeHead(200, { "content-type": "application/json" });
  exchange.to.end(JSON.stringify({ data: rows, page, pages, results: shown.count }));
}

/** The first row is the sample's own. */
function rowAt(index: number): object {
  return index === 0 ? shown.row : { ...shown.row, id: firstId + index, label: `made-up-${index}` };
}

/** Objects as this operator would have left them: with journal entry and status signed by its key. */
async function madeUp(sample: KubeObject, from: number, to: number): Promise<string[]> {
  const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
  const name = "cloud-platform-operator-installation-key";
  const secret = (await world.kube.get(secrets, { namespace: world.namespace, name })) as
    | { data?: { key?: string } }
    | undefined;
  const key = createSecretKey(Buffer.from(secret?.data?.key ?? "", "base64"));
  const entry = statedEntryIn(sample);
  if (!entry) throw new Error("the sample has no entry");
  return Array.from({ length: to - from }, (_, offset) => {
    const index = from + offset + 1;
    const [own, uid, id] = [`made-up-${index}`, crypto.randomUUID(), String(firstId + index)];
    const stated = { ...entry, uid, name: own, pattern: { ...entry.pattern, label: own } };
    const metadata = {
      ...sample.metadata,
      name: own,
      uid,
      annotations: { ...sample.metadata.annotations, [journalAnnotation]: entryText(stated, key) },
    };
    const object = { ...sample, metadata };
    const record = recordText(object, { ...unprovenRecord(String(sample.status?.["record"])), id }, key);
    return JSON.stringify({ ...object, status: { ...sample.status, id, record } }).replaceAll(
      `"${String(sample.status?.["id"])} is as specified"`,
      `"${id} is as specified"`,
    );
  });
}

async function measure(size: number, putAll: () => Promise<void>): Promise<void> {
  let down = 0;
  await world.restart(async () => {
    await putAll();
    shown.count = size;
    down = performance.now();
  });
  const began = performance.now();
  const operator = world.operator();
  const pages = Math.ceil(size / pageSize);
  const stalls: { max: number; p99: number }[] = [];
  await until(
    `${size} are reconciled`,
    async () => {
      const counted = await operator.scrape();
      stalls.push({
        max: counted("nodejs_eventloop_lag_max_seconds"),
        p99: counted("nodejs_eventloop_lag_p99_seconds"),
      });
      const read = counted("cloudplatform_api_requests_total", 'operation="GET /networking/firewalls"');
      const done = counted("controller_runtime_reconcile_total", 'controller="firewall"', 'result="requeue_after"');
      return read >= pages && done >= size && counted("workqueue_depth", 'name="firewall"') === 0;
    },
    { patienceMs, everyMs: 1_000 },
  );
  const what = `after a restart with ${size} objects`;
  figure(`leading ${what}`, (began - down) / 1_000, "s");
  figure(`all reconciled ${what}`, (performance.now() - began) / 1_000, "s", size > 10_000 ? undefined : { atMost: 5 });
  figure(`CPU until then ${what}, for each`, (operator.cpuSeconds() * 1_000) / size, "ms");
  figure(`longest stall of the event loop ${what}`, Math.max(...stalls.map(({ max }) => max)) * 1_000, "ms", {
    atMost: 50,
  });
  figure(
    `99 of 100 turns of the loop, in the worst second ${what}`,
    Math.max(...stalls.map(({ p99 }) => p99)) * 1_000,
    "ms",
    {
      atMost: 20,
    },
  );
  await sleep(calmMs);
  figure(`resident ${what}`, operator.residentMiB(), "MiB", size > 10_000 ? undefined : { atMost: 150 });
  figure(`writes ${what}`, await operator.counted("cloudplatform_kubernetes_writes_total", 'resource="firewalls'), "", {
    atMost: 0,
  });
  figure(`Ready ${what}`, await readyOf(operator, kind), "", { atLeast: size });
}
