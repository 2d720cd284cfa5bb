import { connect } from "node:net";
import { PassThrough } from "node:stream";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { ARRIVAL, answerBroken } from "../../../../src/simulator/server/http/broken-requests.ts";
import { running } from "../../running.ts";
import type { Running } from "../../running.ts";

/** Everything that is answered to these bytes before the connection ends. */
function exchange(simulator: Running, ...chunks: readonly (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(simulator.url);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => {
      for (const chunk of chunks) socket.write(chunk);
    });
    socket.on("data", (data: Buffer) => (answer += data.toString("latin1")));
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}

const HEAD = "Host: api\r\nAuthorization: Bearer demo-token\r\nConnection: close\r\n";
const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\n${HEAD}${more}\r\n`;
const put = (body: string | Buffer, more = "") =>
  Buffer.concat([
    Buffer.from(`PUT /v4/profile HTTP/1.1\r\n${HEAD}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ]);
const longHeader = [`GET /v4/profile HTTP/1.1\r\nX-Long: `, Buffer.alloc(10_000_000, "a"), "\r\n\r\n"];

test.each([
  { bytes: longHeader, status: 431, why: "a header of 10 MB" },
  { bytes: [get(`/v4/${"a".repeat(100_000)}`)], status: 431, why: "a path of 100 kB" },
  { bytes: ["hello\r\n\r\n"], status: 400, why: "what is no HTTP" },
  { bytes: [get("/v4/profile", "X-Filter: a\0b\r\n")], status: 400, why: "a NUL byte in a header" },
  { bytes: [`CONNECT api:443 HTTP/1.1\r\n${HEAD}\r\n`], status: 405, why: "CONNECT" },
  { bytes: [put("{}", "Expect: a-miracle\r\n")], status: 417, why: "an expectation that nobody knows" },
  { bytes: [put("{}", "Transfer-Encoding: chunked\r\n")], status: 400, why: "two ways to tell the length" },
  { bytes: [put("{}", "Content-Length: 3\r\n")], status: 400, why: "two lengths" },
  { bytes: [get("/v4/tags/%")], status: 400, why: "a lone per cent sign in the path" },
  { bytes: [get("/v4/tags/%ff")], status: 400, why: "an escape that is no UTF-8" },
  { bytes: [get(`/v4/tags/${"a".repeat(2000)}`)], status: 404, why: "a path parameter that is too long" },
  { bytes: [get("/v4/tags?page=%zz")], status: 400, why: "a broken escape in the query" },
  { bytes: [put(Buffer.from('{"timezone":"\xff"}', "latin1"))], status: 400, why: "a body that is no UTF-8" },
  { bytes: [put('{"timezone":"\\ud800"}')], status: 400, why: "half of a surrogate pair" },
  { bytes: [put('{"timezone":"UTC","timezone":"Nowhere"}')], status: 400, why: "of a key given twice, the last" },
  { bytes: [`OPTIONS /v4/profile HTTP/1.1\r\n${HEAD}\r\n`], status: 405, why: "OPTIONS" },
  { bytes: [`PROPFIND /v4/profile HTTP/1.1\r\n${HEAD}\r\n`], status: 404, why: "a method that no path has" },
])("$why is answered with $status in the documented shape, and the service goes on", async ({ bytes, status }) => {
  const simulator = await running();
  const [head = "", body = ""] = (await exchange(simulator, ...bytes)).split("\r\n\r\n");
  expect(head.split("\r\n")[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head.split("\r\n")).toContain("Content-Type: application/json");
  expect(JSON.parse(body)).toEqual({
    errors: [expect.objectContaining({ reason: expect.stringMatching(/\w/) as string })],
  });
  expect(body).not.toMatch(/node_modules|\bat \w+ \(/);
  expect((await simulator.call("GET", "/profile")).status).toBe(200);
});

test.each([
  { bytes: "GET /v4/profile HTTP/1.0\r\nAuthorization: Bearer demo-token\r\n\r\n", why: "HTTP/1.0" },
  { bytes: get("/v4/profile").replace("Host: api\r\n", ""), why: "no Host" },
  { bytes: get("http://api.example/v4/profile"), why: "the whole URL, as for a proxy" },
  { bytes: put("{}", "Expect: 100-continue\r\n"), why: "Expect: 100-continue" },
])("a request with $why is served", async ({ bytes }) => {
  const simulator = await running();
  expect(await exchange(simulator, bytes)).toContain("HTTP/1.1 200 OK");
});

test("HEAD is refused without a body", async () => {
  const simulator = await running();
  const answer = await exchange(simulator, `HEAD /v4/profile HTTP/1.1\r\n${HEAD}\r\n`);
  expect(answer).toMatch(/^HTTP\/1.1 405 .*\r\n\r\n$/s);
});

test("a body nested 60,000 levels deep is refused wherever it is kept as it came", async () => {
  const simulator = await running({ brandWord: "acme" });
  const deep = `${'{"a":'.repeat(60_000)}1${"}".repeat(60_000)}`;
  for (const path of ["/profile/preferences", "/profile"]) {
    const { status, body } = await simulator.call("PUT", path, deep);
    expect([status, body]).toEqual([400, { errors: [{ reason: "JSON may be nested 64 levels deep at most" }] }]);
  }
});

test("a filter in UTF-8 finds what is so called", async () => {
  const simulator = await running();
  const created = { domain: "example.org", type: "master", soa_email: "a@example.org", group: "größe" };
  await simulator.ok("POST", "/domains", created);
  const answer = await exchange(simulator, get("/v4/domains", 'X-Filter: {"group": "größe"}\r\n'));
  expect(answer).toContain('"results":1');
});

test("a request that does not arrive in time is answered with 408, and its connection ends", async () => {
  expect(ARRIVAL).toEqual({ requestTimeout: 300_000, headersTimeout: 60_000 });
  const socket = new PassThrough();
  const answer = new Promise<string>((resolve) => {
    let text = "";
    socket.end = ((last: string) => {
      text += last;
      resolve(text);
      return socket.destroy();
    }) as typeof socket.end;
  });
  answerBroken(Object.assign(new Error("slow"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket as unknown as Socket);
  expect(await answer).toMatch(/^HTTP\/1.1 408 .*The request did not arrive in time/s);
});
