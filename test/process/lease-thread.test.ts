import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Leadership } from "../../src/cluster/types.ts";
import { systemClock } from "../../src/process/clock.ts";
import { startLeaseThread } from "../../src/process/lease-thread.ts";
import type { LeaseThreadOptions } from "../../src/process/lease-thread.ts";

/** Serves a Lease as an API server does. The server is a separate process, because the test stalls the main thread. */
const apiServer = `
  let lease, version = 0, gone = false;
  const merged = (one, patch) => typeof patch !== "object" || patch === null || Array.isArray(patch) ? patch
    : Object.fromEntries(Object.entries({ ...one, ...Object.fromEntries(Object.entries(patch).map(([key, value]) => [key, merged(one?.[key], value)])) }));
  require("node:http").createServer(async (request, response) => {
    const body = await new Response(require("node:stream").Readable.toWeb(request)).text();
    const answer = (status, json) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
    const failed = (code, reason) => answer(code, { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason });
    if (request.url === "/seen") return answer(200, { version, lease });
    if (request.method === "GET") return lease ? answer(200, lease) : failed(404, "NotFound");
    const given = JSON.parse(body);
    if (request.method === "PATCH" && given.metadata.resourceVersion !== lease.metadata.resourceVersion) return failed(409, "Conflict");
    lease = merged(lease, given);
    lease.metadata.resourceVersion = String(++version);
    answer(request.method === "POST" ? 201 : 200, lease);
  }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
`;

let child: ChildProcess;
let server: string;
let leaderships: Leadership[] = [];

beforeEach(async () => {
  child = spawn(process.execPath, ["-e", apiServer], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout!, "data")) as [Buffer];
  server = `http://127.0.0.1:${String(port).trim()}`;
});

afterEach(async () => {
  await Promise.all(leaderships.map((one) => one.release()));
  leaderships = [];
  child.kill("SIGKILL");
});

interface Seen {
  version: number;
  lease: { spec: { holderIdentity: string } };
}
const seen = async (): Promise<Seen> => (await fetch(`${server}/seen`)).json() as Promise<Seen>;

/** A Lease of 5.5 s, which its holder renews ten times a second. */
const leaseMs = 5_500;

function start(given: Partial<LeaseThreadOptions> = {}): Leadership {
  const cluster = { name: "c", cluster: { server, "insecure-skip-tls-verify": true } };
  const context = { name: "x", context: { cluster: "c", user: "u" } };
  const kubeConfig = {
    clusters: [cluster],
    contexts: [context],
    users: [{ name: "u", user: { token: "token-1" } }],
    "current-context": "x",
  };
  const leadership = startLeaseThread({
    program: new URL("../../src/lease-worker.ts", import.meta.url),
    kubeConfig: { text: JSON.stringify({ apiVersion: "v1", kind: "Config", ...kubeConfig }) },
    lease: { namespace: "system", name: "operator", identity: "one", leaseSeconds: leaseMs / 1000 },
    clock: systemClock,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    ...given,
  });
  leaderships.push(leadership);
  return leadership;
}

/** Stalls this thread: neither timers nor messages run. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("a stall that lasts longer than the Lease does not cost the Lease", { timeout: 30_000 }, async () => {
  const leadership = start();
  await leadership.acquired;
  const before = (await seen()).version;
  stall(leaseMs + 1_000);
  // Messages of the thread arrive only after the next await.
  expect(leadership.deadline()).toBeGreaterThan(systemClock.now());
  expect((await seen()).version).toBeGreaterThan(before + 5);
  expect(leadership.lost.aborted).toBe(false);
});

test("an operator that hangs loses the Lease, and may not act when the hang ends", { timeout: 30_000 }, async () => {
  const leadership = start({ longestHangMs: 2_500 });
  await leadership.acquired;
  stall(5_000);
  // Messages of the thread arrive only after the next await.
  expect(leadership.deadline()).toBe(-Infinity);
  const { version } = await seen();
  await expect.poll(() => leadership.lost.aborted).toBe(true);
  await sleep(500);
  expect((await seen()).version).toBe(version);
});

test("a released Lease has no holder, and its former holder may not act", { timeout: 30_000 }, async () => {
  const leadership = start();
  await leadership.acquired;
  const released = leadership.release();
  expect(leadership.deadline()).toBe(-Infinity);
  await released;
  expect((await seen()).lease.spec.holderIdentity).toBe("");
  expect(leadership.recordsUntil()).toBe(-Infinity);
  expect(leadership.lost.aborted).toBe(false);
});

test("the Lease is lost if the thread that renews it cannot run", { timeout: 30_000 }, async () => {
  const leadership = start({ program: new URL("no-such-program.ts", import.meta.url) });
  await leadership.asked;
  expect(leadership.lost.aborted).toBe(true);
  expect(leadership.deadline()).toBe(-Infinity);
});
