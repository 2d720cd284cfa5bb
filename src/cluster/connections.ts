import { constants } from "node:http2";
import { Pool, ProxyAgent, Socks5ProxyAgent } from "undici";
import type { Dispatcher } from "undici";
import type { Clock } from "../queue/clock.ts";
import type { Access } from "./credentials.ts";

export type Lane = "requests" | "watches";

/** Connections to one API server: a few for requests, and a separate lane for long-running watches. */
export interface Connections {
  /** Returns the dispatcher of a lane. Creates a new dispatcher if `access` has changed. */
  lane(lane: Lane, access: Access): Dispatcher;
  /** Notes a response: the connections of this dispatcher work. */
  answered(dispatcher: Dispatcher): void;
  /**
   * Notes a call without a response, begun at clock time `since`. If no other response arrived since then, the
   * connection hangs: later calls use new connections. Calls in flight on the old connection run into their deadlines.
   */
  suspect(lane: Lane, dispatcher: Dispatcher, since: number): void;
  /**
   * Notes a call that ended with an error. If the error breaks the HTTP/2 session, later calls use new connections,
   * created at most once a second.
   */
  failed(lane: Lane, dispatcher: Dispatcher, error: unknown): void;
  opened(): number;
  close(): Promise<void>;
}

/** An HTTP/2 connection carries 100 calls: six connections carry 600. */
const requestConnections = 6;
/** The API server closes idle connections after 90 s. The operator closes first, to avoid a closing connection. */
const keepAliveMs = 60_000;
const connectMs = 5_000;
const maxAnswerBytes = 256 * 1024 * 1024;
/** Longer than any request and any watch. */
const graceMs = 11 * 60_000;
/** A server that fails each new session gets at most one session a second for each lane. */
const renewMs = 1_000;

/**
 * Error codes of the session, even if only one stream fails. Later streams fail with the same code, but the session
 * stays open and undici keeps using the session. A server also resets single streams, with other codes, if a handler
 * fails.
 */
const sessionCodes: ReadonlySet<number | undefined> = new Set([
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_SETTINGS_TIMEOUT,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_COMPRESSION_ERROR,
  constants.NGHTTP2_ENHANCE_YOUR_CALM,
]);

/**
 * Creates the connections. Uses HTTP/2 if the server offers HTTP/2, like kube-apiserver: the watches then share one or
 * two connections. Behind a proxy with HTTP/1.1 only, each watch holds a connection; the lane of watches is therefore
 * unlimited.
 */
export function createConnections(clock: Clock): Connections {
  const lanes = new Map<Lane, { dispatcher: Dispatcher; fingerprint: string; madeAt: number }>();
  const answeredAt = new WeakMap<Dispatcher, number>();
  const retired = new Set<Dispatcher>();
  let opened = 0;

  function retire(lane: Lane, dispatcher: Dispatcher): void {
    lanes.delete(lane);
    retired.add(dispatcher);
    const cancel = clock.schedule(graceMs, () => void dispatcher.destroy().catch(() => undefined));
    void dispatcher
      .close()
      .catch(() => undefined)
      .finally(() => {
        cancel();
        retired.delete(dispatcher);
      });
  }

  return {
    lane(lane, access) {
      const kept = lanes.get(lane);
      if (kept?.fingerprint === access.fingerprint) return kept.dispatcher;
      if (kept !== undefined) retire(lane, kept.dispatcher);
      const dispatcher = createDispatcher(lane, access).on("connect", () => opened++);
      lanes.set(lane, { dispatcher, fingerprint: access.fingerprint, madeAt: clock.now() });
      return dispatcher;
    },
    answered: (dispatcher) => void answeredAt.set(dispatcher, clock.now()),
    suspect(lane, dispatcher, since) {
      if (lanes.get(lane)?.dispatcher !== dispatcher) return;
      if ((answeredAt.get(dispatcher) ?? -Infinity) < since) retire(lane, dispatcher);
    },
    failed(lane, dispatcher, error) {
      const kept = lanes.get(lane);
      if (kept?.dispatcher !== dispatcher || clock.now() - kept.madeAt < renewMs) return;
      if (sessionCodes.has((error as { http2ErrorCode?: number }).http2ErrorCode)) retire(lane, dispatcher);
    },
    opened: () => opened,
    async close() {
      const all = [...retired, ...[...lanes.values()].map((kept) => kept.dispatcher)];
      lanes.clear();
      await Promise.allSettled(all.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function createDispatcher(lane: Lane, { server, tls, proxy }: Access): Dispatcher {
  const options = {
    ...(lane === "requests" ? { connections: requestConnections, maxResponseSize: maxAnswerBytes } : {}),
    allowH2: true,
    connectTimeout: connectMs,
    // The transport enforces deadlines with its own clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    h2Options: { connectionWindowSize: 16 * 1024 * 1024 },
  };
  if (proxy?.startsWith("socks")) return new Socks5ProxyAgent(proxy, { ...options, requestTls: tls });
  if (proxy !== undefined && proxy !== "") return new ProxyAgent({ ...options, uri: proxy, requestTls: tls });
  const connect = { ...tls, timeout: connectMs, keepAlive: true, keepAliveInitialDelay: 30_000 };
  return new Pool(new URL(server).origin, { ...options, connect });
}
