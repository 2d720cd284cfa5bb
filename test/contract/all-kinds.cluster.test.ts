import { expect, onTestFinished, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startContractWorld } from "./support/contract-test.ts";
import { applyEverything, everything } from "./support/everything.ts";

const readyWithinMs = 60_000;

/** As in production. */
const intervals = {
  pollMs: 60_000,
  fastPollMs: 3_000,
  feedMs: 10_000,
  settle: { freeMs: 30_000, billableMs: 600_000 },
};

test("one object of each kind, applied all at once, is ready within a minute", { timeout: 180_000 }, async () => {
  const world = await startContractWorld(sharedControlPlane(), {
    operator: intervals,
    simulator: { timeScale: 600 },
  });
  onTestFinished(() => world.stop());
  expect(everything.length).toBeGreaterThan(30);
  await applyEverything(world, readyWithinMs);
});
