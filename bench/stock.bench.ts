/** The bundled operator beside the same kinds on client-node alone (`baseline/stock.ts`), and beside what the API server can do at all. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { Pool } from "undici";
import { loadKubeConfig } from "../src/cluster/credentials.ts";
import type { KubeObject } from "../src/cluster/types.ts";
import { resourceNamed } from "../test/campaigns/support/fleet.ts";
import { conditionOf } from "../test/support/world.ts";
import { root } from "../tools/run/places.ts";
import { startBundled } from "./support/bundled.ts";
import type { OperatorProcess } from "./support/bundled.ts";
import { alternate, figure, median, repeat } from "./support/measure.ts";
import type { Times } from "./support/measure.ts";

const rounds = 3;
const parallel = 24;
const bulk = [
  { kind: "DomainRecord", count: 200 },
  { kind: "Firewall", count: 50 },
];

const namespaces = { ours: "default", stock: "stock" } as const;
type Who = keyof typeof namespaces;

// The budget of the operator and the limits of the simulator are lifted: the limits would be all that is measured.
const world = await startBundled(["--namespace", namespaces.ours, "--endpoint-limit", "default=1000000"]);
const { kube } = world;
try {
  await world.scaleLimits(1_000);
  await kube.create(
    { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespaces.stock } },
  );
  const stock = await startStock();
  const programs: Record<Who, OperatorProcess> = { ours: world.operator(), stock };
  for (const who of ["ours", "stock"] as const) {
    await create(who, "Domain", "zone", { domain: `${who}.org`, type: "master", soaEmail: "ada@example.org" });
    await untilReady(who, "Domain", 1);
  }
  for (const { kind, count } of bulk) await compare(programs, kind, count);
  await compareRest(programs);
} finally {
  await world.stop();
}

async function compare(programs: Record<Who, OperatorProcess>, kind: string, count: number): Promise<void> {
  let made = 0;
  const took: Record<Who, Record<"calls" | "writes" | "cpuMs", Times>> = {
    ours: { calls: [], writes: [], cpuMs: [] },
    stock: { calls: [], writes: [], cpuMs: [] },
  };
  const byProgram = async (who: Who): Promise<void> => {
    const before = await countsOf(programs[who], kind);
    const from = who === "ours" ? made : made - count;
    if (who === "ours") made += count;
    await repeat(count, parallel, (index) =>
      create(who, kind, `${kind.toLowerCase()}-${from + index}`, specOf(kind, from + index)),
    );
    await untilReady(who, kind, from + count);
    const after = await countsOf(programs[who], kind);
    for (const name of ["calls", "writes", "cpuMs"] as const)
      took[who][name].push((after[name] - before[name]) / count);
  };
  const bareWrites = bareWriter(kind, count);
  const times = await alternate(rounds, {
    ours: () => byProgram("ours"),
    stock: () => byProgram("stock"),
    bare: () => bareWrites.write(),
  });
  await bareWrites.close();
  const stockIs = (value: number) => ({ of: "stock", value });
  const seconds = (times: Times): number => median(times) / 1_000;
  const what = `${count} ${kind}s`;
  figure(`${what} from created to Ready`, seconds(times.ours), "s", undefined, stockIs(seconds(times.stock)));
  for (const [name, unit] of [
    ["calls", "cloud calls"],
    ["writes", "writes to the API server"],
    ["cpuMs", "ms of CPU"],
  ] as const)
    figure(`${what}: ${unit} each`, median(took.ours[name]), "", undefined, stockIs(median(took.stock[name])));
  const [rate, ceiling] = [count / seconds(times.ours), count / seconds(times.bare)];
  const goal = { atLeast: 0.6 * ceiling };
  figure(`${what} a second`, rate, "/s", goal, { of: "bare: create, two patches", value: ceiling });
}

/** Both at once, so that what disturbs the machine disturbs both alike: with all that was created above. */
async function compareRest(programs: Record<Who, OperatorProcess>): Promise<void> {
  await sleep(30_000);
  const cpu = (): [number, number] => [programs.ours.cpuSeconds(), programs.stock.cpuSeconds()];
  const calls = (): Promise<number[]> =>
    Promise.all([programs.ours, programs.stock].map((each) => each.counted("cloudplatform_api_requests_total")));
  const [cpuBefore, callsBefore] = [cpu(), await calls()];
  await sleep(120_000);
  const [cpuAfter, callsAfter] = [cpu(), await calls()];
  const perMinute = (after: number[], before: number[]) =>
    after.map((value, index) => (value - (before[index] ?? 0)) / 2);
  const show = (name: string, [ours = 0, stock = 0]: number[], unit: string): void =>
    figure(`${name}, ${(rounds + 1) * 250} objects at rest`, ours, unit, undefined, { of: "stock", value: stock });
  show("CPU a minute", perMinute(cpuAfter, cpuBefore), "s");
  show("cloud calls a minute", perMinute(callsAfter, callsBefore), "");
  show("memory", [programs.ours.residentMiB(), programs.stock.residentMiB()], "MiB");
}

