/** Five hundred records created at once, as the bundled operator meets them: what each takes, and what stays in memory. */
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../src/cluster/types.ts";
import { conditionOf } from "../test/support/world.ts";
import { resourceNamed } from "../test/campaigns/support/fleet.ts";
import { create, startBundled } from "./support/bundled.ts";
import type { Bundled, OperatorProcess } from "./support/bundled.ts";
import { figure, repeat } from "./support/measure.ts";

const count = 500;
/** What was read, written and listed at the start is given back by then, milliseconds. */
const calmMs = 20_000;

const record = { domainRef: { name: "zone" }, type: "A" };

const world = await startBundled();
try {
  await world.scaleLimits(1_000);
  await create(world, "Domain", "zone", { domain: "example.org", type: "master", soaEmail: "ada@example.org" });
  await untilReady(world, "Domain", 1);
  await sleep(calmMs);
  figure("memory of the operator before", world.operator().residentMiB(), "MiB");
  const before = await countsOf(world.operator());
  const began = performance.now();
  await repeat(count, 24, (index) => {
    const target = `192.0.2.${index % 250}`;
    return create(world, "DomainRecord", `host-${index}`, { ...record, name: `host-${index}`, target });
  });
  await untilReady(world, "DomainRecord", count);
  figure(`${count} records from created to Ready`, performance.now() - began, "ms");
  const after = await countsOf(world.operator());
  const each = (name: keyof typeof after): number => (after[name] - before[name]) / count;
  figure("calls of the cloud API for each record", each("calls"), "", { atMost: 1.05 });
  figure("writes to the API server for each record", each("writes"), "", { atMost: 2 });
  figure("reads from the API server for each record", each("reads"), "", { atMost: 1.05 });
  figure("CPU of the operator for each record", each("cpuMs"), "ms");
  await sleep(calmMs);
  const created = world.operator().residentMiB();
  figure("memory of the operator after creating them", created, "MiB");
  await world.restart();
  await sleep(calmMs);
  const restarted = world.operator().residentMiB();
  figure("memory of the operator after a restart, with all of them", restarted, "MiB");
  figure("memory after creating them, divided by that after a restart", created / restarted, "", { atMost: 1.15 });
} finally {
  await world.stop();
}

async function untilReady({ kube, namespace }: Bundled, kind: string, wanted: number): Promise<void> {
  const { group, version, plural } = resourceNamed(kind);
  const isReady = (object: KubeObject): boolean => conditionOf(object, "Ready")?.status === "True";
  for (let left = 300; left > 0; left -= 1) {
    const list = await kube.raw(`/apis/${group}/${version}/namespaces/${namespace}/${plural}`);
    if ((list as { items: KubeObject[] }).items.filter(isReady).length >= wanted) return;
    await sleep(1_000);
  }
  throw new Error(`not all of ${wanted} ${kind} are Ready within five minutes`);
}

/** Events and leases are written, too: they are no writes of the records. */
async function countsOf(operator: OperatorProcess) {
  return {
    calls: await operator.counted("cloudplatform_api_requests_total"),
    writes: await operator.counted("cloudplatform_kubernetes_writes_total", 'resource="domainrecords'),
    reads: await operator.counted("rest_client_requests_total", 'method="GET"'),
    cpuMs: operator.cpuSeconds() * 1_000,
  };
}
