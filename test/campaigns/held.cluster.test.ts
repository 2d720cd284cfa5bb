/** The operator is killed while requests that must not be repeated are on their way: the proxy knows the moment. */
import { statusOf } from "../../src/core/kind/object.ts";
import { expect, onTestFinished, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { createAll, instances } from "./support/fleet.ts";
import { startHoldingProxy } from "./support/holding-proxy.ts";
import type { HoldingProxy } from "./support/holding-proxy.ts";
import { createProcesses, operatorArgs } from "./support/processes.ts";
import type { OperatorProcess } from "./support/processes.ts";

interface Stage {
  world: World;
  proxy: HoldingProxy;
  /** Starts another operator; all that have run are kept. */
  begin: () => Promise<OperatorProcess>;
  lines: () => string[];
}

async function start(): Promise<Stage> {
  const { kubeconfigPath, kubeconfig } = sharedControlPlane();
  const world = await startWorld({ kubeconfig }, { start: false });
  const proxy = await startHoldingProxy(world.simulator.url);
  const processes = createProcesses();
  onTestFinished(async () => {
    await processes.close();
    await proxy.close();
    await world.stop();
  });
  const more = ["--leader-election", "off", "--log-level", "debug"];
  const args = operatorArgs({ kubeconfigPath, cloud: proxy.url, namespace: world.namespace, more });
  const operators: OperatorProcess[] = [];
  const begin = async () => {
    const operator = await processes.operator(args);
    operators.push(operator);
    return operator;
  };
  return { world, proxy, begin, lines: () => operators.flatMap((one) => one.lines()) };
}

test("after its operator was killed an action runs once, and a key waits for the user, who deletes it", async () => {
  const { world, proxy, begin, lines } = await start();
  let operator = await begin();
  await createAll(world, instances(world, 1));
  await world.ready("ComputeInstance", "vm-0");
  for (const when of ["unsent", "answered"] as const) {
    const held = [proxy.hold(/^POST .*\/reboot$/, when), proxy.hold(/^POST .*\/keys$/, when)];
    const action = { instanceRef: { name: "vm-0" }, action: "Reboot" };
    await world.apply(world.object("ComputeAction", when, action), world.object("ObjectStorageKey", when, {}));
    const requests = await Promise.all(held);
    await operator.kill();
    for (const { arrive } of requests) await arrive();
    operator = await begin();
    await world.condition("ComputeAction", when, "Complete", "Complete");
    await deleteUnproven(world, when);
    await world.ready("ObjectStorageKey", when);
  }
  const reboots = { operation: "POST /compute/instances/{computeId}/reboot" };
  expect(world.simulator.control.ledger(reboots)).toHaveLength(2);
  for (const name of ["unsent", "answered"]) {
    const secret = await secretOf(world, name);
    expect(lines().filter((line) => line.includes(secret))).toEqual([]);
  }
});

/** Deletes the key that the condition names: the killed operator took along the proof that the key is its own. */
async function deleteUnproven({ condition, simulator: { control } }: World, name: string): Promise<void> {
  const key = control.rows("object-storage-key").find(({ label }) => label === name);
  const { status } = await condition("ObjectStorageKey", name, "Stalled", "CreateUncertain");
  expect(JSON.stringify(status)).toContain(
    `no response, and the owner of object storage key ${String(key?.["id"])} is unknown`,
  );
  expect(control.remove("object-storage-key", Number(key?.["id"]))).toBe(true);
}

/** The secret of the only key of this name, which the object records and its Secret has. */
async function secretOf(world: World, name: string): Promise<string> {
  const rows = world.simulator.control.rows("object-storage-key").filter(({ label }) => label === name);
  const { id } = statusOf(await world.ready("ObjectStorageKey", name));
  expect(rows.map((row) => String(row["id"]))).toEqual([id]);
  const { data } = (await world.get("Secret", `${name}-s3-credentials`)) as unknown as { data: Record<string, string> };
  const secret = Buffer.from(data["AWS_SECRET_ACCESS_KEY"] ?? "", "base64").toString();
  expect(secret).toBe(rows[0]?.["secret_key"]);
  return secret;
}
