/** What others do costs the operator little: a cluster full of their Secrets, responses of many megabytes, objects that come and go. */
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Resource } from "../src/cluster/types.ts";
import { resourceNamed } from "../test/campaigns/support/fleet.ts";
import { forward, passOn, startCloudProxy } from "../test/campaigns/support/cloud-proxy.ts";
import { create, namespaces, readyOf, startBundled, wall } from "./support/bundled.ts";
import { figure, median, repeat, until } from "./support/measure.ts";

/** `SECRETS=1000` for fewer, `CHURN_MINUTES=30` for longer. */
const strangers = Number(process.env["SECRETS"] ?? 20_000);
const churnMinutes = Number(process.env["CHURN_MINUTES"] ?? 4);
const perNamespace = 10;
/** What was read is given back by then: each ten seconds it is asked whether it is quiet, and the first of them are not. */
const calmMs = 40_000;
const secrets: Resource = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const kind = "Firewall";
const soon = { patienceMs: 120_000, everyMs: 200 };

/** What the cloud API answers in place of what it would. */
let spoiling: { status: number; bytes: number } | undefined;
const world = await startBundled(["--endpoint-limit", "default=1000000"], (cloud) =>
  startCloudProxy(cloud, async (exchange) => {
    const body = await buffer(exchange.from);
    if (!spoiling) return passOn(await forward(exchange, body), exchange.to);
    exchange.to.writeHead(spoiling.status, { "content-type": "application/json" });
    exchange.to.end(`{"errors":[{"reason":"${"x".repeat(spoiling.bytes)}"}]}`);
  }),
);
try {
  await world.scaleLimits(1_000);
  await measureChurn();
  await measureLarge();
  await measureStrangers();
} finally {
  await world.stop();
}

/** Each object is created, Ready, and deleted; as many again. */
async function measureChurn(): Promise<void> {
  const end = performance.now() + churnMinutes * 60_000;
  const samples: { at: number; MiB: number }[] = [];
  let made = 0;
  const began = performance.now();
  const sampling = setInterval(
    () => samples.push({ at: performance.now() - began, MiB: world.operator().residentMiB() }),
    1_000,
  );
  while (performance.now() < end) {
    const batch = made;
    await repeat(100, 12, (index) => create(world, kind, `churn-${batch + index}`, wall));
    made += 100;
    await until("the batch is Ready", async () => (await readyOf(world.operator(), kind)) >= 100, soon);
    await repeat(100, 12, (index) =>
      world.kube.delete(resourceNamed(kind), { namespace: world.namespace, name: `churn-${batch + index}` }),
    );
    await until("the batch is gone", async () => (await readyOf(world.operator(), kind)) === 0, soon);
  }
  clearInterval(sampling);
  const between = (from: number, to: number): number =>
    median(samples.filter(({ at }) => at >= from && at < to).map(({ MiB }) => MiB));
  const whole = churnMinutes * 60_000;
  figure("objects that came and went", made, "");
  figure("resident in the first half of churn", between(0, whole / 2), "MiB");
  figure("resident at the end of churn", between(whole * 0.75, whole), "MiB", {
    atMost: between(whole / 2, whole * 0.75) * 1.05,
  });
  await sleep(calmMs);
  figure("resident after churn", world.operator().residentMiB(), "MiB");
}

async function measureLarge(): Promise<void> {
  await world.restart();
  await repeat(200, 12, (index) => create(world, kind, `large-${index}`, wall));
  await until("they are Ready", async () => (await readyOf(world.operator(), kind)) >= 200, soon);
  world.operator().forgetPeak();
  spoiling = { status: 500, bytes: 9_000_000 };
  await repeat(200, 12, (index) =>
    world.kube.patch(
      resourceNamed(kind),
      { namespace: world.namespace, name: `large-${index}` },
      { spec: { inboundPolicy: "ACCEPT" } },
    ),
  );
  await sleep(60_000);
  figure("peak with errors of 9 MB", world.operator().peakMiB(), "MiB", { atMost: 200 });
  world.operator().forgetPeak();
  spoiling = { status: 200, bytes: 9_000_000 };
  await sleep(60_000);
  figure("peak with responses of 9 MB that say nothing", world.operator().peakMiB(), "MiB", { atMost: 200 });
  spoiling = undefined;
}

async function measureStrangers(): Promise<void> {
  const before = await restarted();
  await repeat(strangers / perNamespace, 24, async (index) => {
    const name = `stranger-${index}`;
    await world.kube.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (let one = 0; one < perNamespace; one += 1)
      await world.kube.create(secrets, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: `secret-${one}`, namespace: name, labels: { "app.kubernetes.io/name": "stranger" } },
        stringData: { password: "x".repeat(1_000) },
      });
  });
  const after = await restarted();
  const what = `with ${strangers.toLocaleString("en")} Secrets of others`;
  figure(
    `resident after a restart ${what}`,
    after.MiB,
    "MiB",
    { atMost: before.MiB + 5 },
    { of: "without", value: before.MiB },
  );
  figure(
    `started ${what}`,
    after.seconds,
    "s",
    { atMost: before.seconds + 1 },
    { of: "without", value: before.seconds },
  );
}

async function restarted(): Promise<{ MiB: number; seconds: number }> {
  const began = performance.now();
  await world.restart();
  const seconds = (performance.now() - began) / 1_000;
  await sleep(calmMs);
  return { MiB: world.operator().residentMiB(), seconds };
}
