import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { kinds } from "../../../src/kinds/registry.ts";
import { refused } from "../../kinds/all-refused.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { beside, passedMistakes } from "./passed-mistakes.ts";
import { refusedValues } from "./refused-values.ts";

const named = passedMistakes.map((row, index) => Object.assign({ name: `mistaken-${index}` }, row));

describe("a mistake that passes admission is told by the condition Ready, and nothing is made", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(sharedControlPlane());
    await world.ready("CloudAccount", "default");
    for (const { name, spec, metadata, deleted } of beside) {
      await world.apply(world.object("ComputeInstance", name, spec, metadata));
      if (deleted) await world.remove("ComputeInstance", name);
    }
    await world.apply(...named.map(({ kind, name, spec }) => world.object(kind, name, spec)));
  });
  afterAll(async () => {
    for (const { name } of beside) await world.patch("ComputeInstance", name, { metadata: { finalizers: null } });
    await world.stop();
  });

  test.each(named)("$kind: $because", async ({ kind, name, reason, says }) => {
    const object = await world.until(kind, name, (one) => conditionOf(one, "Ready") !== undefined);
    expect(conditionOf(object, "Ready")).toMatchObject({ status: "False", reason });
    expect(conditionOf(object, "Ready")?.message).toContain(says);
  });

  it("changes nothing in the cloud", () => {
    const sent = world.simulator.control.ledger().filter(({ method }) => method !== "GET");
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});

describe("of all wrong manifests", () => {
  const told = [...passedMistakes, ...refusedValues];
  const of = (rows: { kind: string }[], kind: string): number => rows.filter((row) => row.kind === kind).length;

  it.each(["CloudAccount", ...kinds.map(({ kind }) => kind)])("%s: fifteen are refused, and one passes", (kind) => {
    expect(of(refused, kind)).toBeGreaterThanOrEqual(15);
    expect(of(told, kind)).toBeGreaterThanOrEqual(1);
  });

  it("four of five are refused at admission", () => {
    expect(refused.length / (refused.length + told.length)).toBeGreaterThanOrEqual(0.8);
  });
});
