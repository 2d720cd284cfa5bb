import { expect, test, vi } from "vitest";
import { createDispatcher } from "../../src/api/http.ts";
import { createSendToUrl } from "../../src/api/send-to-url.ts";
import { createMovedClock } from "../support/clock.ts";
import { failureOf, silence, startServer, type Reply } from "./server.ts";

function arrange(signal?: AbortSignal) {
  const clock = createMovedClock();
  return { clock, send: createSendToUrl({ clock, dispatcher: createDispatcher(), ...(signal && { signal }) }) };
}

test("content goes to the URL as it is, with its type and length and without a token", async () => {
  const server = await startServer((response) => response.writeHead(200, { etag: '"abc"' }).end("ok"));
  const { send } = arrange();
  const parts = async function* () {
    yield Buffer.from("first ");
    await Promise.resolve();
    yield Buffer.from("second");
  };
  const answer = await send("PUT", `${server.url}/bucket/a%2Fb?sig=1`, {
    content: parts(),
    contentType: "text/plain",
    contentLength: 12,
  });
  expect(answer).toEqual({ status: 200, etag: '"abc"', text: "ok" });
  const [received] = server.received;
  expect([received?.path, received?.body]).toEqual(["/bucket/a%2Fb?sig=1", "first second"]);
  expect(received?.headers).toMatchObject({ "content-type": "text/plain", "content-length": "12" });
  expect(received?.headers.authorization).toBeUndefined();
});

const redirect: Reply = (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();

test.each<[string, Reply, number | undefined, string]>([
  ["403", (response) => response.writeHead(403).end("signature secret-sig"), 403, "refused"],
  ["500", (response) => response.writeHead(500).end(), 500, "ambiguous"],
  ["a redirect", redirect, 302, "ambiguous"],
  ["a reset", (_, socket) => socket.resetAndDestroy(), undefined, "ambiguous"],
])("%s is an error that does not show the signature", async (_, reply, status, outcome) => {
  const server = await startServer(reply);
  const { send } = arrange();
  const failure = await failureOf(send("DELETE", `${server.url}/bucket/a?sig=secret-sig`));
  expect([failure.status, failure.outcome]).toEqual([status, outcome]);
  expect(`${failure.message} ${failure.path} ${failure.stack}`).not.toContain("secret-sig");
  expect(server.received).toHaveLength(1);
});

test("an upload ends with the lease's signal", async () => {
  const server = await startServer(silence);
  const stop = new AbortController();
  const { send } = arrange(stop.signal);
  const call = failureOf(send("PUT", server.url, { content: "x" }));
  await vi.waitFor(() => expect(server.received).toHaveLength(1));
  stop.abort();
  expect((await call).outcome).toBe("ambiguous");
});

test("a URL that is not HTTP is refused", async () => {
  const { send } = arrange();
  expect((await failureOf(send("GET", "file:///etc/hostname"))).outcome).toBe("refused");
});
