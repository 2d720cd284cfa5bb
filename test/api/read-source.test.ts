/** Data of images, read elsewhere and sent on as it comes. */
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createDispatcher } from "../../src/api/http.ts";
import { createReadSource } from "../../src/api/read-source.ts";
import { createSendToUrl } from "../../src/api/send-to-url.ts";
import { createMovedClock } from "../support/clock.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const MB = 1024 ** 2;
const data = gzipSync(Buffer.from("a disk"));

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function arrange(stop = new AbortController()) {
  const dispatcher = createDispatcher();
  return {
    read: createReadSource({ dispatcher, signal: stop.signal }),
    send: createSendToUrl({ clock: createMovedClock(), dispatcher }),
  };
}

async function whole(url: string, mostBytes = MB): Promise<Buffer> {
  const { content } = await arrange().read(url, { mostBytes });
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("what a source answers is handed on as it is, with its length, also in chunks of one byte", async () => {
  const url = await serving((_request, response) => {
    response.writeHead(200, { "content-length": data.length });
    for (const byte of data) response.write(Buffer.of(byte));
    response.end();
  });
  expect(await whole(`${url}/base.img.gz?signature=s3cret`)).toEqual(data);
  expect((await arrange().read(url, { mostBytes: MB })).length).toBe(data.length);
});

test.each<[because: string, answer: RequestListener, says: string]>([
  ["it is not there", (_, response) => response.writeHead(404).end(), "got status 404"],
  ["a redirect is not followed", (_, response) => response.writeHead(302, { location: "/b" }).end(), "got status 302"],
  ["it is no gzip", (_, response) => response.end("<html>"), "is not compressed with gzip"],
  ["it begins like gzip", (_, response) => response.end(Buffer.of(0x1f, 0x00)), "is not compressed with gzip"],
  ["it has nothing", (_, response) => response.end(), "is empty"],
  [
    "it says that it is too long",
    (_, response) => response.writeHead(200, { "content-length": 2 * MB }).end(),
    "more than",
  ],
  [
    "it may have broken off",
    ({ socket }) => void socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), data])),
    "does not say where its data ends",
  ],
  ["it is too long", (_, response) => response.end(Buffer.concat([data, Buffer.alloc(2 * MB)])), "more than"],
])("where %s, that is said without its query", async (_because, answer, says) => {
  const url = await serving(answer);
  const failure = await whole(`${url}/base.img.gz?signature=s3cret`).catch((error: Error) => error.message);
  expect(failure).toContain(says);
  expect(failure).toContain(`${url}/base.img.gz`);
  expect(failure).not.toContain("s3cret");
});

test("a source that breaks off is an error, and no shorter image", async () => {
  const url = await serving((_request, response) => {
    response.writeHead(200, { "content-length": 1_000 }).write(data);
    setImmediate(() => response.destroy());
  });
  await expect(whole(url)).rejects.toThrow();
});

test.each(["that does not answer", "that is silent after its first bytes"])(
  "a source %s is left at once",
  async (how) => {
    const ending = new AbortController();
    let left = false;
    const from = await serving((_request, response) => {
      response.on("close", () => (left = true));
      if (how !== "that does not answer") response.writeHead(200, { "content-length": 1_000 }).write(data);
      setImmediate(() => ending.abort(new Error("not needed")));
    });
    const to = await serving((request) => void request.resume());
    const { read, send } = arrange();
    const { signal } = ending;
    const sent = read(from, { mostBytes: MB, signal }).then(({ content }) => send("PUT", to, { content, signal }));
    await expect(sent).rejects.toThrow();
    await expect.poll(() => left).toBe(true);
  },
);

test("a big image is not held in memory, and is read no faster than it is taken", async () => {
  const size = 96 * MB;
  const chunk = Buffer.alloc(MB);
  let given = 0;
  let taken = 0;
  let ahead = 0;
  const from = await serving((_request, response) => {
    response.writeHead(200, { "content-length": size });
    const more = (): void => {
      while (given < size) {
        const next = given === 0 ? Buffer.concat([Buffer.of(0x1f, 0x8b), chunk.subarray(2)]) : chunk;
        given += next.length;
        ahead = Math.max(ahead, given - taken);
        if (!response.write(next)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  });
  const to = await serving((request, response) => {
    request.on("data", (part: Buffer) => {
      taken += part.length;
      // A store that is slower than the source.
      if (taken % (8 * MB) < part.length) {
        request.pause();
        setTimeout(() => request.resume(), 5);
      }
    });
    request.on("end", () => response.end());
  });
  const { read, send } = arrange();
  const { content, length } = await read(from, { mostBytes: size });
  collect();
  const before = process.memoryUsage();
  let grown = 0;
  let next = 24 * MB;
  const measured = async function* () {
    for await (const part of content) {
      if (given >= next) {
        next += 24 * MB;
        // What has passed is not counted, whenever else it would be collected.
        collect();
        const { arrayBuffers, heapUsed } = process.memoryUsage();
        grown = Math.max(grown, arrayBuffers + heapUsed - before.arrayBuffers - before.heapUsed);
      }
      yield part;
    }
  };
  await send("PUT", to, { content: measured(), ...(length !== undefined && { contentLength: length }) });
  expect(taken).toBe(size);
  expect(ahead).toBeLessThan(64 * MB);
  expect(grown).toBeLessThan(80 * MB);
});
