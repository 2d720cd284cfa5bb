/** Large responses are received one at a time, and those that are not wanted any more keep nobody waiting. */
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { CloudClient } from "../../src/api/types.ts";
import { createBody, largeBytes, largeNow, turnMs } from "../../src/api/body.ts";
import { createMovedClock } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { clientFor, startServer } from "./server.ts";

const rows = Array.from({ length: 10 }, (_, id) => ({ id: id + 1, label: "x".repeat(largeBytes / 10 + 10_000) }));
const body = JSON.stringify({ data: rows, page: 1, pages: 1, results: rows.length });

interface Asked {
  client: CloudClient;
  clock: MovedClock;
  responses: ServerResponse[];
  /** Numbers of those that have ended, in this order; of those that failed as text. */
  ended: (number | string)[];
  aborts: AbortController[];
}

/** So many are on their way: all but the last byte of each was sent. */
async function ask(count: number): Promise<Asked> {
  const responses: ServerResponse[] = [];
  const server = await startServer((response, _socket, { path }) => {
    response.writeHead(200, { "content-type": "application/json" });
    if (path.endsWith("/profile")) return response.end("{}");
    response.write(body.slice(0, -1));
    responses.push(response);
  });
  const { client, clock } = clientFor(server.url);
  const ended: (number | string)[] = [];
  const aborts = Array.from({ length: count }, () => new AbortController());
  for (const [index, { signal }] of aborts.entries()) {
    client.list(`/domains/${index}/records`, { signal }).then(
      () => ended.push(index),
      () => ended.push(`failed ${index}`),
    );
    // In this order they are known to be large.
    await expect.poll(largeNow).toBe(index + 1);
  }
  return { client, clock, responses, ended, aborts };
}

const end = ({ responses }: Asked, index: number): void => void responses[index]?.end(body.at(-1));

test("the second one is received when the first has ended, and a short one at once", async () => {
  const asked = await ask(2);
  end(asked, 1);
  await asked.client.get("/profile");
  expect(asked.ended).toEqual([]);
  end(asked, 0);
  await expect.poll(() => asked.ended).toEqual([0, 1]);
});

test.each(["given up", "lost"])("one that is %s leaves its turn to the next", async (how) => {
  const asked = await ask(4);
  asked.aborts[1]?.abort();
  await expect.poll(() => asked.ended).toEqual(["failed 1"]);
  end(asked, 2);
  end(asked, 3);
  if (how === "lost") asked.responses[0]?.destroy();
  else asked.aborts[0]?.abort();
  await expect.poll(() => asked.ended.filter(Number.isInteger)).toEqual([2, 3]);
});

/** Turn by turn. */
const afterTurns = (asked: Asked) =>
  expect.poll(async () => {
    await asked.clock.advance(turnMs);
    return asked.ended;
  });

test("one that stops half-way keeps the next waiting for its turn alone, and is received when it goes on", async () => {
  const asked = await ask(3);
  end(asked, 1);
  end(asked, 2);
  await afterTurns(asked).toEqual([1, 2]);
  end(asked, 0);
  await afterTurns(asked).toEqual([1, 2, 0]);
});

test("several that stop half-way take turns with one that comes", async () => {
  const asked = await ask(4);
  end(asked, 3);
  await afterTurns(asked).toEqual([3]);
  for (const index of [0, 1, 2]) end(asked, index);
  await afterTurns(asked).toHaveLength(4);
});

test("of ten that take two seconds each no more than one and its next are held at once", async () => {
  const clock = createMovedClock();
  const [chunk, size] = [new Uint8Array(1024 * 1024), 40];
  const all = Array.from({ length: 10 }, () => ({ body: createBody(clock), got: 0, isPaused: false, isDone: false }));
  let most = 0;
  for (let tick = 0; tick < 2_000 && all.some(({ isDone }) => !isDone); tick += 1) {
    await clock.advance(50);
    for (const one of all.filter(({ isDone, isPaused }) => !isDone && !isPaused)) {
      const flow = { pause: () => void (one.isPaused = true), resume: () => void (one.isPaused = false) };
      one.body.add(flow, chunk, Infinity);
      one.got += 1;
      if (one.got === size) Object.assign(one, { isDone: true, got: 0, end: one.body.end() });
    }
    most = Math.max(
      most,
      all.reduce((sum, { got }) => sum + got, 0),
    );
  }
  expect(all.every(({ isDone }) => isDone)).toBe(true);
  // What is in the line has the 2 MiB and a chunk by which it is known to be large.
  expect(most).toBeLessThanOrEqual(size + 10 * 3);
});
