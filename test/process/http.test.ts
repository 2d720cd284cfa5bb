import { afterEach, expect, it } from "vitest";
import { startHttp } from "../../src/process/http.ts";
import type { HttpOptions, HttpServers } from "../../src/process/http.ts";

let servers: HttpServers | undefined;
afterEach(() => servers?.close());

const loopback = { host: "127.0.0.1", port: 0 };

async function start(options: Partial<HttpOptions> = {}): Promise<HttpServers> {
  servers = await startHttp({
    metricsAddress: loopback,
    healthAddress: loopback,
    metrics: { render: () => Promise.resolve({ contentType: "text/plain", body: "up 1\n" }) },
    live: {},
    ready: {},
    ...options,
  });
  return servers;
}

async function get(port: number | undefined, path: string): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return [response.status, await response.text()];
}

it("serves metrics and health on one port when the addresses are the same", async () => {
  const { metricsPort, healthPort } = await start();
  expect(healthPort).toBe(metricsPort);
  expect(await get(metricsPort, "/metrics")).toEqual([200, "up 1\n"]);
  expect(await get(metricsPort, "/healthz")).toEqual([200, "ok"]);
  expect(await get(metricsPort, "/readyz?verbose")).toEqual([200, "ok"]);
  expect(await get(metricsPort, "/")).toEqual([404, "not found\n"]);
});

it("serves no metrics on a health port of its own", async () => {
  const { healthPort } = await start({ metricsAddress: undefined });
  expect((await get(healthPort, "/metrics"))[0]).toBe(404);
});

it("names the check that fails, and recovers with it", async () => {
  let synced = false;
  const { healthPort } = await start({ ready: { caches: () => synced, leader: () => true } });
  expect(await get(healthPort, "/readyz")).toEqual([500, "[-]caches failed\n[+]leader ok\n"]);
  expect(await get(healthPort, "/healthz")).toEqual([200, "ok"]);
  synced = true;
  expect(await get(healthPort, "/readyz")).toEqual([200, "ok"]);
});

it("answers a failing metrics source with 500, and goes on", async () => {
  const render = (): Promise<never> => Promise.reject(new Error("no figures"));
  const { metricsPort } = await start({ metrics: { render } });
  expect(await get(metricsPort, "/metrics")).toEqual([500, "no figures"]);
  expect(await get(metricsPort, "/healthz")).toEqual([200, "ok"]);
});

it("says so when an address is taken", async () => {
  const { metricsPort } = await start();
  const taken = { host: "127.0.0.1", port: metricsPort ?? 0 };
  const again = startHttp({
    metricsAddress: taken,
    healthAddress: undefined,
    metrics: { render: () => Promise.reject(new Error("unused")) },
    live: {},
    ready: {},
  });
  await expect(again).rejects.toThrow("EADDRINUSE");
});
