import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Verdict } from "../cluster/reader-access.ts";
import type { ServingCertificate } from "./certificate.ts";
import { settingError } from "./configuration.ts";
import type { Metrics } from "./metrics.ts";
import type { Address } from "./values.ts";

/** Checks by name. A check returns true while healthy. */
export type Checks = Record<string, () => boolean>;

export interface HttpOptions {
  metricsAddress: Address;
  healthAddress: Address;
  metrics: Pick<Metrics, "render">;
  /** Serves metrics over TLS to authorised tokens only. Undefined: serves plain HTTP to every client. */
  secureMetrics?: SecureMetrics | undefined;
  /** Liveness checks. After a failure, the kubelet should restart the process. */
  live: Checks;
  ready: Checks;
}

export interface SecureMetrics {
  certificate: ServingCertificate;
  access: (token: string) => Promise<Verdict>;
}

export interface HttpServers {
  /** The ports in use, if an address has port 0. */
  metricsPort: number | undefined;
  healthPort: number | undefined;
  close(): Promise<void>;
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz`, with the responses of controller-runtime: `ok`, or 500 and a line for
 * each check. Equal addresses share one server. An address that is off serves nothing.
 *
 * @throws ConfigurationError if the process cannot listen on an address
 */
export async function startHttp(options: HttpOptions): Promise<HttpServers> {
  const { metricsAddress, healthAddress } = options;
  const { secureMetrics: secure } = options;
  const shared = JSON.stringify(metricsAddress) === JSON.stringify(healthAddress);
  if (shared && secure && metricsAddress)
    throw settingError(
      "metricsSecure",
      new Error("health checks are not served over TLS: use another address for them"),
    );
  const health = { "/healthz": options.live, "/readyz": options.ready };
  const refused = (name: "metricsAddress" | "healthAddress") => (error: unknown) => {
    throw settingError(name, error);
  };
  const metrics = await listen(metricsAddress, {
    metrics: options.metrics,
    secure,
    checks: shared ? health : {},
  }).catch(refused("metricsAddress"));
  const healthServer = shared
    ? metrics
    : await listen(healthAddress, { checks: health }).catch(refused("healthAddress"));
  return {
    metricsPort: portOf(metrics),
    healthPort: portOf(healthServer),
    async close() {
      await Promise.all([...new Set([metrics, healthServer])].map(close));
    },
  };
}

interface Served {
  metrics?: Pick<Metrics, "render">;
  secure?: SecureMetrics | undefined;
  checks: Record<string, Checks>;
}

async function listen(address: Address, served: Served): Promise<Server | undefined> {
  if (address === undefined) return undefined;
  const answers: RequestListener = (request, response) => void answer(request, response, served);
  const server = bounded(served.secure ? overTls(served.secure, answers) : createServer(answers));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const host = address.host === "" ? {} : { host: address.host };
    server.listen({ port: address.port, ...host }, resolve);
  });
  return server;
}

/** Most connections at the same time. Scrapers and probes need only a few. */
const mostConnections = 100;

/** Closes further connections, and connections that do not send a request soon. */
function bounded(server: Server): Server {
  server.maxConnections = mostConnections;
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  return server;
}

/**
 * Creates a TLS server. New connections get the current certificate. Disconnects clients with unfinished handshakes.
 */
function overTls({ certificate }: SecureMetrics, answers: RequestListener): Server {
  let shown = certificate();
  const server = createTlsServer({ ...shown, minVersion: "TLSv1.2", handshakeTimeout: 10_000 }, answers);
  return server.prependListener("connection", () => {
    const now = certificate();
    if (now !== shown) server.setSecureContext({ ...now, minVersion: "TLSv1.2" });
    shown = now;
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const found = served.checks[path];
  try {
    if (path === "/metrics" && served.metrics !== undefined) {
      await answerMetrics(request, response, served.metrics, served.secure);
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

async function answerMetrics(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: Pick<Metrics, "render">,
  secure: SecureMetrics | undefined,
): Promise<void> {
  const refusal = secure && (await refusalOf(request, secure));
  if (refusal) {
    response.writeHead(refusal.status, refusal.headers).end(refusal.text);
    return;
  }
  const { contentType, body } = await metrics.render();
  response.writeHead(200, { "content-type": contentType }).end(body);
}

interface Refusal {
  status: number;
  headers: Record<string, string>;
  text: string;
}

async function refusalOf({ headers }: IncomingMessage, { access }: SecureMetrics): Promise<Refusal | undefined> {
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const challenge = { "www-authenticate": "Bearer" };
  if (token === undefined)
    return { status: 401, headers: challenge, text: "send the token of a service account: Authorization: Bearer …\n" };
  try {
    const verdict = await access(token);
    if (verdict === "unknown")
      return { status: 401, headers: challenge, text: "the API server does not accept this token\n" };
    if (verdict === "forbidden")
      return { status: 403, headers: {}, text: "this user needs the verb get on the nonResourceURL /metrics\n" };
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { status: 503, headers: {}, text: `the API server did not check this token: ${reason}\n` };
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
