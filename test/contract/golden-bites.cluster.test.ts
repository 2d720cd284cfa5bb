import { expect, vi } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import type { Call } from "../../src/core/kind/call.ts";
import type * as settings from "../../src/kinds/compute/instance-settings.ts";
import { contractTest } from "./support/contract-test.ts";
import { expectGolden, goldenFile, recordRequests } from "./support/golden.ts";
import { stageOf } from "./support/stage.ts";
import { everyExample } from "./support/subjects.ts";

/** The kind with `network_in` and `network_out` exchanged, in what it reads and in what it sends. */
vi.mock(import("../../src/kinds/compute/instance-settings.ts"), async (original) => {
  const real = await original();
  return { ...real, alertCalls: (...args) => exchangedCalls(real.alertCalls, ...args) };
});

type AlertCalls = typeof settings.alertCalls;

function exchangedCalls(alertCalls: AlertCalls, ...[live]: Parameters<AlertCalls>): Call[] {
  const seen = { ...live.wire, alerts: live.wire.alerts && exchanged(live.wire.alerts) };
  return alertCalls({ ...live, wire: seen }).map((call) =>
    Object.assign({}, call, { body: { alerts: exchanged(call.body?.["alerts"] as JsonObject) } }),
  );
}

function exchanged<T extends { network_in?: unknown; network_out?: unknown }>(alerts: T): T {
  return { ...alerts, network_in: alerts.network_out, network_out: alerts.network_in };
}

contractTest(
  "a mapping that exchanges two fields in both directions agrees with itself, and differs from what was reviewed",
  async ({ world }) => {
    const subject = everyExample.find(({ title }) => title === "ComputeInstance worker");
    if (!subject) throw new Error("the example has another name now");
    const recorded = await recordRequests(stageOf(world, subject));
    vi.stubEnv("UPDATE_GOLDEN", "");
    expect(recorded).toContain('"network_in": 20');
    expect(() => expectGolden(goldenFile(subject), recorded)).toThrow("worker.http");
  },
);
