import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { settingError } from "./configuration.ts";
import type { Metrics } from "./metrics.ts";
import type { Address } from "./values.ts";

/** Checks by name; each says true while all is well. */
export type Checks = Record<string, () => boolean>;

export interface HttpOptions {
  metricsAddress: Address;
  healthAddress: Address;
  metrics: Pick<Metrics, "render">;
  /** A failing one should have the process restarted. */
  live: Checks;
  /** A failing one means: not yet, or not any more. */
  ready: Checks;
}

export interface HttpServers {
  /** The ports in use, where an address said 0. */
  metricsPort: number | undefined;
  healthPort: number | undefined;
  close(): Promise<void>;
}

/**
 * Serves `/metrics`, and `/healthz` and `/readyz` with controller-runtime's answers: `ok`, or 500 and a line for each
 * check. One server serves both when the addresses are the same; an address that is off serves nothing.
 *
 * @throws ConfigurationError when an address cannot be listened on
 */
export async function startHttp(options: HttpOptions): Promise<HttpServers> {
  const { metricsAddress, healthAddress } = options;
  const shared = JSON.stringify(metricsAddress) === JSON.stringify(healthAddress);
  const health = { "/healthz": options.live, "/readyz": options.ready };
  const refused = (name: "metricsAddress" | "healthAddress") => (error: unknown) => {
    throw settingError(name, error);
  };
  const metrics = await listen(metricsAddress, options.metrics, shared ? health : {}).catch(refused("metricsAddress"));
  const healthServer = shared
    ? metrics
    : await listen(healthAddress, undefined, health).catch(refused("healthAddress"));
  return {
    metricsPort: portOf(metrics),
    healthPort: portOf(healthServer),
    async close() {
      await Promise.all([...new Set([metrics, healthServer])].map(close));
    },
  };
}

async function listen(
  address: Address,
  metrics: Pick<Metrics, "render"> | undefined,
  checks: Record<string, Checks>,
): Promise<Server | undefined> {
  if (address === undefined) return undefined;
  const server = createServer((request, response) => void answer(request, response, metrics, checks));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const host = address.host === "" ? {} : { host: address.host };
    server.listen({ port: address.port, ...host }, resolve);
  });
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: Pick<Metrics, "render"> | undefined,
  checks: Record<string, Checks>,
): Promise<void> {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const found = checks[path];
  try {
    if (path === "/metrics" && metrics !== undefined) {
      const { contentType, body } = await metrics.render();
      response.writeHead(200, { "content-type": contentType }).end(body);
    } else if (found === undefined) {
      response.writeHead(404).end("not found\n");
    } else {
      const { ok, lines } = evaluate(found);
      response.writeHead(ok ? 200 : 500, { "content-type": "text/plain; charset=utf-8" }).end(ok ? "ok" : lines);
    }
  } catch (error) {
    if (!response.headersSent) response.writeHead(500);
    response.end(error instanceof Error ? error.message : String(error));
  }
}

function evaluate(checks: Checks): { ok: boolean; lines: string } {
  const results = Object.entries(checks).map(([name, check]) => ({ name, ok: check() }));
  const lines = results.map(({ name, ok }) => `[${ok ? "+" : "-"}]${name} ${ok ? "ok" : "failed"}\n`).join("");
  return { ok: results.every((each) => each.ok), lines };
}

function portOf(server: Server | undefined): number | undefined {
  return server === undefined ? undefined : (server.address() as AddressInfo).port;
}

async function close(server: Server | undefined): Promise<void> {
  if (server === undefined) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
