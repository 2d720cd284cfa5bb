import { KubeError } from "../../src/cluster/errors.ts";
import type { Stream, StreamRequest, Transport, TransportRequest } from "../../src/cluster/transport.ts";
import type { KubeObject } from "../../src/cluster/types.ts";

/** One watch that the code under test opened; the test plays the server. */
export interface FakeWatch {
  path: string;
  query: URLSearchParams;
  accept: string | undefined;
  send(type: string, object: object): void;
  /** All of the first state, then the bookmark that ends it. */
  sendInitial(objects: KubeObject[], version: number): void;
  bookmark(version: number): void;
  raw(bytes: string | Uint8Array): void;
  end(): void;
  fail(error: Error): void;
  /** The code under test let go of it. */
  readonly left: boolean;
}

export interface FakeTransport extends Transport {
  watches: FakeWatch[];
  requests: TransportRequest[];
  /** Answers the next stream with this error instead. */
  refuse: Error[];
  /** Answers requests; throw to fail one. */
  answer: (request: TransportRequest) => unknown;
  /** Makes `reachable` resolve. */
  revive(): void;
  readonly askedReachable: number;
}

/** A transport without a network: the test sees each watch and request and answers them. */
export function createFakeTransport(): FakeTransport {
  let revived = Promise.withResolvers<void>();
  let asked = 0;
  const fake: FakeTransport = {
    watches: [],
    requests: [],
    refuse: [],
    answer: () => ({}),
    request(request) {
      fake.requests.push(request);
      return new Promise((resolve) => resolve(fake.answer(request)));
    },
    stream(request) {
      const refused = fake.refuse.shift();
      if (refused !== undefined) return Promise.reject(refused);
      const { watch, stream } = createFakeWatch(request);
      fake.watches.push(watch);
      return Promise.resolve(stream);
    },
    reachable(signal) {
      asked++;
      return Promise.race([
        revived.promise,
        new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(new Error("closed")))),
      ]);
    },
    revive() {
      revived.resolve();
      revived = Promise.withResolvers();
    },
    get askedReachable() {
      return asked;
    },
    connectionsOpened: () => 0,
    close: () => Promise.resolve(),
  };
  return fake;
}

function createFakeWatch(request: StreamRequest): { watch: FakeWatch; stream: Stream } {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1_000 });
  const writer = writable.getWriter();
  writer.closed.catch(() => undefined);
  let left = false;
  const abort = (reason: unknown) => {
    left = true;
    void writer.abort(reason).catch(() => undefined);
  };
  request.signal.addEventListener("abort", () => abort(request.signal.reason));
  const raw = (bytes: string | Uint8Array) => void writer.write(Buffer.from(bytes)).catch(() => undefined);
  const send = (type: string, object: object) => raw(`${JSON.stringify({ type, object })}\n`);
  const [path = "", query = ""] = request.path.split("?");
  const end = new URLSearchParams(query);
  return {
    watch: {
      path,
      query: end,
      accept: request.accept,
      send,
      raw,
      sendInitial(objects, version) {
        for (const object of objects) send("ADDED", object);
        const annotations = { "k8s.io/initial-events-end": "true" };
        send("BOOKMARK", { metadata: { resourceVersion: String(version), annotations } });
      },
      bookmark: (version) => send("BOOKMARK", { metadata: { resourceVersion: String(version) } }),
      end: () => void writer.close().catch(() => undefined),
      fail: (error) => abort(error),
      get left() {
        return left;
      },
    },
    stream: { chunks: readable, abandon: () => abort(new KubeError("silent", { reason: "Timeout" })) },
  };
}

export const connectionLost = () => new KubeError("watch: reset", { reason: "ConnectionFailed" });
export const refusal = (status: number, more: { reason?: string; retryAfterMs?: number; causes?: string[] } = {}) =>
  new KubeError(`status ${status}`, { status, ...more });
