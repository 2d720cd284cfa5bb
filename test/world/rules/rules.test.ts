/** The rules of the world, on the world, and those of its cloud on the simulator, too. */
import { beforeAll, describe, expect, it } from "vitest";
import { apiServerRules } from "./api-server/rules.ts";
import { openModel as openApiServer } from "./api-server/world.ts";
import { cloudRules } from "./cloud/rules.ts";
import type { CloudSide } from "./cloud/side.ts";
import { openSimulator } from "./cloud/simulator.ts";
import { openModel as openCloud } from "./cloud/world.ts";

describe("the world's API server", () => {
  it.each(apiServerRules)("$rule", async ({ run, gives }) => {
    expect(await run(openApiServer())).toEqual(gives);
  });
});

describe("the world's cloud", () => {
  it.each(cloudRules)("$rule", async ({ run, gives }) => {
    expect(await run(openCloud())).toEqual(gives);
  });
});

describe("the simulator", () => {
  let side: () => CloudSide;
  beforeAll(async () => {
    const opened = await openSimulator();
    ({ side } = opened);
    return () => opened.simulator.close();
  });
  it.each(cloudRules)("$rule", async ({ run, gives }) => {
    expect(await run(side())).toEqual(gives);
  });
});
