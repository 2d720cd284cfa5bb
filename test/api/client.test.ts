import { describe, expect, test, vi } from "vitest";
import type { RequestMeasure } from "../../src/api/types.ts";
import { createDispatcher } from "../../src/api/http.ts";
import { createMovedClock } from "../support/clock.ts";
import { clientFor, failureOf, json, page, settled, silence, startServer, type Reply } from "./server.ts";

describe("a request", () => {
  test("carries the token of the moment, JSON, and the brand word, and the answer comes back in our words", async () => {
    const server = await startServer(json(200, { acme_id: 7 }));
    let token = "first";
    const { client } = clientFor(`${server.url}/v4/`, { brandWord: "acme", token: () => token });
    expect(await client.send("POST", "/compute/instances/7/clone", { compute_id: 7 })).toEqual({ compute_id: 7 });
    token = "second";
    await client.send("DELETE", "/compute/instances/7");
    expect(server.received.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["POST", "/v4/acme/instances/7/clone", '{"acme_id":7}'],
      ["DELETE", "/v4/acme/instances/7", ""],
    ]);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer second"]);
    expect(server.received[0]?.headers["content-type"]).toBe("application/json");
  });

  test("of a beta operation goes to v4beta", async () => {
    const server = await startServer(page([], 1, 1, 0));
    const { client } = clientFor(server.url);
    await client.list("/networking/vlans", { beta: true });
    expect(server.received[0]?.path).toBe("/v4beta/networking/vlans?page=1&page_size=500");
  });

  test("answered 204 is undefined for a read and empty for a write", async () => {
    const server = await startServer((response) => response.writeHead(204).end());
    const { client } = clientFor(server.url);
    expect(await client.get("/profile/grants")).toBeUndefined();
    expect(await client.send("DELETE", "/tags/a")).toEqual({});
  });

  test.each(["instances", "/tags/..", "/tags/%2E%2e/domains", "/tags/."])(
    "for %j is refused before it is sent",
    async (path) => {
      const server = await startServer(json(200, {}));
      const { client } = clientFor(server.url);
      const error = await failureOf(client.send("DELETE", path));
      expect(error.outcome).toBe("refused");
      expect(server.received).toEqual([]);
    },
  );

  test("tells metrics its operation, status and times", async () => {
    const server = await startServer(json(200, {}));
    const measures: RequestMeasure[] = [];
    const { client } = clientFor(server.url, { onRequest: (measure) => measures.push(measure) });
    await client.get("/domains/12/records/34?x=1");
    const operation = "GET /domains/*/records/*";
    const { host } = new URL(server.url);
    expect(measures).toEqual([{ method: "GET", operation, server: host, status: 200, ms: 0, heldMs: 0 }]);
  });
});

const html: Reply = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>");
const error = { errors: [{ field: "label", reason: "Label is taken" }] };

