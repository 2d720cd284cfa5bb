import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { running } from "../running.ts";
import type { Running } from "../running.ts";
import { bucket, plainUrl, put, signed } from "./bucket.ts";

interface Contents {
  data: { name: string }[];
  next_marker: string | null;
  is_truncated: boolean;
}

async function contents(simulator: Running, path: string, query: Record<string, string> = {}): Promise<Contents> {
  const answer = await simulator.ok("GET", `${path}/object-list?${new URLSearchParams(query).toString()}`);
  return answer as unknown as Contents;
}

const names = ({ data }: Contents): string[] => data.map(({ name }) => name);

test("an object in the list says what it is, with a zone in its time", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  await put(simulator, path, "a", "hello");
  expect((await contents(simulator, path)).data).toEqual([
    {
      name: "a",
      etag: "5d41402abc4b2a76b9719d911017c592",
      last_modified: "2026-01-01T00:00:00Z",
      owner: "demo",
      size: 5,
    },
  ]);
});

test("part 3 section 4.1: pages go on from the marker, which is the last name of the page before", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  const all = Array.from({ length: 30 }, (_, index) => `o${String(index).padStart(2, "0")}`);
  for (const name of all.toReversed()) await put(simulator, path, name);
  const first = await contents(simulator, path, { page_size: "25" });
  expect([first.is_truncated, first.next_marker, names(first)]).toEqual([true, "o24", all.slice(0, 25)]);
  const second = await contents(simulator, path, { page_size: "25", marker: "o24" });
  expect([second.is_truncated, second.next_marker, names(second)]).toEqual([false, null, all.slice(25)]);
});

test("part 3 section 4.1: delimiter and prefix make folders, which have only a name", async () => {
  const simulator = await running();
  const path = await bucket(simulator);
  for (const name of ["b/1", "a.txt", "b/2", "b/c/3", "d"]) await put(simulator, path, name);
  const top = await contents(simulator, path, { delimiter: "/" });
  expect(names(top)).toEqual(["a.txt", "b/", "d"]);
  expect(top.data[1]).toEqual({ name: "b/" });
  expect(names(await contents(simulator, path, { delimiter: "/", prefix: "b/" }))).toEqual(["b/1", "b/2", "b/c/"]);
  expect(names(await contents(simulator, path, { prefix: "b/" }))).toEqual(["b/1", "b/2", "b/c/3"]);
  expect(names(await contents(simulator, path, { delimiter: "/", marker: "b/" }))).toEqual(["d"]);
});

test.each(["24", "501", "many"])("part 3 section 8: a page of %s entries is refused", async (page_size) => {
  const simulator = await running();
  const path = await bucket(simulator);
  expect((await simulator.call("GET", `${path}/object-list?page_size=${page_size}`)).status).toBe(400);
});

test("objects and signed URLs survive a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "simulator-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = join(folder, "state.db");
  const first = await running({ database });
  const path = await bucket(first);
  await put(first, path, "a", "still here");
  const url = new URL(await signed(first, path, { method: "GET", name: "a" }));
  await first.close();
  const second = await running({ database });
  const read = await fetch(`${second.url}${url.pathname}${url.search}`);
  expect([read.status, await read.text()]).toEqual([200, "still here"]);
});

test("a bucket is also reached by its host name", async () => {
  const simulator = await running();
  await put(simulator, await bucket(simulator, { acl: "public-read" }), "folder/a", "by host");
  const { port } = new URL(simulator.url);
  const headers = { Host: "media.us-east-1.objects.example.com" };
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path: "/folder/a", headers }, (response) => {
      response.setEncoding("utf8");
      response.on("data", resolve);
    });
    asked.on("error", reject).end();
  });
  expect(text).toBe("by host");
});

test("a bucket or object that is not there is a 404 of the bucket protocol", async () => {
  const simulator = await running();
  expect(await (await fetch(plainUrl(simulator, "a"))).text()).toContain("<Code>NoSuchBucket</Code>");
  await bucket(simulator, { acl: "public-read" });
  const missing = await fetch(plainUrl(simulator, "a"));
  expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining("<Code>NoSuchKey</Code>")]);
});

test.each([
  { name: "", status: 405, code: "MethodNotAllowed", why: "no name" },
  { name: "x".repeat(1025), status: 400, code: "KeyTooLongError", why: "a name of more than 1024 bytes" },
])("nobody stores an object with $why", async ({ name, status, code }) => {
  const simulator = await running();
  const path = await bucket(simulator, { acl: "public-read-write" });
  const reply = await fetch(plainUrl(simulator, name), { method: "PUT", body: "a" });
  expect([reply.status, await reply.text()]).toEqual([status, expect.stringContaining(`<Code>${code}</Code>`)]);
  expect((await simulator.ok("GET", `${path}/object-list`))["data"]).toEqual([]);
});

test("the transfer counts what went out this month", async () => {
  const simulator = await running();
  await put(simulator, await bucket(simulator, { acl: "public-read" }), "a", "hello");
  expect(await simulator.ok("GET", "/object-storage/transfer")).toEqual({ used: 0 });
  for (let times = 0; times < 3; times += 1) await (await fetch(plainUrl(simulator, "a"))).text();
  expect(await simulator.ok("GET", "/object-storage/transfer")).toEqual({ used: 15 });
  await simulator.clock.advance(31 * 86_400_000);
  expect(await simulator.ok("GET", "/object-storage/transfer")).toEqual({ used: 0 });
});

test("part 3 section 4.1: cancelling removes all buckets and contents", async () => {
  const simulator = await running();
  await put(simulator, await bucket(simulator), "a");
  expect(await simulator.ok("POST", "/object-storage/cancel")).toEqual({});
  expect((await simulator.ok("GET", "/object-storage/buckets"))["results"]).toBe(0);
  expect(simulator.control.rows("object")).toEqual([]);
});
