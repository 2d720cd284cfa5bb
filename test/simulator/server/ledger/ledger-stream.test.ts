import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LedgerEntry } from "../../../../src/simulator/server/ledger/ledger.ts";
import { running } from "../../running.ts";
import type { Running } from "../../running.ts";

interface Follower {
  /** The next so many lines. */
  next(count: number): Promise<LedgerEntry[]>;
  /** True once the stream has ended. */
  ended(): Promise<boolean>;
  leave(): void;
}

async function follow(simulator: Running, query = ""): Promise<Follower> {
  const gone = new AbortController();
  const response = await fetch(`${simulator.url}/_simulator/ledger?follow=true${query}`, {
    headers: { Authorization: `Bearer ${simulator.controlToken}` },
    signal: gone.signal,
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  const lines = linesOf(response);
  return {
    async next(count) {
      const entries: LedgerEntry[] = [];
      while (entries.length < count) {
        const { value, done } = await lines.next();
        if (done) throw new Error("the stream ended");
        entries.push(JSON.parse(value) as LedgerEntry);
      }
      return entries;
    },
    ended: async () => (await lines.next()).done === true,
    leave: () => gone.abort(),
  };
}

async function* linesOf(response: Response): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const part of (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}

test("the ledger is followed: what is there, what comes, and when its answer has left", async () => {
  const simulator = await running();
  await simulator.call("GET", "/profile");
  await expect.poll(() => simulator.control.ledger()[0]?.repliedAt).not.toBeNull();
  const follower = await follow(simulator);
  expect(await follower.next(1)).toMatchObject([{ id: 1, path: "/v4/profile" }]);
  simulator.control.faults.add({ kind: "slow-answer", ms: 1_000, times: 1 });
  const reply = simulator.call("PUT", "/profile", { timezone: "UTC" });
  expect(await follower.next(1)).toMatchObject([{ id: 2, status: 200, repliedAt: null }]);
  await simulator.clock.advance(1_000);
  expect((await reply).status).toBe(200);
  expect(await follower.next(1)).toMatchObject([{ id: 2, status: 200, repliedAt: expect.any(Number) }]);
  follower.leave();
});

test("a follower asks for some: mutating requests after an id, up to a limit", async () => {
  const simulator = await running();
  for (const method of ["PUT", "GET", "PUT", "PUT"])
    await simulator.call(method, "/profile", method === "PUT" ? {} : undefined);
  const follower = await follow(simulator, "&mutating=true&sinceId=1&limit=2");
  const entries = await follower.next(2);
  expect(entries.map(({ id }) => id)).toEqual([3, 4]);
  expect(await follower.ended()).toBe(true);
});

test("a request that is never answered has a single line", async () => {
  const simulator = await running();
  const follower = await follow(simulator);
  simulator.control.faults.add({ kind: "reset-after", times: 1 });
  await expect(simulator.call("GET", "/profile")).rejects.toThrow("fetch failed");
  await simulator.call("GET", "/regions");
  const [lost, next] = await follower.next(2);
  expect([lost, next]).toMatchObject([{ id: 1, status: 200, repliedAt: null }, { id: 2 }]);
});

test("a refused request that left no trace in the rows is told once, as refused", async () => {
  const simulator = await running();
  const follower = await follow(simulator, "&status=400");
  await simulator.call("PUT", "/profile", { timezone: "Nowhere" });
  expect(await follower.next(1)).toMatchObject([{ status: 400, appliedAt: null, changes: [] }]);
});

test("more entries than are read at once all come, in their order", async () => {
  const simulator = await running();
  const count = 1_100;
  for (let index = 0; index < count; index += 50)
    await Promise.all(Array.from({ length: 50 }, () => simulator.call("GET", "/nowhere")));
  const ids = (await (await follow(simulator, `&limit=${count}`)).next(count)).map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

test("followers are sent away when the simulator ends", async () => {
  const simulator = await running();
  const follower = await follow(simulator);
  await simulator.close();
  expect(await follower.ended()).toBe(true);
});

test("entries are filtered by status, fault, and the name of an operation", async () => {
  const simulator = await running();
  simulator.control.faults.add({ kind: "html", times: 1 });
  await simulator.call("GET", "/profile");
  await simulator.call("GET", "/profile");
  await simulator.call("PUT", "/profile", {});
  const count = (query: object) => simulator.control.ledger(query).length;
  expect([count({ status: 502 }), count({ fault: "html" }), count({ operation: "GET /profile" })]).toEqual([1, 1, 2]);
  expect([count({ operation: "/profile" }), count({ operation: "PUT /profile" })]).toEqual([3, 1]);
});

test("the ledger goes on in the same file after a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ledger-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = join(folder, "cloud.db");
  const first = await running({ database });
  await first.call("GET", "/profile");
  await first.close();
  const second = await running({ database });
  await second.call("GET", "/regions");
  expect(second.control.ledger().map(({ id, path }) => [id, path])).toEqual([
    [1, "/v4/profile"],
    [2, "/v4/regions"],
  ]);
});