function specOf(kind: string, index: number): object {
  if (kind === "Firewall") return { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
  return { domainRef: { name: "zone" }, type: "A", name: `host-${index}`, target: `192.0.2.${index % 250}` };
}

function create(who: Who, kind: string, name: string, spec: object): Promise<unknown> {
  const metadata = { name, namespace: namespaces[who] };
  return kube.create(resourceNamed(kind), { apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata, spec });
}

async function untilReady(who: Who, kind: string, wanted: number): Promise<void> {
  const { group, version, plural } = resourceNamed(kind);
  const isReady = (object: KubeObject): boolean => conditionOf(object, "Ready")?.status === "True";
  for (let left = 1_200; left > 0; left -= 1) {
    const list = await kube.raw(`/apis/${group}/${version}/namespaces/${namespaces[who]}/${plural}`);
    if ((list as { items: KubeObject[] }).items.filter(isReady).length >= wanted) return;
    await sleep(250);
  }
  throw new Error(`not all of ${wanted} ${kind} of ${who} are Ready within five minutes`);
}

/** Writes are those of the objects: not of events and leases. */
async function countsOf(program: OperatorProcess, kind: string) {
  const { plural } = resourceNamed(kind);
  return {
    calls: await program.counted("cloudplatform_api_requests_total"),
    writes: await program.counted("cloudplatform_kubernetes_writes_total", `resource="${plural}`),
    cpuMs: program.cpuSeconds() * 1_000,
  };
}

/** Bundled as the operator is, with Node's own flags. */
async function startStock(): Promise<OperatorProcess> {
  const file = join(world.folder, "stock.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["bench/baseline/stock.ts"],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    minify: true,
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "warning",
  });
  return world.beside("stock", file, (port) => [
    world.kubeconfigPath,
    namespaces.stock,
    world.cloud,
    world.token,
    port,
  ]);
}

/** The ceiling: what the operator has to write for each object, sent by undici as fast as the API server takes it, and nothing else. */
function bareWriter(kind: string, count: number) {
  const { group, version, plural } = resourceNamed(kind);
  const config = loadKubeConfig({ text: readFileSync(world.kubeconfigPath, "utf8") });
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()];
  const decoded = (text?: string) => (text === undefined ? undefined : Buffer.from(text, "base64").toString());
  const connect = { ca: decoded(cluster?.caData), cert: decoded(user?.certData), key: decoded(user?.keyData) };
  const pool = new Pool(cluster?.server ?? "", { connections: 6, allowH2: true, connect });
  const collection = `/apis/${group}/${version}/namespaces/bare/${plural}`;
  const send = async (method: "POST" | "PATCH", path: string, body: object): Promise<void> => {
    const type = method === "POST" ? "application/json" : "application/merge-patch+json";
    const answer = await pool.request({
      method,
      path,
      headers: { "content-type": type, ...(user?.token !== undefined && { authorization: `Bearer ${user.token}` }) },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300 && answer.statusCode !== 409)
      throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  };
  let made = 0;
  return {
    async write(): Promise<void> {
      const from = made;
      made += count;
      await send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "bare" } });
      await repeat(count, parallel, async (index) => {
        const name = `bare-${from + index}`;
        const spec = specOf(kind, from + index);
        await send("POST", collection, { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec });
        await send("PATCH", `${collection}/${name}`, { metadata: { annotations: { bench: "x".repeat(400) } } });
        await send("PATCH", `${collection}/${name}/status`, { status: { id: String(index) } });
      });
    },
    close: () => pool.close(),
  };
}
