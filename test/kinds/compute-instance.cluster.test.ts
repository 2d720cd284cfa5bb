import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

test("an instance is deployed with a password of its own, changed, turned off and deleted", async () => {
  const spec = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
  await world.apply(world.object("ComputeInstance", "web-1", spec));
  const { status } = await world.ready("ComputeInstance", "web-1");
  expect(status).toMatchObject({ state: "running", rootPasswordSecretName: "web-1-root-password" });
  expect(await world.kube.get(secrets, { namespace: world.namespace, name: "web-1-root-password" })).toBeDefined();

  await world.patch("ComputeInstance", "web-1", {
    spec: { label: "web-one", alerts: { cpu: 42 }, powerState: "Offline" },
  });
  const changed = await world.ready("ComputeInstance", "web-1");
  expect(changed.status).toMatchObject({ state: "offline" });
  expect(world.simulator.control.rows("instance")).toMatchObject([{ label: "web-one", alerts: { cpu: 42 } }]);

  await world.remove("ComputeInstance", "web-1");
  await world.gone("ComputeInstance", "web-1");
  expect(world.simulator.control.rows("instance")).toEqual([]);
});

test("an instance that is taken over gets no Secret, and is not rebuilt to fit the spec", async () => {
  const spec = { region: "us-east", type: "g6-standard-1" };
  await world.apply(world.object("ComputeInstance", "older", { ...spec, management: { deletionPolicy: "Orphan" } }));
  const { status } = await world.ready("ComputeInstance", "older");
  await world.remove("ComputeInstance", "older");
  await world.gone("ComputeInstance", "older");

  const management = { adopt: { id: String(status?.["id"]) } };
  await world.apply(
    world.object("ComputeInstance", "taken", { ...spec, image: "compute/debian12", label: "older", management }),
  );
  const taken = await world.ready("ComputeInstance", "taken");
  expect(taken.status).toMatchObject({ id: status?.["id"], state: "offline" });
  expect(taken.status).not.toHaveProperty("rootPasswordSecretName");
  expect(await world.kube.get(secrets, { namespace: world.namespace, name: "taken-root-password" })).toBeUndefined();
});
