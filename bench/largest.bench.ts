/**
 * Measures the longest turn of the event loop and the memory for the largest objects, alone and 30 together, and how much later the
 * objects of another tenant are Ready meanwhile.
 */
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { KubeError } from "../src/cluster/errors.ts";
import type { Resource } from "../src/cluster/types.ts";
import type { Kind } from "../src/core/kind/owned.ts";
import { withNeeds } from "../src/generate/example-manifests.ts";
import { kinds } from "../src/kinds/registry.ts";
import { isReady, resourceNamed } from "../test/campaigns/support/fleet.ts";
import { forward, passOn, startCloudProxy } from "../test/campaigns/support/cloud-proxy.ts";
import { create, startBundled, wall } from "./support/bundled.ts";
import { grown, sizeOf } from "../test/support/grown.ts";
import { figure, median, repeat } from "./support/measure.ts";

const secrets: Resource = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const instance = { region: "us-east", type: "g6-nanode-1", image: "compute/debian12" };
/** Milliseconds in which the operator tries each object several times. */
const watchedMs = Number(process.env["WATCHED_MS"] ?? 30_000);
/** Smaller specs cost no more than those of other benchmarks, bytes. */
const largeBytes = 8_192;

/** The cloud refuses each creation of an instance, and repeats the request in the error. */
const world = await startBundled(["--endpoint-limit", "default=1000000"], (cloud) =>
  startCloudProxy(cloud, async (exchange) => {
    const body = await buffer(exchange.from);
    const { method, url = "" } = exchange.from;
    if (method !== "POST" || !url.endsWith("/compute/instances"))
      return passOn(await forward(exchange, body), exchange.to);
    const { metadata, authorized_keys: keys } = JSON.parse(body.toString()) as Record<string, unknown>;
    const echo = JSON.stringify({ metadata, keys }).slice(0, 5_000);
    const errors = [{ field: "metadata.user_data", reason: `not valid: ${echo}` }];
    exchange.to.writeHead(400, { "content-type": "application/json" });
    exchange.to.end(JSON.stringify({ errors }));
  }),
);

const walls = resourceNamed("Firewall");
const longestWaitMs = 30_000;
const neighbour = "neighbour";
/** Objects of the other tenant for one figure. */
const samples = 5;

const filled = (unit: string, length: number): string => unit.repeat(length).slice(0, length);
const userData: Record<string, string> = {
  "user data of 64 KiB with short lines": filled("a: b c d e f\n", 65_536),
  "user data of 64 KiB with spaces": `a:${filled(" ", 65_530)}x\ry`,
  "user data of 64 KiB with escapes": filled("\\", 65_536),
  "user data of 64 KiB with entities": filled("&amp;", 65_536),
  "user data of 700 KB, which is refused": filled("line: some value\n", 700_000),
};
const keys = Array.from({ length: 100 }, (_, index) => `ssh-rsa AAAAB3NzaC1yc2E${filled(`AbC${index}`, 4_000)}`);
const tagged = Array.from({ length: 500 }, (_, index) => ({ id: String(index + 1) }));
const rules = Array.from({ length: 25 }, (_, rule) => ({
  action: "ACCEPT",
  protocol: "TCP",
  ports: "22",
  ipv6: Array.from(
    { length: 255 },
    (_, network) => `2001:0DB8:0000:${padded(rule)}:${padded(network)}:0000:0000:0001/128`,
  ),
}));

/** The longest spelling of a group, which costs most to shorten. */
function padded(group: number): string {
  return group.toString(16).toUpperCase().padStart(4, "0");
}

/** Numbers the measurements, for names that are short enough to be labels. */
let batch = 0;

