import { request } from "node:https";
import { connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Verdict } from "../../src/cluster/reader-access.ts";
import { startHttp } from "../../src/process/http.ts";
import type { HttpServers, SecureMetrics } from "../../src/process/http.ts";
import { selfSigned } from "../../src/process/self-signed.ts";

const now = new Date();
let servers: HttpServers | undefined;
afterEach(() => servers?.close());

interface Answer {
  status: number | undefined;
  text: string;
  challenge: string | undefined;
}

async function start(options: Partial<SecureMetrics> = {}): Promise<void> {
  const pair = selfSigned(["localhost", "127.0.0.1"], now);
  servers = await startHttp({
    metricsAddress: { host: "127.0.0.1", port: 0 },
    healthAddress: { host: "localhost", port: 0 },
    metrics: { render: () => Promise.resolve({ contentType: "text/plain", body: "up 1\n" }) },
    secureMetrics: { certificate: () => pair, access: () => Promise.resolve("allowed"), ...options },
    live: {},
    ready: {},
  });
}

/** On a connection of its own, which trusts just this certificate. */
function get(ca: string | undefined, authorization?: string): Promise<Answer> {
  const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
  const headers = authorization === undefined ? {} : { authorization };
  const port = servers?.metricsPort;
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/metrics", agent: false, headers, ...trust }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode, text, challenge: response.headers["www-authenticate"] }),
      );
    })
      .once("error", reject)
      .end();
  });
}

describe("metrics over TLS", () => {
  it("are for whom the API server lets read them, and tell the others what lacks", async () => {
    const verdicts: Record<string, Verdict> = { good: "allowed", poor: "forbidden" };
    await start({ access: (token) => Promise.resolve(verdicts[token] ?? "unknown") });
    expect(await get(undefined, "Bearer good")).toMatchObject({ status: 200, text: "up 1\n" });
    expect(await get(undefined)).toMatchObject({ status: 401, challenge: "Bearer" });
    expect(await get(undefined, "Basic Z29vZDo=")).toMatchObject({ status: 401 });
    expect(await get(undefined, "Bearer stray")).toMatchObject({ status: 401, challenge: "Bearer" });
    expect(await get(undefined, "Bearer poor")).toMatchObject({ status: 403 });
  });

  it("are for nobody while the API server cannot be asked", async () => {
    await start({ access: () => Promise.reject(new Error("connection refused")) });
    expect(await get(undefined, "Bearer good")).toMatchObject({
      status: 503,
      text: "the API server did not check this token: connection refused\n",
    });
  });

  it("are not served in the clear, while health still is", async () => {
    await start();
    await expect(fetch(`http://127.0.0.1:${servers?.metricsPort}/metrics`)).rejects.toThrow();
    expect((await fetch(`http://localhost:${servers?.healthPort}/healthz`)).status).toBe(200);
  });

  it("are shown with a renewed certificate from the next connection on", async () => {
    const [first, second] = [selfSigned(["127.0.0.1"], now), selfSigned(["127.0.0.1"], now)];
    let current = first;
    await start({ certificate: () => current });
    expect(await get(first.cert, "Bearer x")).toMatchObject({ status: 200 });
    current = second;
    expect(await get(second.cert, "Bearer x")).toMatchObject({ status: 200 });
    await expect(get(first.cert, "Bearer x")).rejects.toThrow("self-signed");
  });

  it("are served again after a client held more connections than the server accepts, and health checks are served at that time", async () => {
    await start();
    const sockets = Array.from({ length: 150 }, () => connect({ host: "127.0.0.1", port: servers?.metricsPort ?? 0 }));
    const excess = sockets.length - 100;
    await new Promise<void>((resolve) => {
      let closed = 0;
      for (const socket of sockets) socket.on("error", () => undefined).resume();
      for (const socket of sockets) socket.once("close", () => (closed += 1) === excess && resolve());
    });
    expect((await fetch(`http://localhost:${servers?.healthPort}/healthz`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    const again = async () => expect(await get(undefined, "Bearer good")).toMatchObject({ status: 200 });
    await vi.waitFor(again, 10_000);
  });

  it("need an address that health checks do not share", async () => {
    const address = { host: "127.0.0.1", port: 0 };
    const shared = startHttp({
      metricsAddress: address,
      healthAddress: address,
      metrics: { render: () => Promise.reject(new Error("unused")) },
      secureMetrics: { certificate: () => selfSigned(["a"], now), access: () => Promise.resolve("allowed") },
      live: {},
      ready: {},
    });
    await expect(shared).rejects.toThrow("--metrics-secure");
  });
});
