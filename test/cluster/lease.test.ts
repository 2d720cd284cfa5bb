import { beforeEach, describe, expect, it } from "vitest";
import { KubeError } from "../../src/cluster/errors.ts";
import { createLeadership } from "../../src/cluster/lease.ts";
import type { Leadership } from "../../src/cluster/types.ts";
import { seededRandom } from "../support/chance.ts";
import { createMovedClock } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { createFakeClient } from "./fake-client.ts";
import type { FakeClient } from "./fake-client.ts";
import { createLog } from "./support.ts";

const key = "leases/system/operator";
const longestCallMs = 30_000;
let clock: MovedClock;
let server: FakeClient;

beforeEach(() => {
  clock = createMovedClock();
  server = createFakeClient();
});

interface Candidate extends Leadership {
  acted: boolean;
  /** False: its calls reach nobody. */
  connected: boolean;
}

/** A process that wants the lease, with a connection of its own. */
function candidate(
  identity: string,
  given: { leaseSeconds?: number; holderRuns?: () => boolean; onChange?: () => void } = {},
): Candidate {
  const check = () => {
    if (!own.connected) throw new KubeError("unreachable", { reason: "ConnectionFailed" });
  };
  const client = {
    ...server,
    get: (...call: Parameters<FakeClient["get"]>) => (check(), server.get(...call)),
    patch: (...call: Parameters<FakeClient["patch"]>) => (check(), server.patch(...call)),
    create: (...call: Parameters<FakeClient["create"]>) => (check(), server.create(...call)),
  };
  for (const name of ["get", "patch", "create"] as const) {
    const call = client[name] as (...given: never[]) => Promise<unknown>;
    Object.assign(client, { [name]: async (...given: never[]) => call(...given) });
  }
  const named = { namespace: "system", name: "operator", identity, longestCallMs, ...given };
  const options = { client, clock, log: createLog(), ...named };
  const own: Candidate = Object.assign(createLeadership(options), { acted: false, connected: true });
  void own.acquired.then(() => (own.acted = true));
  return own;
}

const spec = () => server.objects.get(key)?.spec as Record<string, unknown>;
const leads = (one: Candidate) => one.acted && !one.lost.aborted && clock.now() < one.deadline();

