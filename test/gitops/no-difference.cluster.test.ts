import { readFileSync, readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../src/kinds/registry.ts";
import { createJumpingClock } from "../campaigns/support/jumping-clock.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";

const samples = readdirSync("deploy/samples").map((file) => `deploy/samples/${file}`);

const sampleToken =
  /^ {2}token: "?([^"\n]+)"?$/m.exec(readFileSync("deploy/samples/cloudaccounts.yaml", "utf8"))?.[1] ?? "";

test("samples that a GitOps tool applied show no difference to it, in an hour of the operator's work", async () => {
  const cluster = sharedControlPlane();
  const clock = createJumpingClock();
  const world = await startWorld(cluster, {
    account: false,
    start: false,
    operator: { clock },
    simulator: { token: sampleToken },
  });
  onTestFinished(() => world.stop());
  const files = samples.flatMap((file) => ["-f", file]);
  const asGitOps = ["--server-side", "--field-manager=gitops", "-n", world.namespace, ...files];
  const applied = await cluster.kubectl(["apply", ...asGitOps]);
  expect(applied.stderr).toBe("");
  await world.restartOperator();
  const objects = kinds.flatMap((kind) =>
    kind.examples.filter(({ sample }) => sample).map(({ name }) => ({ kind: kind.kind, name })),
  );
  for (const { kind, name } of objects) await world.ready(kind, name, 60_000);

  for (let minutes = 0; minutes < 60; minutes += 5) {
    clock.advance(5 * 60_000);
    await settled();
    if (minutes % 15 === 0) await expectNoDifference();
  }
  await expectNoDifference();
  const polls = world.simulator.control.ledger({ method: "GET", path: "/v4/compute/instances" });
  expect(polls.length).toBeGreaterThan(12);

  async function expectNoDifference(): Promise<void> {
    const { code, stdout, stderr } = await cluster.kubectl(["diff", ...asGitOps]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
  }

  async function settled(): Promise<void> {
    const busy = (): number => world.operator().queue.depth().ready + world.operator().queue.depth().active;
    await expect.poll(busy).toBe(0);
  }
});
