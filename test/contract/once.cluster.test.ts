/** The shape `once`, by ComputeAction: it runs one time, keeps its result, and is never repeated by itself. */
import { approveAnnotation, retryOperationAnnotation } from "../../src/core/kind/annotations.ts";
import { statusOf } from "../../src/core/kind/object.ts";
import { expect, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const instanceRef = { name: "web" };

/** A world with an instance that runs. */
async function withInstance(): Promise<World> {
  const world = await startWorld(sharedControlPlane());
  await world.apply(
    world.object("ComputeInstance", "web", { region: "us-east", type: "g6-standard-1", image: "compute/debian12" }),
  );
  await world.ready("ComputeInstance", "web");
  return world;
}

function run(world: World, spec: object): Promise<void> {
  return world.apply(world.object("ComputeAction", "once", { instanceRef, ...spec }));
}

function isComplete(object: KubeObject): boolean {
  return conditionOf(object, "Complete")?.status === "True";
}

function sent({ simulator }: World, what: string): number {
  return simulator.control.ledger({ method: "POST", path: `/v4/compute/instances/*/${what}` }).length;
}

function stateOf({ simulator }: World): unknown {
  return simulator.control.rows("instance")[0]?.["status"];
}

test("an action runs once, keeps its result over restarts, and outlives its instance", async () => {
  const world = await withInstance();
  await run(world, { action: "Shutdown" });
  const done = await world.until("ComputeAction", "once", isComplete);
  expect(statusOf(done).run).toMatchObject({ result: "Complete", accepted: true });
  expect(conditionOf(done, "Ready")?.status).toBe("True");
  expect(stateOf(world)).toBe("offline");
  const { id } = world.simulator.control.rows("instance")[0] ?? {};
  const call = { method: "POST", headers: { authorization: `Bearer ${world.simulator.token}` } };
  await fetch(`${world.simulator.url}/v4/compute/instances/${String(id)}/boot`, call);
  await world.restartOperator();
  await world.remove("ComputeInstance", "web");
  await world.gone("ComputeInstance", "web");
  expect(isComplete((await world.get("ComputeAction", "once"))!)).toBe(true);
  expect(sent(world, "shutdown")).toBe(1);
  await world.remove("ComputeAction", "once");
  await world.gone("ComputeAction", "once");
  await world.stop();
});

test("a request that was carried out without a response is recognised by the row, and not repeated", async () => {
  const world = await withInstance();
  world.simulator.control.faults.add({
    kind: "reset-after",
    method: "POST",
    path: "/compute/instances/*/shutdown",
    times: 1,
  });
  await run(world, { action: "Shutdown" });
  const done = await world.until("ComputeAction", "once", isComplete);
  expect(statusOf(done).run?.accepted).toBeUndefined();
  expect(sent(world, "shutdown")).toBe(1);
  await world.stop();
});

test("a request of which nothing tells what came of it is not repeated, until a person allows it", async () => {
  const world = await withInstance();
  world.simulator.control.faults.add({
    kind: "reset-before",
    method: "POST",
    path: "/compute/instances/*/reboot",
    times: 1,
  });
  await run(world, { action: "Reboot" });
  const stuck = await world.condition("ComputeAction", "once", "Stalled", "OperationUncertain");
  const { id } = statusOf(stuck).run ?? {};
  expect(conditionOf(stuck, "Stalled")?.message).toContain(`${retryOperationAnnotation}=${id}`);
  await world.patch("ComputeAction", "once", { metadata: { annotations: { "cloudplatform.dev/journal": null } } });
  await world.restartOperator();
  await world.condition("ComputeAction", "once", "Stalled", "OperationUncertain");
  expect(sent(world, "reboot")).toBe(1);
  await world.patch("ComputeAction", "once", { metadata: { annotations: { [retryOperationAnnotation]: id } } });
  await world.until("ComputeAction", "once", (one) => statusOf(one).run?.id !== id);
  expect(sent(world, "reboot")).toBe(2);
  await world.stop();
});

test("what the cloud API refuses for good has failed, with its reason", async () => {
  const world = await withInstance();
  await run(world, { action: "CloneDisk", diskID: "999" });
  const failed = await world.condition("ComputeAction", "once", "Stalled", "Failed");
  expect(statusOf(failed).run).toMatchObject({
    result: "Failed",
    message: expect.stringContaining("the cloud API refused the CloneDisk request"),
  });
  expect(conditionOf(failed, "Complete")).toMatchObject({ status: "False", reason: "Failed" });
  await world.stop();
});

test("what a spec of the instance decides is refused, a time that has passed is expired, and a plan is approved", async () => {
  const world = await withInstance();
  await run(world, { action: "Resize", type: "g6-standard-2", notAfter: "2099-01-01T00:00:00Z" });
  const refused = await world.condition("ComputeAction", "once", "Stalled", "InvalidSpec");
  expect(conditionOf(refused, "Stalled")?.message).toContain("spec.type");
  await world.apply(
    world.object("ComputeAction", "late", { instanceRef, action: "Shutdown", notAfter: "2020-01-01T00:00:00Z" }),
  );
  await world.condition("ComputeAction", "late", "Stalled", "Expired");
  await world.apply(
    world.object("ComputeAction", "planned", { instanceRef, action: "Shutdown", management: { policy: "Plan" } }),
  );
  const planned = await world.until("ComputeAction", "planned", (one) => statusOf(one).plan !== undefined);
  expect(sent(world, "shutdown")).toBe(0);
  const { hash } = statusOf(planned).plan ?? {};
  await world.patch("ComputeAction", "planned", { metadata: { annotations: { [approveAnnotation]: hash } } });
  await world.until("ComputeAction", "planned", isComplete);
  expect(sent(world, "shutdown")).toBe(1);
  await world.stop();
});

test("a plan shows no password", async () => {
  const world = await withInstance();
  await world.kube.create(secrets, {
    metadata: { name: "new-password", namespace: world.namespace },
    stringData: { password: "Corr3ct-horse-battery" },
  });
  const passwordSecretRef = { name: "new-password" };
  const management = { policy: "Plan" };
  await run(world, { action: "ResetPassword", passwordSecretRef, notAfter: "2099-01-01T00:00:00Z", management });
  const planned = await world.until("ComputeAction", "once", (one) => statusOf(one).plan !== undefined);
  expect(statusOf(planned).plan?.operations).toMatchObject([{ body: '{"root_pass":"(sensitive)"}' }]);
  expect(JSON.stringify(planned)).not.toContain("Corr3ct-horse-battery");
  await world.stop();
});

test("a destructive action without a time is refused at admission", async () => {
  const world = await withInstance();
  await expect(run(world, { action: "Upgrade" })).rejects.toThrow(/notAfter/);
  await world.stop();
});
