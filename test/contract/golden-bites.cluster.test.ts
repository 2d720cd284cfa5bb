import { expect, vi } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import { computeInstance } from "../../src/kinds/compute/compute-instance.ts";
import { contractTest } from "./support/contract-test.ts";
import { expectGolden, goldenFile, recordRequests } from "./support/golden.ts";
import { stageOf } from "./support/stage.ts";
import { everyExample } from "./support/subjects.ts";

/** Exchanges `network_in` and `network_out` in what the kind reads and in what it sends. */
function exchangeAlerts(): void {
  const step = computeInstance.steps?.["alerts"];
  if (!step) throw new Error("the step has another name now");
  const { calls } = step;
  vi.spyOn(step, "calls").mockImplementation((live, read) => {
    const seen = { ...live.wire, alerts: exchanged(live.wire["alerts"] as JsonObject) };
    return calls({ ...live, wire: seen }, read).map((call) =>
      Object.assign({}, call, { body: { alerts: exchanged(call.body?.["alerts"] as JsonObject) } }),
    );
  });
}

function exchanged(alerts: JsonObject): JsonObject {
  return { ...alerts, network_in: alerts["network_out"] ?? null, network_out: alerts["network_in"] ?? null };
}

contractTest(
  "a mapping that exchanges two fields in both directions agrees with itself, and differs from what was reviewed",
  async ({ world }) => {
    const subject = everyExample.find(({ title }) => title === "ComputeInstance worker");
    if (!subject) throw new Error("the example has another name now");
    exchangeAlerts();
    const recorded = await recordRequests(stageOf(world, subject));
    vi.stubEnv("UPDATE_GOLDEN", "");
    expect(recorded).toContain('"network_in": 20');
    expect(() => expectGolden(goldenFile(subject), recorded)).toThrow("worker.http");
  },
);
