import { connect, createSecureServer } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { selfSigned } from "../../../src/process/self-signed.ts";

/** A proxy between the operator and the API server that can silence the watches of one resource. */
export interface WatchProxy {
  url: string;
  /** Certificate of the proxy in base64, for `certificate-authority-data`. */
  authority: string;
  /** Stops each byte on watches of the resource. Gets, lists and writes still pass. */
  stall: (plural: string) => void;
  /** Passes the delayed bytes and ends the stall. */
  release: (plural: string) => void;
  /** Number of open watches of the resource. */
  watches: (plural: string) => number;
  close: () => Promise<void>;
}

interface Watch {
  plural: string;
  near: ServerHttp2Stream;
  far: ClientHttp2Stream;
}

/**
 * Starts the proxy on a free port of 127.0.0.1. Both sides use HTTP/2, like the operator and the API server.
 *
 * @param target URL of the API server
 * @param ca certificate authority of the API server, as PEM
 */
export async function startWatchProxy(target: string, ca: string): Promise<WatchProxy> {
  const pair = selfSigned(["127.0.0.1"], new Date());
  const sessions = new Set<ClientHttp2Session>();
  const open = new Set<Watch>();
  const stalled = new Set<string>();
  const server = createSecureServer({ ...pair });
  server.on("session", (near) => {
    const far = connect(target, { ca });
    sessions.add(far);
    far.on("error", () => near.destroy()).on("close", () => (sessions.delete(far), near.destroy()));
    near.on("error", () => far.destroy()).on("close", () => far.destroy());
    near.on("stream", (stream, headers) => {
      const plural = watchedResource(headers[":path"] ?? "");
      const passed = forward(stream, headers, far, () => plural === undefined || !stalled.has(plural));
      if (plural === undefined) return;
      const watch: Watch = { plural, near: stream, far: passed };
      open.add(watch);
      stream.once("close", () => open.delete(watch));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const watchesOf = (plural: string): Watch[] => [...open].filter((watch) => watch.plural === plural);
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority: Buffer.from(pair.cert).toString("base64"),
    stall(plural) {
      stalled.add(plural);
      for (const { near, far } of watchesOf(plural)) far.unpipe(near).pause();
    },
    release(plural) {
      stalled.delete(plural);
      for (const { near, far } of watchesOf(plural)) far.pipe(near);
    },
    watches: (plural) => watchesOf(plural).length,
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Plural name of the watched resource; undefined if the request is no watch. */
function watchedResource(path: string): string | undefined {
  const { pathname, searchParams } = new URL(path, "https://127.0.0.1");
  if (!/^(1|true)$/.test(searchParams.get("watch") ?? "")) return undefined;
  return pathname.split("/").at(-1);
}

function forward(
  near: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  session: ClientHttp2Session,
  passes: () => boolean,
): ClientHttp2Stream {
  const { ":authority": _, ...rest } = headers;
  const far = session.request(rest, { endStream: false });
  near.pipe(far);
  far.on("continue", () => void (near.headersSent || near.additionalHeaders({ ":status": 100 })));
  far.on("response", (answer) => {
    if (near.destroyed) return;
    near.respond(answer);
    if (passes()) far.pipe(near);
    else far.pause();
  });
  far.on("error", () => near.destroy()).on("close", () => void (near.writableEnded || near.destroy()));
  near.on("error", () => far.destroy()).on("close", () => far.destroy());
  return far;
}
