/** The ledger of the simulator shows that a read-only operator sends no request that changes the cloud, for each kind. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { resourceOf } from "../../src/core/kind/resource.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf } from "../support/world.ts";
import { contractTest, startContractWorld } from "./support/contract-test.ts";
import { applyEverything, everything } from "./support/everything.ts";
import { ground } from "./support/ground.ts";
import { idle, stageOf } from "./support/stage.ts";
import { everyExample, everyIssued, everyRun, everySetting } from "./support/subjects.ts";

// A UsageReport only reads.
const runs = everyRun.filter(({ kind }) => kind.kind !== "UsageReport");
const all = [...everyExample, ...everySetting, ...everyIssued, ...runs];

describe.concurrent("A read-only operator shows the plan and sends nothing for", () => {
  contractTest.for(all)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.prepare();
    await ground(stage);
    await world.restartOperator({ readOnly: true });
    world.simulator.control.clearLedger();
    await stage.create();
    const planned = await stage.until((object) => conditionOf(object, "Ready")?.reason === "ReadOnly");
    expect(planned.status?.["plan"]).toHaveProperty("operations.0.method");
    await stage.remove();
    await stage.gone();
    expect(stage.mutations()).toEqual([]);
  });
});

test("a read-only operator deletes nothing, and later deletes all", { timeout: 240_000 }, async () => {
  const world = await startContractWorld(sharedControlPlane());
  onTestFinished(() => world.stop());
  await applyEverything(world, 60_000);
  await world.restartOperator({ readOnly: true });
  await idle(world);
  const { control } = world.simulator;
  control.clearLedger();
  const kinds = [...new Set(everything.map(({ kind }) => kind))];
  for (const kind of kinds) for (const { metadata } of await listOf(kind)) await world.remove(kind.kind, metadata.name);
  const told = new Set(["ReadOnly", "WaitingForDependents", "WaitingForParent"]);
  await vi.waitFor(async () => expect([...(await reasons())].filter((one) => !told.has(one))).toEqual([]), 30_000);
  await idle(world);
  expect(await reasons()).toContain("ReadOnly");
  expect(control.ledger({ mutating: true })).toEqual([]);
  await world.restartOperator({ readOnly: false });
  await vi.waitFor(async () => expect([...(await reasons())]).toEqual([]), 60_000);

  function listOf(kind: (typeof kinds)[number]) {
    return world.kube.list(resourceOf(kind), { namespace: world.namespace });
  }
  async function reasons(): Promise<Set<string>> {
    const left = (await Promise.all(kinds.map(listOf))).flat();
    return new Set(left.map((object) => conditionOf(object, "Ready")?.reason ?? "none"));
  }
});