describe("taking the lease", () => {
  it("begins at once where there is no lease, with client-go's fields", async () => {
    const first = candidate("first");
    expect(first.deadline()).toBe(-Infinity);
    await clock.advance(0);
    expect(first.acted).toBe(true);
    expect(spec()).toEqual({
      holderIdentity: "first",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
    });
    expect(first.deadline()).toBe(clock.now() + 15_000);
  });

  it("tells whether another one may have led meanwhile", async () => {
    const first = candidate("first");
    const second = candidate("second");
    await clock.advance(4_000);
    expect([first.acted, second.acted]).toEqual([true, false]);
    await first.release();
    await clock.advance(4_000);
    const later = candidate("later");
    await clock.advance(0);
    await second.release();
    await clock.advance(4_000);
    expect([first, second, later].map((one) => [one.acted, one.tookOver()])).toEqual([
      [true, false],
      [true, true],
      [true, true],
    ]);
    await later.release();
    const alone = candidate("alone");
    await clock.advance(0);
    expect([alone.acted, alone.tookOver()]).toEqual([true, false]);
  });

  it("renews every two seconds, and each renewal moves the deadline on", async () => {
    const first = candidate("first");
    await clock.advance(2_000);
    expect(spec()["renewTime"]).toBe("2026-01-01T00:00:02.000000Z");
    expect(first.deadline()).toBe(clock.now() + 15_000);
  });

  it("of thirty seconds renews every five, and others wait for thirty", async () => {
    const first = candidate("first", { leaseSeconds: 30 });
    await clock.advance(0);
    expect(spec()["leaseDurationSeconds"]).toBe(30);
    expect(first.deadline()).toBe(clock.now() + 30_000);
    await clock.advance(4_999);
    expect(spec()["renewTime"]).toBe("2026-01-01T00:00:00.000000Z");
    await clock.advance(1);
    expect(spec()["renewTime"]).toBe("2026-01-01T00:00:05.000000Z");
    first.connected = false;
    const second = candidate("second");
    await clock.advance(29_000);
    expect([leads(first), spec()["holderIdentity"]]).toEqual([false, "first"]);
    await clock.advance(3_000 + longestCallMs);
    expect(leads(second)).toBe(true);
  });

  it("waits out a holder that died, and then the longest call it may have left behind", async () => {
    const first = candidate("first");
    await clock.advance(1_000);
    const second = candidate("second");
    await clock.advance(1_000);
    first.connected = false;
    const died = clock.now();
    await clock.advance(14_000);
    expect(spec()["holderIdentity"]).toBe("first");
    await clock.advance(5_000);
    expect(spec()).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
    expect(second.acted).toBe(false);
    expect(second.deadline()).toBe(-Infinity);
    await clock.advance(longestCallMs);
    expect(second.acted).toBe(true);
    expect(clock.now() - died).toBeLessThan(15_000 + 5_000 + longestCallMs + 1);
    expect(second.epoch()).not.toBe(first.epoch());
  });

  it("judges by its own clock, whatever the holder's wall clock says", async () => {
    const first = candidate("first");
    await clock.advance(0);
    const lease = server.objects.get(key);
    if (lease?.spec !== undefined) lease.spec["renewTime"] = "1999-01-01T00:00:00.000000Z";
    const second = candidate("second");
    await clock.advance(60_000);
    expect(leads(first)).toBe(true);
    expect(second.acted).toBe(false);
  });

  it("takes a lease under its own name, left by a forerunner, for another's", async () => {
    const first = candidate("same");
    await clock.advance(0);
    first.connected = false;
    const second = candidate("same");
    await clock.advance(14_000);
    expect(second.acted).toBe(false);
    await clock.advance(4_000 + longestCallMs);
    expect(second.acted).toBe(true);
  });

  it("goes on trying when two take it at once and one loses", async () => {
    const both = [candidate("one"), candidate("two")];
    await clock.advance(10_000);
    expect(both.filter(leads)).toHaveLength(1);
    expect(both.some((one) => one.lost.aborted)).toBe(false);
  });
});

describe("losing the lease", () => {
  it("is certain ten seconds after the last renewal, before anybody else can have it", async () => {
    const first = candidate("first");
    await clock.advance(4_000);
    first.connected = false;
    await clock.advance(9_999);
    expect(first.lost.aborted).toBe(false);
    await clock.advance(1);
    expect(first.lost.aborted).toBe(true);
    expect(first.deadline()).toBe(-Infinity);
  });

  it("comes at once when another holds it or it is deleted", async () => {
    const first = candidate("first");
    await clock.advance(0);
    server.objects.delete(key);
    await clock.advance(2_000);
    expect(first.lost.aborted).toBe(true);
    const second = candidate("second");
    await clock.advance(0);
    const lease = server.objects.get(key);
    if (lease?.spec === undefined) throw new Error("no lease");
    lease.spec["holderIdentity"] = "usurper";
    lease.metadata.resourceVersion = "9999";
    await clock.advance(2_000);
    expect(second.lost.aborted).toBe(true);
  });

  it("does not come of a renewal that hangs for ever without being noticed", async () => {
    const first = candidate("first");
    await clock.advance(0);
    server.before = () => new Promise<void>(() => undefined);
    await clock.advance(12_000);
    expect(first.lost.aborted).toBe(true);
  });

  it.each([
    { reason: "one renewal fails", after: () => undefined, before: refuseOnce() },
    { reason: "the answer of a renewal is lost", after: refuseOnce(), before: () => undefined },
    { reason: "somebody labels the lease", after: () => undefined, before: () => label() },
  ])("does not happen when $reason", async ({ before, after }) => {
    const first = candidate("first");
    await clock.advance(0);
    server.before = before;
    server.after = after;
    await clock.advance(60_000);
    expect(leads(first)).toBe(true);
  });

  it("shows at once to a process that was stopped for a while, before any timer has run", async () => {
    const now = clock.now.bind(clock);
    let stoppedFor = 0;
    clock.now = () => now() + stoppedFor;
    const first = candidate("first");
    await clock.advance(0);
    expect(leads(first)).toBe(true);
    stoppedFor = 15_000;
    expect(leads(first)).toBe(false);
  });
});

