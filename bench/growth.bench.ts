/** The same figures at a hundred, a thousand and ten thousand objects: nothing is to grow faster than the objects do. */
import { setTimeout as sleep } from "node:timers/promises";
import { create, readyOf, startBundled, wall } from "./support/bundled.ts";
import type { OperatorProcess } from "./support/bundled.ts";
import { figure, repeat, until } from "./support/measure.ts";

/** `SIZES=100,1000` for others. */
const sizes = (process.env["SIZES"] ?? "100,1000,10000").split(",").map(Number);
const kind = "Firewall";
const pageSize = 500;
/** What was read, written and listed is given back by then, milliseconds. */
const calmMs = 20_000;
const restMs = 30_000;
const perMinute = 60_000 / restMs;
const patienceMs = 1_200_000;

const world = await startBundled(["--endpoint-limit", "default=1000000"]);
try {
  await world.scaleLimits(1_000);
  await sleep(calmMs);
  figure("resident with 0 objects", world.operator().residentMiB(), "MiB", { atMost: 70 });
  let made = 0;
  for (const size of sizes) {
    await createUpTo(size, made);
    made = size;
    await measureRest(size, "after creating");
    await measureRestart(size);
  }
} finally {
  await world.stop();
}

async function createUpTo(size: number, made: number): Promise<void> {
  const operator = world.operator();
  const [cpu, began, calls] = [operator.cpuSeconds(), performance.now(), await callsOf(operator)];
  const added = size - made;
  await repeat(added, 24, (index) => create(world, kind, `firewall-${made + index}`, wall));
  await until(`${size} are Ready`, async () => (await readyOf(operator, kind)) >= size, { patienceMs });
  figure(`from created to Ready, up to ${size} objects`, added / ((performance.now() - began) / 1_000), "/s");
  figure(`CPU for each, up to ${size} objects`, ((operator.cpuSeconds() - cpu) * 1_000) / added, "ms", { atMost: 3 });
  figure(`cloud calls for each, up to ${size} objects`, ((await callsOf(operator)) - calls) / added, "", {
    atMost: 1.05,
  });
}

async function measureRest(size: number, when: string): Promise<void> {
  await sleep(calmMs);
  const operator = world.operator();
  const [cpu, calls, writes] = [operator.cpuSeconds(), await callsOf(operator), await writesOf(operator)];
  await sleep(restMs);
  figure(`resident ${when} ${size} objects`, operator.residentMiB(), "MiB", { atMost: size > 1_000 ? 150 : 100 });
  figure(`CPU a minute ${when} ${size} objects, at rest`, (operator.cpuSeconds() - cpu) * perMinute, "s");
  figure(`cloud calls a minute ${when} ${size} objects, at rest`, ((await callsOf(operator)) - calls) * perMinute, "");
  figure(`writes a minute ${when} ${size} objects, at rest`, (await writesOf(operator)) - writes, "", { atMost: 0 });
}

async function measureRestart(size: number): Promise<void> {
  await world.restart();
  const began = performance.now();
  const operator = world.operator();
  const pages = Math.ceil(size / pageSize);
  const read = () => operator.counted("cloudplatform_api_requests_total", 'operation="GET /networking/firewalls"');
  const reconciled = () =>
    operator.counted("controller_runtime_reconcile_total", 'controller="firewall"', 'result="requeue_after"');
  const due = async () =>
    (await operator.counted("workqueue_depth", 'name="firewall"')) +
    (await operator.counted("controller_runtime_active_workers", 'controller="firewall"'));
  // The list is read once the account is connected: what was reconciled before only waited for that, and is due again then.
  const isDone = async () => (await read()) >= pages && (await reconciled()) >= size && (await due()) === 0;
  await until(`${size} are reconciled after a restart`, isDone, { patienceMs, everyMs: 200 });
  figure(`reconciled after a restart with ${size} objects`, (performance.now() - began) / 1_000, "s", { atMost: 5 });
  figure(`pages read until then, by pages there are, of ${size} objects`, (await read()) / pages, "", { atMost: 1.1 });
  await measureRest(size, "after a restart with");
}

function callsOf(operator: OperatorProcess): Promise<number> {
  return operator.counted("cloudplatform_api_requests_total");
}

/** Of the objects: not of events and leases. */
function writesOf(operator: OperatorProcess): Promise<number> {
  return operator.counted("cloudplatform_kubernetes_writes_total", 'resource="firewalls');
}