describe("a failed POST is classified", () => {
  test.each<[string, Reply, { status: number | undefined; outcome: string }, string]>([
    ["400", json(400, error), { status: 400, outcome: "refused" }, "the API says no"],
    ["404", json(404, error), { status: 404, outcome: "refused" }, "the parent is not there"],
    ["429", json(429, error), { status: 429, outcome: "refused" }, "limits are checked first"],
    ["408", json(408, error), { status: 408, outcome: "ambiguous" }, "the cloud gave up half way"],
    ["500", json(500, error), { status: 500, outcome: "ambiguous" }, "it may have failed after the change"],
    [
      "502 of a gateway",
      (r) => r.writeHead(502, { "content-type": "text/html" }).end("<html>"),
      { status: 502, outcome: "ambiguous" },
      "the API may have done it",
    ],
    ["200 with HTML", html, { status: undefined, outcome: "ambiguous" }, "not the API's answer"],
    [
      "404 with HTML",
      (r) => r.writeHead(404, { "content-type": "text/html" }).end("<html>"),
      { status: undefined, outcome: "ambiguous" },
      "a gateway's page must not mean that something is gone",
    ],
    [
      "404 with other JSON",
      json(404, { message: "no route" }),
      { status: undefined, outcome: "ambiguous" },
      "so must no other program's",
    ],
    [
      "200 with cut JSON",
      (r) => r.writeHead(200, { "content-type": "application/json" }).end('{"id": 1'),
      { status: undefined, outcome: "ambiguous" },
      "it was applied, the id is lost",
    ],
    [
      "200 without a body",
      (r) => r.writeHead(200, { "content-type": "application/json" }).end(),
      { status: undefined, outcome: "ambiguous" },
      "no answer has no body",
    ],
    [
      "a body cut short",
      (r, socket) => {
        r.writeHead(200, { "content-type": "application/json", "content-length": "100" });
        r.write("{");
        setImmediate(() => socket.destroy());
      },
      { status: undefined, outcome: "ambiguous" },
      "the connection broke in the answer",
    ],
    [
      "a reset",
      (_, socket) => socket.resetAndDestroy(),
      { status: undefined, outcome: "ambiguous" },
      "the connection broke before the answer",
    ],
    [
      "a redirect",
      (r) => r.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
      { status: 307, outcome: "ambiguous" },
      "redirects are not followed",
    ],
  ])("%s", async (_, reply, expected) => {
    const server = await startServer(reply);
    const { client } = clientFor(server.url);
    const { status, outcome } = await failureOf(client.send("POST", "/tags", { label: "a" }));
    expect({ status, outcome }).toEqual(expected);
    expect(server.received).toHaveLength(1);
  });

  test("a connection that was never made is refused", async () => {
    const server = await startServer(silence);
    await server.close();
    const { client } = clientFor(server.url);
    const { status, outcome } = await failureOf(client.send("POST", "/tags", { label: "a" }));
    expect({ status, outcome }).toEqual({ status: undefined, outcome: "refused" });
  });

  test("a reset on a connection that was used before does not send it again", async () => {
    const server = await startServer(json(200, {}), (_, socket) => socket.resetAndDestroy());
    const { client } = clientFor(server.url);
    await client.get("/profile");
    expect((await failureOf(client.send("POST", "/tags", { label: "a" }))).outcome).toBe("ambiguous");
    expect(server.received.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });

  test("the API's reasons are kept, without secrets and in our words", async () => {
    const reasons = [{ field: "acme_id", reason: "bad pass hunter2!" }, { reason: "Acme busy." }];
    const server = await startServer(json(400, { errors: reasons }));
    const { client } = clientFor(server.url, { brandWord: "acme" });
    const failure = await failureOf(client.send("POST", "/compute/instances", { root_pass: "hunter2!" }));
    expect(failure.errors).toEqual([
      { field: "compute_id", reason: "bad pass (sensitive)" },
      { field: null, reason: "Compute busy." },
    ]);
    expect(failure.message).toBe(
      "POST /compute/instances got status 400: compute_id: bad pass (sensitive); Compute busy.",
    );
  });

  test("no part of an answer that could not be read is quoted", async () => {
    const reply: Reply = (response) =>
      response.writeHead(200, { "content-type": "application/json" }).end("s3cret-key");
    const server = await startServer(reply);
    const { client } = clientFor(server.url);
    const failure = await failureOf(client.send("POST", "/object-storage/keys", { label: "a" }));
    expect(`${failure.stack} ${String(failure.cause)}`).not.toContain("s3cret");
  });
});

describe("a client that was closed", () => {
  test("lets the POST in flight end and begins no other call", async () => {
    let answer: () => void = () => undefined;
    const server = await startServer((...exchange) => {
      answer = () => json(200, { id: 7 })(...exchange);
    });
    const closed = new AbortController();
    const { client } = clientFor(server.url, { closed: closed.signal });
    const posting = client.send("POST", "/profile/sshkeys", { label: "laptop" });
    await vi.waitFor(() => expect(server.received).toHaveLength(1));
    closed.abort(new Error("the account was closed"));
    const refused = await failureOf(client.get("/profile"));
    expect(refused).toMatchObject({
      outcome: "refused",
      message: "GET /profile was not sent: the account was closed",
    });
    answer();
    expect(await posting).toEqual({ id: 7 });
    expect(server.received).toHaveLength(1);
  });
});

describe("deadlines", () => {
  test("a mutating call ends with the lease and is ambiguous", async () => {
    const server = await startServer(silence);
    const { client, clock } = clientFor(server.url, { deadline: () => leaseEnd });
    const leaseEnd = clock.now() + 5_000;
    const call = failureOf(client.send("PUT", "/domains/1", {}));
    await vi.waitFor(() => expect(server.received).toHaveLength(1));
    await clock.advance(5_000);
    expect((await call).outcome).toBe("ambiguous");
  });

  test("a mutating call does not leave once the lease has run out, a read does", async () => {
    const server = await startServer(json(200, {}));
    const { client } = clientFor(server.url, { deadline: () => 0 });
    const failure = await failureOf(client.send("DELETE", "/domains/1"));
    expect(failure.outcome).toBe("refused");
    expect(server.received).toEqual([]);
    expect(await client.get("/domains/1")).toEqual({});
  });

  test("a mutating call whose connection is made only after the lease has run out does not leave", async () => {
    const server = await startServer(json(200, {}));
    // The machine stands still while it connects; what the connection tells is then heard before any timer.
    let stoodMs = 0;
    const [dispatcher, pool] = [createDispatcher(), createDispatcher()];
    dispatcher.dispatch = (...request) => {
      stoodMs = 60_000;
      return pool.dispatch(...request);
    };
    const clock = { ...createMovedClock(), now: () => stoodMs };
    const { client } = clientFor(server.url, { clock, dispatcher, deadline: () => 5_000 });
    expect((await failureOf(client.send("POST", "/tags", { label: "a" }))).outcome).toBe("refused");
    expect(server.received).toEqual([]);
  });

  test("a read without an answer ends after its time and leaves no timer", async () => {
    const server = await startServer(silence);
    const { client, clock } = clientFor(server.url);
    const call = failureOf(client.get("/profile"));
    await vi.waitFor(() => expect(server.received).toHaveLength(1));
    await clock.advance(30_000);
    expect((await call).message).toBe("GET /profile got no complete response: no response in time");
    expect(server.received).toHaveLength(1);
    expect(clock.waiting()).toBe(0);
  });

  test("a call that ends while it waits for a connection is refused, and never leaves later", async () => {
    const server = await startServer(silence, json(200, {}));
    const dispatcher = createDispatcher({ connections: 1 });
    const { client, clock } = clientFor(server.url, { dispatcher, timeouts: { readMs: 30_000, writeMs: 5_000 } });
    const reading = failureOf(client.get("/profile"));
    await vi.waitFor(() => expect(server.received).toHaveLength(1));
    const writing = failureOf(client.send("POST", "/tags", { label: "a" }));
    await clock.advance(5_000);
    expect((await writing).outcome).toBe("refused");
    await clock.advance(25_000);
    await reading;
    await settled(clock, client.get("/regions"));
    expect(server.received.map(({ method }) => method)).toEqual(["GET", "GET"]);
  });

  test("the client's signal and the call's signal end a call", async () => {
    const server = await startServer(silence);
    const stop = new AbortController();
    const { client } = clientFor(server.url, { signal: stop.signal });
    const one = new AbortController();
    const ended = failureOf(client.send("POST", "/tags", {}, { signal: one.signal }));
    const both = failureOf(client.send("POST", "/tags", {}));
    await vi.waitFor(() => expect(server.received).toHaveLength(2));
    one.abort();
    expect((await ended).outcome).toBe("ambiguous");
    stop.abort();
    expect((await both).outcome).toBe("ambiguous");
    expect((await failureOf(client.get("/profile"))).outcome).toBe("refused");
  });
});

describe("repeating", () => {
  const unavailable = (headers: Record<string, string> = {}) => json(503, error, headers);
  test.each<[string, "GET" | "POST" | "PUT" | "DELETE", Reply, number, string]>([
    ["GET 500", "GET", json(500, error), 2, "reading twice does no harm"],
    ["GET reset", "GET", (_, socket) => socket.resetAndDestroy(), 2, "reading twice does no harm"],
    ["GET HTML", "GET", html, 2, "a gateway spoke"],
    ["GET 429", "GET", json(429, error, { "retry-after": "1" }), 2, "after the time the cloud asks for"],
    ["GET 429 for long", "GET", json(429, error, { "retry-after": "60" }), 1, "long waits are the queue's"],
    ["GET 400", "GET", json(400, error), 1, "it will say so again"],
    ["POST 429", "POST", json(429, error, { "retry-after": "1" }), 1, "a POST is never repeated"],
    ["POST 503", "POST", unavailable({ "retry-after": "1" }), 1, "a POST is never repeated"],
    ["PUT 429", "PUT", json(429, error, { "retry-after": "1" }), 2, "it was not applied"],
    ["DELETE 503 with Retry-After", "DELETE", unavailable({ "retry-after": "1" }), 2, "the cloud asks for it"],
    ["DELETE 503", "DELETE", unavailable(), 1, "it may have been applied"],
    ["PUT reset", "PUT", (_, socket) => socket.resetAndDestroy(), 1, "it may have been applied"],
  ])("%s", async (_, method, first, requests) => {
    const server = await startServer(first, json(200, {}));
    const { client, clock } = clientFor(server.url);
    const call = method === "GET" ? client.get("/domains/1") : client.send(method, "/domains/1", {});
    await settled(clock, call).catch(() => undefined);
    expect(server.received).toHaveLength(requests);
  });

  test("ends after three requests with the last error", async () => {
    const server = await startServer(json(500, error));
    const { client, clock } = clientFor(server.url);
    const failure = await failureOf(settled(clock, client.get("/profile")));
    expect([failure.status, server.received.length]).toEqual([500, 3]);
  });

  test("a long Retry-After is told to the caller", async () => {
    const server = await startServer(json(429, error, { "retry-after": "60" }));
    const { client } = clientFor(server.url);
    expect((await failureOf(client.get("/profile"))).retryAfterMs).toBe(60_000);
  });

  test("calls of a limited operation are then held back without being sent", async () => {
    const server = await startServer(json(429, error, { "retry-after": "60" }), json(200, {}));
    const held: string[] = [];
    const { client, clock } = clientFor(server.url, { onHeldBack: (operation) => held.push(operation) });
    await failureOf(client.get("/profile"));
    await clock.advance(20_000);
    const failure = await failureOf(client.get("/profile"));
    expect([failure.status, failure.outcome, failure.retryAfterMs]).toEqual([429, "refused", 40_000]);
    expect(server.received).toHaveLength(1);
    expect(held).toEqual(["GET /profile"]);
    await clock.advance(40_000);
    expect(await client.get("/profile")).toEqual({});
  });
});

describe("no header stops an operation for good", () => {
  const hour = 3_600_000;
  const limited = (reset: number) => ({
    "x-ratelimit-limit": "800",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(reset),
  });

  test.each([
    ["a reset in milliseconds", 1_795_000_000_000],
    ["a reset in ten years", 2_110_000_000],
    ["a reset without end", Number.MAX_VALUE],
  ])("%s says nothing", async (_, reset) => {
    const date = "Sun, 22 Nov 2026 10:00:00 GMT";
    const server = await startServer(json(200, {}, { date, ...limited(reset) }), json(200, {}, { date }));
    const { client } = clientFor(server.url);
    await client.get("/profile");
    expect(await client.get("/profile")).toEqual({});
    expect(server.received).toHaveLength(2);
  });

  test.each([
    ["of a year", { "retry-after": "31536000" }],
    ["of more digits than a number has", { "retry-after": "9".repeat(400) }],
    ["of a far date", { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT", date: "Sun, 22 Nov 2026 10:00:00 GMT" }],
  ])("a Retry-After %s is one of an hour", async (_, headers) => {
    const server = await startServer(json(429, error, headers), json(200, {}));
    const { client, clock } = clientFor(server.url);
    expect((await failureOf(client.get("/profile"))).retryAfterMs).toBe(hour);
    await clock.advance(hour);
    expect(await client.get("/profile")).toEqual({});
  });
});

describe("what answers tell", () => {
  test("the cloud's time is our own at first, then that of its last answer", async () => {
    const server = await startServer(json(200, {}, { date: "Thu, 01 Jan 2026 00:30:00 GMT" }));
    const { client, clock } = clientFor(server.url);
    expect(client.serverTime()).toEqual(clock.date());
    await client.get("/profile");
    await clock.advance(1_500);
    expect(client.serverTime().toISOString()).toBe("2026-01-01T00:30:01.500Z");
  });
});

/** Says that it goes on, and does so for as long as somebody reads it. */
const endless =
  (status: number, sent: { bytes: number }): Reply =>
  (response, socket) => {
    response.writeHead(status, { "content-type": "application/json" });
    const chunk = "x".repeat(65_536);
    const goOn = (): void => {
      do sent.bytes += chunk.length;
      while (!socket.destroyed && response.write(chunk));
    };
    response.on("drain", goOn);
    goOn();
  };

test.each([
  { status: 500, seen: 500, because: "its status is known, whatever it says" },
  { status: 400, seen: undefined, because: "what is no error of the API has no status" },
  { status: 200, seen: undefined, because: "there is no whole answer" },
])("an answer $status without an end is not read to its end: $because", async ({ status, seen }) => {
  const sent = { bytes: 0 };
  const { url } = await startServer(endless(status, sent));
  const { clock, client } = clientFor(url);
  const error = await failureOf(settled(clock, client.send("POST", "/domains", {})));
  expect(error.status).toBe(seen);
  expect(error.outcome).toBe("ambiguous");
  // Some of it is on its way when nobody reads on.
  expect(sent.bytes).toBeLessThan(32 * 1024 * 1024);
});
