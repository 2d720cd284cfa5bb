/** HTTP/2 sessions with an API server: the body of one request, and one bad session, must not stop other requests. */
import { constants, createSecureServer } from "node:http2";
import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { createKubeClient } from "../../src/cluster/client.ts";
import { loadKubeConfig } from "../../src/cluster/credentials.ts";
import { createTransport } from "../../src/cluster/transport.ts";
import type { Transport } from "../../src/cluster/transport.ts";
import { selfSigned } from "../../src/process/self-signed.ts";
import { createMovedClock, driven, settle } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { kubeconfigOf } from "./support.ts";

const ref = { namespace: "n", name: "a" };
const mebibyte = 1_048_576;

let clock: MovedClock;
let server: Http2SecureServer;
let transport: Transport;
let sessions: ServerHttp2Session[];
/** Requests that the server received, each with the number of its session. */
let seen: { method: string; path: string; session: number }[];
let answer: (stream: ServerHttp2Stream, session: number, method: string) => void;

beforeEach(async () => {
  clock = createMovedClock();
  [sessions, seen] = [[], []];
  answer = respond;
  server = createSecureServer(selfSigned(["127.0.0.1"], new Date()));
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream, { ":method": method = "", ":path": path = "" }) => {
    const session = sessions.indexOf(stream.session as ServerHttp2Session);
    stream.on("error", () => undefined);
    seen.push({ method, path, session });
    answer(stream, session, method);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const text = kubeconfigOf(`https://127.0.0.1:${port}`);
  transport = createTransport({ config: () => loadKubeConfig({ text }), clock, random: () => 0.5 });
});

afterEach(async () => {
  await transport.close();
  for (const session of sessions) session.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function respond(stream: ServerHttp2Stream): void {
  stream.resume().respond({ ":status": 200 });
  stream.end("{}");
}

function calm(stream: ServerHttp2Stream): void {
  stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

const drive = <T>(call: Promise<T>): Promise<T> => driven(clock, call);

const read = () => drive(createKubeClient(transport).raw("/version"));
const write = (bytes: number) => createKubeClient(transport).patch(configMaps, ref, { data: { a: "x".repeat(bytes) } });

async function untilTrue(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !isTrue(); turn++) await settle();
  expect(isTrue()).toBe(true);
}

describe("a request body", () => {
  it("above 3 MiB is refused with status 413, and no byte leaves", async () => {
    await expect(drive(write(3 * mebibyte))).rejects.toMatchObject({
      status: 413,
      reason: "RequestEntityTooLarge",
      sent: false,
      message: "patch configmaps: the request has 3,145,745 bytes, and the API server accepts 3,145,728 bytes",
    });
    expect(seen).toEqual([]);
    await read();
    expect(transport.connectionsOpened()).toBe(1);
  });

  it("is measured in bytes, not in characters", async () => {
    const call = createKubeClient(transport).patch(configMaps, ref, { data: { a: "€".repeat(mebibyte) } });
    await expect(drive(call)).rejects.toMatchObject({ status: 413 });
    expect(seen).toEqual([]);
  });

  it("that the server does not read stops no other request, however many large ones wait", async () => {
    answer = (stream, _, method) => (method === "GET" ? respond(stream) : undefined);
    const stuck = Array.from({ length: 30 }, () => write(mebibyte).catch((error: unknown) => error));
    await untilTrue(() => seen.length > 0);
    await settle();
    expect(await read()).toEqual({});
    answer = respond;
    await drive(Promise.all(stuck));
  });

  it("of 64 KiB or less waits for no large one", async () => {
    answer = (stream, _, method) => (method === "PATCH" ? undefined : respond(stream));
    const stuck = Array.from({ length: 4 }, () => write(mebibyte).catch((error: unknown) => error));
    await untilTrue(() => seen.length > 0);
    await drive(
      createKubeClient(transport)
        .create(configMaps, { metadata: ref })
        .catch(() => undefined),
    );
    expect(seen.map(({ method }) => method)).toContain("POST");
    answer = respond;
    await drive(Promise.all(stuck));
  });

  it("that waits for large ones ends by its deadline, and nothing of it was sent", async () => {
    answer = () => undefined;
    const all = Array.from({ length: 3 }, () => write(2 * mebibyte).catch((error: unknown) => error));
    await untilTrue(() => seen.length > 0);
    await drive(Promise.all(all));
    const last = (await all[2]) as object;
    expect(last).toMatchObject({ reason: "Timeout", sent: false });
    expect(seen).toHaveLength(1);
  });
});

describe("a session whose streams fail with ENHANCE_YOUR_CALM", () => {
  it("is replaced: a read succeeds on a new session", async () => {
    await read();
    await clock.advance(2_000);
    answer = (stream, session) => (session === 0 ? calm(stream) : respond(stream));
    expect(await read()).toEqual({});
    expect(sessions).toHaveLength(2);
  });

  it("is replaced after a create, which is not sent again", async () => {
    await read();
    await clock.advance(2_000);
    answer = (stream, session) => (session === 0 ? calm(stream) : respond(stream));
    const create = createKubeClient(transport).create(configMaps, { metadata: ref });
    await expect(drive(create)).rejects.toMatchObject({ reason: "ConnectionFailed", sent: true });
    await read();
    expect(seen.map(({ method, session }) => `${method} ${session}`)).toEqual(["GET 0", "POST 0", "GET 1"]);
  });

  it("is replaced for watches", async () => {
    const { signal } = new AbortController();
    const open = () => drive(transport.stream({ path: "/watch", resource: "configmaps", signal }));
    await open();
    await clock.advance(2_000);
    answer = (stream, session) => (session === 0 ? calm(stream) : respond(stream));
    await expect(open()).rejects.toMatchObject({ reason: "ConnectionFailed" });
    await open();
    expect(sessions).toHaveLength(2);
  });

  it("is replaced once a second at most, if each new session fails", async () => {
    answer = calm;
    for (let n = 0; n < 10; n++) await read().catch(() => undefined);
    expect(sessions.length).toBeLessThanOrEqual(1 + (clock.now() - 1_000_000) / 1_000);
  });

  it.each([
    { reason: "the server refused one stream", code: constants.NGHTTP2_REFUSED_STREAM },
    { reason: "the server cancelled one stream", code: constants.NGHTTP2_CANCEL },
    { reason: "a handler of the server failed", code: constants.NGHTTP2_INTERNAL_ERROR },
  ])("is not confused with a session in which $reason", async ({ code }) => {
    await read();
    await clock.advance(2_000);
    answer = (stream) => stream.close(code);
    await read().catch(() => undefined);
    answer = respond;
    await read();
    expect(sessions).toHaveLength(1);
  });
});
