/** Three shards, each with a namespace and an account of its own: whether they share the work, and leave each other's alone. */
import { operatorAnnotation } from "../src/core/kind/annotations.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../src/cluster/types.ts";
import { create, readyOf, startBundled, wall } from "./support/bundled.ts";
import type { OperatorProcess } from "./support/bundled.ts";
import { figure, repeat, until } from "./support/measure.ts";

/** Of each shard; `SIZE=10000` for more. */
const size = Number(process.env["SIZE"] ?? 1_000);
const kind = "Firewall";
const others = ["shard-b", "shard-c"];
const calmMs = 20_000;
const restMs = 60_000;
const patienceMs = 3_600_000;
const limitFlags = ["--endpoint-limit", "default=1000000"];
const flagsOf = (name: string): string[] => ["--namespace", name, "--lease-name", name, "--installation-id", name];

interface Shard {
  namespace: string;
  token: string;
  operator: OperatorProcess;
}

const world = await startBundled([...flagsOf("default"), ...limitFlags]);
try {
  await world.scaleLimits(1_000);
  const shards: Shard[] = [{ namespace: "default", token: world.token, operator: world.operator() }];
  for (const namespace of others) {
    const { token } = await world.addAccount(namespace);
    shards.push({ namespace, token, operator: await world.another([...flagsOf(namespace), ...limitFlags]) });
  }
  await sleep(calmMs);
  await createAll(shards);
  await sleep(calmMs);
  spread("CPU of a minute at rest", await cpuWhile(shards, () => sleep(restMs)));
  spread(
    "resident memory",
    shards.map(({ operator }) => operator.residentMiB()),
  );
  for (const shard of shards) await tellOwn(shard);
} finally {
  await world.stop();
}

async function createAll(shards: Shard[]): Promise<void> {
  const count = size * shards.length;
  const began = performance.now();
  const areReady = async (): Promise<boolean> => {
    const ready = await Promise.all(shards.map(({ operator }) => readyOf(operator, kind)));
    return ready.every((number) => number >= size);
  };
  const cpu = await cpuWhile(shards, async () => {
    await repeat(size, 8, (index) =>
      Promise.all(shards.map(({ namespace }) => create({ ...world, namespace }, kind, `firewall-${index}`, wall))),
    );
    await until("all are Ready", areReady, { patienceMs });
  });
  const what = `${count.toLocaleString("en")} objects of three shards`;
  figure(`${what} from created to Ready`, count / ((performance.now() - began) / 1_000), "/s");
  figure(`CPU for each of ${what}`, (cpu.reduce((sum, one) => sum + one, 0) * 1_000) / count, "ms");
  spread("CPU to create them", cpu);
}

/** Seconds of each. */
async function cpuWhile(shards: Shard[], work: () => Promise<unknown>): Promise<number[]> {
  const before = shards.map(({ operator }) => operator.cpuSeconds());
  await work();
  return shards.map(({ operator }, index) => operator.cpuSeconds() - (before[index] ?? 0));
}

/** How far the one that has most is above the mean. */
function spread(what: string, values: number[]): void {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  figure(`${what}: the most of the three by their mean`, Math.max(...values) / mean, "", { atMost: 1.1 });
}

/** It has sent and written for its own objects, and nothing else. */
async function tellOwn({ namespace, token, operator }: Shard): Promise<void> {
  const counted = await operator.scrape();
  const made = counted("cloudplatform_api_requests_total", 'operation="POST /networking/firewalls"');
  figure(`creations by ${namespace}, by its objects`, made / size, "", { atMost: 1 });
  const written = counted("cloudplatform_kubernetes_writes_total", 'resource="firewalls');
  figure(`writes by ${namespace}, by its objects`, written / size, "", { atMost: 2 });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${world.cloud}/v4/networking/firewalls?page_size=25`, { headers });
  const { results } = (await answer.json()) as { results: number };
  figure(`in the account of ${namespace}, by its objects`, results / size, "", { atMost: 1 });
  const path = `/apis/cloudplatform.dev/v1alpha1/namespaces/${namespace}/firewalls`;
  const { items } = (await world.kube.raw(path)) as { items: KubeObject[] };
  const takenIn = items.filter(({ metadata }) => !isOf(metadata.annotations, namespace));
  figure(`objects in ${namespace} that another shard has taken in`, takenIn.length, "", { atMost: 0 });
}

/** The annotation names the Lease of the operator that has it in its charge. */
function isOf(annotations: Record<string, string> | undefined, lease: string): boolean {
  return annotations?.[operatorAnnotation] === `${world.namespace}/${lease}`;
}