describe("giving the lease back", () => {
  it("ends what may be recorded when the next one may begin, and at once where the lease was returned", async () => {
    const first = candidate("first");
    expect(first.recordsUntil()).toBe(Infinity);
    await clock.advance(0);
    const taken = clock.now();
    first.connected = false;
    const second = candidate("second");
    await clock.advance(12_000);
    expect(first.lost.aborted).toBe(true);
    expect(first.recordsUntil()).toBe(taken + 15_000 + longestCallMs);
    while (clock.now() < first.recordsUntil()) {
      expect(second.acted).toBe(false);
      await clock.advance(500);
    }
    await clock.advance(10_000);
    expect(second.acted).toBe(true);
    await second.release();
    expect(second.recordsUntil()).toBe(-Infinity);
  });

  it("lets the next begin without waiting", async () => {
    const first = candidate("first");
    const second = candidate("second");
    await clock.advance(3_000);
    await first.release();
    expect(spec()).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(first.deadline()).toBe(-Infinity);
    await clock.advance(2_000);
    expect(second.acted).toBe(true);
    expect(spec()).toMatchObject({ holderIdentity: "second", leaseDurationSeconds: 15, leaseTransitions: 1 });
  });

  it("is left undone while the former holder's calls may still run", async () => {
    const first = candidate("first");
    await clock.advance(0);
    first.connected = false;
    const second = candidate("second");
    await clock.advance(20_000);
    await second.release();
    expect(spec()["holderIdentity"]).toBe("second");
    expect(second.acted).toBe(false);
  });
});

it.each([1, 2, 3, 4, 5])("never are there two leaders, whatever breaks (seed %i)", async (seed) => {
  const random = seededRandom(seed);
  const all = ["a", "b", "c"].map((identity) => candidate(identity));
  let terms = 0;
  for (let step = 0; step < 600; step++) {
    const one = all[Math.floor(random() * all.length)];
    if (one !== undefined && random() < 0.1) one.connected = !one.connected;
    if (one !== undefined && random() < 0.01) await one.release();
    await clock.advance(Math.floor(random() * 3_000));
    expect(all.filter(leads).length).toBeLessThanOrEqual(1);
    all.forEach((each, index) => {
      if (each.lost.aborted) all[index] = candidate(`${index}-${terms++}`);
    });
  }
  expect(terms).toBeGreaterThan(0);
});

function refuseOnce(): () => void {
  let left = 1;
  return () => {
    if (left-- > 0) throw new KubeError("lost", { reason: "ConnectionFailed" });
  };
}

function label(): void {
  const lease = server.objects.get(key);
  if (lease === undefined || lease.metadata.labels !== undefined) return;
  lease.metadata.labels = { touched: "yes" };
  lease.metadata.resourceVersion += "1";
}

describe("a holder whose work runs in another thread", () => {
  it("does not renew the lease for work that has hung, and loses the lease", async () => {
    let runs = true;
    const first = candidate("first", { holderRuns: () => runs });
    await clock.advance(20_000);
    expect(leads(first)).toBe(true);
    const renewed = spec()["renewTime"];
    runs = false;
    await clock.advance(2_000);
    expect(first.lost.aborted).toBe(true);
    expect(first.deadline()).toBe(-Infinity);
    expect(spec()["renewTime"]).toBe(renewed);
  });

  it("hears of each change of its deadline", async () => {
    const deadlines: number[] = [];
    const first = candidate("first", { onChange: () => deadlines.push(first.deadline()) });
    await clock.advance(4_000);
    await first.release();
    const began = clock.now() - 4_000;
    const finite = [...new Set(deadlines.filter((deadline) => Number.isFinite(deadline)))];
    expect(finite).toEqual([began, began + 2_000, began + 4_000].map((at) => at + 15_000));
    expect(deadlines.at(-1)).toBe(-Infinity);
  });
});