try {
  await world.scaleLimits(1_000);
  await world.addAccount(neighbour);
  await readyMs("warm-up");
  const aloneMs = median(await readyTimes("alone"));
  for (const [what, text] of Object.entries(userData)) {
    const name = `data-${Object.keys(userData).indexOf(what)}`;
    await storeSecret(name, { "user-data": text });
    await measure(aloneMs, what, name, "ComputeInstance", { ...instance, userDataSecretRef: { name } });
  }
  await measure(aloneMs, "100 authorized keys of 4 KB", "keys", "ComputeInstance", {
    ...instance,
    authorizedKeys: keys,
  });
  await measure(aloneMs, "500 instances that do not exist", "tag", "Tag", { instanceRefs: tagged });
  await measure(aloneMs, "25 rules of 255 networks", "wall", "Firewall", { ...wall, inbound: rules });
  for (const kind of kinds) {
    const { example, spec } = grown(kind);
    if (sizeOf(spec) < largeBytes) continue;
    await createNeeds(kind, example);
    await measure(aloneMs, `the largest spec (${Math.round(sizeOf(spec) / 1_024)} KiB)`, "grown", kind.kind, spec);
  }
} finally {
  await world.stop();
}

/** Creates what an example needs. Skips what exists already. */
async function createNeeds(kind: Kind, name: string): Promise<void> {
  const wanted = kind.examples.filter((one) => one.name === name).map((example) => ({ kind, name, example }));
  for (const { kind: of, name: own, example } of withNeeds(kinds, wanted, [])) {
    for (const [secret, stringData] of Object.entries(example.secrets ?? {}))
      await storeSecret(secret, stringData).catch(ignoreExisting);
    if (wanted.some((one) => one.example === example)) continue;
    await create(world, of.kind, own, example.spec).catch(ignoreExisting);
  }
}

function storeSecret(name: string, stringData: Record<string, string>): Promise<unknown> {
  const metadata = { name, namespace: world.namespace };
  return world.kube.create(secrets, { apiVersion: "v1", kind: "Secret", metadata, stringData });
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof KubeError) || error.status !== 409) throw error;
}

async function measure(aloneMs: number, what: string, name: string, kind: string, spec: object): Promise<void> {
  for (const count of [1, 30]) {
    await world.restart();
    batch += 1;
    await readyMs(`warm-up-${batch}`);
    await longestTurn();
    world.operator().forgetPeak();
    await repeat(count, 30, (index) => create(world, kind, `${name}-${count}-${index}`, spec));
    const began = performance.now();
    const besideMs = median(await readyTimes(`beside-${batch}`));
    let longest = await longestTurn();
    while (performance.now() - began < watchedMs) {
      await sleep(1_000);
      longest = Math.max(longest, await longestTurn());
    }
    const of = count === 1 ? "one object" : `${count} objects`;
    figure(`longest turn, ${of} of ${kind} with ${what}`, longest * 1_000, "ms", { atMost: 50 });
    const first = `another tenant's object Ready, beside ${of} of ${kind} with ${what}`;
    figure(first, besideMs, "ms", { atMost: 2 * aloneMs }, { of: "alone", value: aloneMs });
    figure(`peak of memory, ${of} of ${kind} with ${what}`, world.operator().peakMiB(), "MiB", { atMost: 200 });
    await repeat(count, 30, (index) =>
      world.kube.delete(resourceNamed(kind), {
        namespace: world.namespace,
        name: `${name}-${count}-${index}`,
      }),
    );
  }
}

async function readyTimes(prefix: string): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < samples; index += 1) times.push(await readyMs(`${prefix}-${index}`));
  return times;
}

/** Creates a firewall of the other tenant. Returns the milliseconds until it is Ready. */
async function readyMs(name: string): Promise<number> {
  const began = performance.now();
  const ref = { namespace: neighbour, name };
  await world.kube.create(walls, {
    apiVersion: "cloudplatform.dev/v1alpha1",
    kind: "Firewall",
    metadata: ref,
    spec: wall,
  });
  while (performance.now() - began < longestWaitMs) {
    const stored = await world.kube.get(walls, ref);
    if (stored && isReady(stored)) return performance.now() - began;
    await sleep(10);
  }
  return longestWaitMs;
}

/** Seconds, since the last call. */
function longestTurn(): Promise<number> {
  return world.operator().counted("nodejs_eventloop_lag_max_seconds");
}
