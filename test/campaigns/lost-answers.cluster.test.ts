import { expect, onTestFinished, test } from "vitest";
import type { Fault } from "../../src/simulator/server/faults/faults.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import { createAll, isReady, pause, sshKeys, untilAll } from "./support/fleet.ts";
import { expectOneEach } from "./support/judge.ts";

const settleMs = 1_500;
const lateMs = 700;

/** Answers to the POSTs of one key, in order, that once led to a second object or to a conflict with our own. */
test.each<{ why: string; faults: Fault[] }>([
  {
    why: "an attempt that was refused and then lost is searched for like any other",
    faults: [{ kind: "rate-limit", retryAfter: 0 }, { kind: "reset-after" }],
  },
  {
    why: "what an attempt did late, that was refused before, is no conflict",
    faults: [
      { kind: "rate-limit", retryAfter: 0 },
      { kind: "late-apply", ms: lateMs },
    ],
  },
  {
    why: "a refusal that lasts longer than the window takes none of it from the attempt that follows",
    faults: [
      { kind: "rate-limit", retryAfter: 3 },
      { kind: "late-apply", ms: lateMs },
    ],
  },
  {
    why: "lost twice in a row, each has its window",
    faults: [{ kind: "reset-before" }, { kind: "late-apply", ms: lateMs }],
  },
])("a creation is made once: $why", async ({ faults }) => {
  const world = await startWorld(sharedControlPlane(), {
    operator: { settle: { freeMs: settleMs, billableMs: settleMs } },
  });
  onTestFinished(() => world.stop());
  await world.ready("CloudAccount", "default");
  for (const fault of faults)
    world.simulator.control.faults.add({ ...fault, method: "POST", path: "/profile/sshkeys", times: 1 });
  await createAll(world, sshKeys(world, 1));
  const objects = await untilAll(world, "SSHKey", 1, isReady, 20_000);
  // The cloud may still be at it.
  await pause(2 * lateMs);
  expect(world.simulator.control.faults.list().map(({ played }) => played)).toEqual(faults.map(() => 1));
  expectOneEach(world, "sshkey", "/v4/profile/sshkeys", objects, JSON.stringify(faults));
});
