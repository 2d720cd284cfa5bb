import { expect, test } from "vitest";
import { brandFor } from "../../src/simulator/server/brand.ts";
import type { Brand } from "../../src/simulator/server/brand.ts";
import { FILTERS, pick, randomFrom, randomValue } from "./random-requests.ts";
import type { Schema } from "./random-requests.ts";
import { DEBIAN, running } from "./running.ts";
import type { Reply, Running } from "./running.ts";

/** Each seed with the brand word that its simulator speaks. */
const SEEDS = [
  { seed: 20_260_101, brandWord: "compute" },
  { seed: 4166, brandWord: "acme" },
];
const ROUNDS = 10;

interface Target {
  method: string;
  path: string;
  version: string;
  schema: Schema | undefined;
}

test.each(SEEDS)("no request finds a fault of the service: seed $seed", { timeout: 120_000 }, async (run) => {
  const { seed, brandWord } = run;
  const simulator = await running({ timeScale: 100, brandWord });
  const random = randomFrom(seed);
  const brand = brandFor(brandWord);
  await populate(simulator, brand);
  const full = simulator.control.snapshot();
  const targets = await targetsOf(simulator);
  const done = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    // Deletions of the last round would leave little to find.
    simulator.control.restore(full);
    for (const target of shuffled(random, targets)) {
      const path = pathFor(random, simulator, target).replaceAll("compute/", `${brandWord}/`);
      const body = bodyFor(random, simulator, target, brand);
      const method = random() < 0.02 ? pick(random, ["PATCH", "OPTIONS", "PUT", "DELETE"]) : target.method;
      const headers = random() < 0.2 ? { "X-Filter": pick(random, FILTERS) } : {};
      const reply = await simulator.call(method, path, body, { headers });
      expect(
        problemOf(reply),
        `seed ${seed}: ${method} ${path} ${JSON.stringify(headers)} ${String(body).slice(0, 500)}`,
      ).toBeUndefined();
      if (reply.status < 300) done.add(`${target.method} ${target.path}`);
      await simulator.clock.advance(Math.floor(random() * 400));
    }
  }
  await simulator.clock.advance(10 * 86_400_000);
  // Requests that are all refused at the door would find nothing.
  expect(done.size / targets.length).toBeGreaterThan(0.6);
});

/** What is wrong with an answer, whatever was asked. */
function problemOf({ status, headers, body, text }: Reply): string | undefined {
  if (status >= 500) return `${status} ${text}`;
  if (status === 204) return text === "" ? undefined : "a body with 204";
  if (headers.get("content-type") !== "application/json") return `content type ${headers.get("content-type")}`;
  if (status < 400) return undefined;
  const errors = body["errors"] as { reason?: unknown; field?: unknown }[] | undefined;
  const told = errors?.length && errors.every(({ reason }) => typeof reason === "string" && reason !== "");
  return told ? undefined : `a refusal without reasons: ${text}`;
}

async function populate(simulator: Running, brand: Brand): Promise<void> {
  const post = (path: string, body: object) =>
    simulator.ok("POST", path.replace(/^\/compute/, `/${brand.word}`), brand.outbound(body));
  for (const label of ["one", "two"]) await post("/compute/instances", { ...DEBIAN, label, backups_enabled: true });
  await post("/compute/instances", { region: "us-east", type: "g5-standard-1", label: "empty" });
  await post("/profile/sshkeys", { ssh_key: "ssh-rsa AAAA" });
  const { id } = await post("/domains", { domain: "example.org", type: "master", soa_email: "admin@example.org" });
  await post(`/domains/${String(id)}/records`, { type: "A", name: "www", target: "192.0.2.1" });
  await post("/networking/firewalls", {
    label: "wall",
    rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT" },
    devices: { computes: [1001] },
  });
  await post("/networking/ipv6/ranges", { prefix_length: 64, compute_id: 1001 });
  await post("/databases/mysql/instances", {
    label: "database",
    engine: "mysql/8.0.35",
    region: "us-east",
    type: "g6-nanode-1",
  });
  await post("/images/upload", { label: "own", region: "us-east" });
  await post("/object-storage/buckets", { label: "bucket", cluster: "us-east-1" });
  await post("/object-storage/keys", { label: "key" });
  await post("/tags", { label: "some-tag" });
  simulator.control.compute.addVolume({ compute_id: 1001 });
  await simulator.clock.advance(60_000);
  await post("/compute/instances/1001/backups", { label: "snapshot" });
  await simulator.clock.advance(60_000);
}

