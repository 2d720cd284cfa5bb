import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ReflectedCache } from "../../src/cluster/cache.ts";
import { createRewindCheck } from "../../src/cluster/rewind.ts";
import type { RewindCheck } from "../../src/cluster/rewind.ts";
import { createMovedClock, settle } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { connectionLost, createFakeTransport, refusal } from "./fake-transport.ts";
import type { FakeTransport } from "./fake-transport.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { createLog } from "./support.ts";

let clock: MovedClock;
let transport: FakeTransport;
let check: RewindCheck;
let heard: string | undefined;
const discard = vi.fn();

beforeEach(() => {
  clock = createMovedClock();
  transport = createFakeTransport();
  discard.mockReset();
  heard = undefined;
  const quiet: Partial<ReflectedCache> = { resource: configMaps, version: () => undefined, discard };
  const busy: Partial<ReflectedCache> = { resource: configMaps, version: () => heard, discard };
  const caches = () => [quiet, busy] as ReflectedCache[];
  check = createRewindCheck({ transport, clock, log: createLog(), resource: configMaps, caches });
});
afterEach(() => check.close());

const answer = (version: number) => {
  transport.answer = () => ({ metadata: { resourceVersion: String(version) }, items: [] });
};

it("lists one object every minute, of no particular version", async () => {
  answer(10);
  await clock.advance(180_000);
  expect(transport.requests.map(({ path }) => path)).toEqual(Array(3).fill("/api/v1/configmaps?limit=1"));
  expect(discard).not.toHaveBeenCalled();
});

it("discards all caches when the version is below one that was listed before", async () => {
  answer(100);
  await check.check();
  answer(99);
  await check.check();
  expect(discard).toHaveBeenCalledTimes(2);
  await check.check();
  expect(discard).toHaveBeenCalledTimes(2);
});

it("discards them when it is below what the watch or a write of any of them brought", async () => {
  heard = "200";
  answer(150);
  await check.check();
  expect(discard).toHaveBeenCalledTimes(2);
});

it("takes what is heard while the list is under way for no sign", async () => {
  heard = "100";
  transport.answer = () => {
    heard = "200";
    return { metadata: { resourceVersion: "150" }, items: [] };
  };
  await check.check();
  expect(discard).not.toHaveBeenCalled();
});

it("discards them when the server says that our version lies in its future", async () => {
  transport.answer = () => {
    throw refusal(504, { reason: "Timeout", causes: ["ResourceVersionTooLarge"] });
  };
  await check.check();
  expect(discard).toHaveBeenCalledTimes(2);
});

it.each([
  { reason: "an outage says nothing about versions", error: connectionLost() },
  { reason: "nor does a plain timeout of the server", error: refusal(504, { reason: "Timeout" }) },
])("keeps everything when the list fails: $reason", async ({ error }) => {
  heard = "100";
  transport.answer = () => {
    throw error;
  };
  await check.check();
  expect(discard).not.toHaveBeenCalled();
});

it("checks again soon after a failure, before new writes hide that versions ran backwards", async () => {
  heard = "200";
  transport.answer = () => {
    throw connectionLost();
  };
  await check.check();
  answer(150);
  await clock.advance(2_000);
  expect(discard).toHaveBeenCalledTimes(2);
});

it("answers many who ask at once by two lists: one under way, and one after it", async () => {
  answer(10);
  await Promise.all(Array.from({ length: 60 }, () => check.check()));
  await settle();
  expect(transport.requests).toHaveLength(2);
});
