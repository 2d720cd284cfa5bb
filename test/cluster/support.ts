import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { vi } from "vitest";
import { loadKubeConfig } from "../../src/cluster/credentials.ts";
import type { Log } from "../../src/queue/log.ts";
import { createTransport } from "../../src/cluster/transport.ts";
import type { Transport, TransportOptions } from "../../src/cluster/transport.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import type { Clock } from "../../src/queue/clock.ts";

/** Time as it passes, for tests against a real control plane. */
export const realClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  turn: () => new Promise((resolve) => setImmediate(resolve)),
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export function createLog() {
  return { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() } satisfies Log;
}

/** A transport for the text of a kubeconfig. */
export function transportFor(text: string, options: Partial<TransportOptions> = {}): Transport {
  return createTransport({ config: () => loadKubeConfig({ text }), clock: realClock, ...options });
}

/** A kubeconfig for a plain HTTP server. */
export function kubeconfigOf(server: string, user = "token: t0"): string {
  return [
    "apiVersion: v1",
    "kind: Config",
    `clusters: [{name: c, cluster: {server: "${server}", insecure-skip-tls-verify: true}}]`,
    `users: [{name: u, user: {${user}}}]`,
    "contexts: [{name: x, context: {cluster: c, user: u}}]",
    "current-context: x",
  ].join("\n");
}

/** An object as the API server would tell it. */
export function configMap(name: string, version: number, more: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      namespace: "here",
      uid: `uid-${name}`,
      resourceVersion: String(version),
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...more,
    },
  };
}

export interface Proxy {
  port: number;
  /** Connections accepted so far. */
  accepted(): number;
  /** From now on no byte passes on the connections there are; new ones work. */
  freeze(): void;
  close(): Promise<void>;
}

/** A TCP proxy to `target` on 127.0.0.1. */
export async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer({ noDelay: true }, (near) => {
    accepted++;
    const far = connect({ port: target, host: "127.0.0.1", noDelay: true });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy()).on("close", () => (sockets.delete(socket), other.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => accepted,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