async function targetsOf(simulator: Running): Promise<Target[]> {
  const { body } = await simulator.call("GET", "/openapi.json");
  type Described = { servers?: unknown; requestBody?: { content: Record<string, { schema: Schema }> } };
  return Object.entries(body["paths"] as Record<string, Record<string, Described>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { servers, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      version: servers ? "v4beta" : "v4",
      schema: requestBody?.content["application/json"]?.schema,
    })),
  );
}

/** The tables whose ids stand for a path parameter. */
const TABLES: Readonly<Record<string, string>> = {
  computeId: "instance",
  diskId: "disk",
  configId: "config",
  backupId: "backup",
  domainId: "domain",
  recordId: "record",
  firewallId: "firewall",
  deviceId: "firewall-device",
  sshKeyId: "sshkey",
  instanceId: "database",
  eventId: "event",
  keyId: "object-storage-key",
};
const WORDS: Readonly<Record<string, readonly string[]>> = {
  clusterId: ["us-east-1"],
  bucket: ["bucket"],
  imageId: ["compute/debian12", "private%2F15001"],
  kernelId: ["compute/grub2"],
  engineId: ["mysql/8.0.35"],
  regionId: ["us-east"],
  typeId: ["g6-nanode-1"],
  betaId: ["fast-disks"],
  tagLabel: ["some-tag"],
  address: ["198.18.0.2"],
  range: ["2001:db8::"],
  year: ["2026"],
  month: ["1"],
};
const ODD_WORDS = [
  "0",
  "-1",
  "abc",
  "%",
  "%zz",
  "%ff",
  "9".repeat(400),
  "1e3",
  "%00",
  "%2e%2e",
  "x".repeat(300),
  "a%2Fb%2Fc",
  "__proto__",
  "%F0%9F%92%A5",
];
const QUERIES = [
  "",
  "",
  "?page=2&page_size=25",
  "?page=0",
  "?page=1e300",
  "?page=1&page=x",
  "?%zz=%",
  "?name",
  "?page_size=x",
  "?name=a/b&delimiter=%2F&marker=b",
];

function idsOf(simulator: Running, table: string): number[] {
  return simulator.control.rows(table).map((row) => Number(row["id"]));
}

function pathFor(random: () => number, simulator: Running, { path, version }: Target): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const known = [...(WORDS[name] ?? []), ...idsOf(simulator, TABLES[name] ?? "").map(String)];
    return pick(random, random() < 0.05 || known.length === 0 ? ODD_WORDS : known);
  });
  return `/${version}${filled}${pick(random, QUERIES)}`;
}

function bodyFor(
  random: () => number,
  simulator: Running,
  { method, schema }: Target,
  brand: Brand,
): string | undefined {
  if (method === "GET") return undefined;
  if (random() < 0.05)
    return pick(random, ["", "null", "[]", "{", '{"a":', "\u0000", "5", '"text"', '{"__proto__":1}']);
  const ids = [1, 999_999, ...Object.values(TABLES).flatMap((table) => idsOf(simulator, table).slice(0, 3))];
  return JSON.stringify(brand.outbound(randomValue(random, schema ?? {}, ids) ?? {}));
}

function shuffled<T>(random: () => number, values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, key: random() }))
    .toSorted((left, right) => left.key - right.key)
    .map(({ value }) => value);
}
