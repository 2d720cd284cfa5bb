import { constants } from "node:http2";
import { Pool, ProxyAgent, Socks5ProxyAgent } from "undici";
import type { Dispatcher } from "undici";
import type { Clock } from "../queue/clock.ts";
import type { Access } from "./credentials.ts";

export type Lane = "requests" | "watches";

/** Connections to one API server: few for requests, and a lane of their own for watches, which are held open. */
export interface Connections {
  /** The dispatcher of a lane, made anew when `access` is no longer the one it was made for. */
  lane(lane: Lane, access: Access): Dispatcher;
  /** An answer came on this dispatcher: its connections are alive. */
  answered(dispatcher: Dispatcher): void;
  /**
   * A call that began at clock time `since` got no answer in time. If nothing else was answered meanwhile the connection
   * hangs: later calls get a fresh one. Calls still under way on the old one run into their own deadlines.
   */
  suspect(lane: Lane, dispatcher: Dispatcher, since: number): void;
  /**
   * A call on this dispatcher ended with an error. If the error condemns the HTTP/2 session, later calls get new connections,
   * at most once a second.
   */
  failed(lane: Lane, dispatcher: Dispatcher, error: unknown): void;
  /** Connections made since the start. */
  opened(): number;
  close(): Promise<void>;
}

/** With HTTP/2 one connection carries 100 calls, so these six serve 600 at once. */
const requestConnections = 6;
/** The API server closes idle connections after 90 s; ours go first, so that no request meets a closing one. */
const keepAliveMs = 60_000;
const connectMs = 5_000;
const maxAnswerBytes = 256 * 1024 * 1024;
/** Longer than any request and any watch. */
const graceMs = 11 * 60_000;
/** A server that fails each new session must not get more than one session a second for each lane. */
const renewMs = 1_000;

/**
 * Codes that concern the session, even if only one stream fails. The session fails later streams with the same code and stays
 * open, so that undici keeps the session. A server also resets single streams, with other codes, if a handler fails.
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
 * HTTP/2 where the server offers it (kube-apiserver does): then all watches share one or two connections. Behind a proxy
 * that speaks HTTP/1.1 only, each watch holds a connection, which is why their lane is not bounded.
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
    // Deadlines are the transport's, by its clock.
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
