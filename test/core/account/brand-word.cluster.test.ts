import { afterEach, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { accountObjects, conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
let world: World;
afterEach(() => world.stop());

test("an account of a service with another brand word is not connected, and names the setting", async () => {
  world = await startWorld(sharedControlPlane(), { account: false, simulator: { brandWord: "linode" } });
  await world.apply(
    ...accountObjects(world.namespace, world.simulator.token),
    world.object("SSHKey", "laptop", { sshKey }),
  );
  const account = await world.condition("CloudAccount", "default", "Stalled", "WrongBrandWord");
  expect(conditionOf(account, "Ready")?.message).toBe(
    "brandWord: the cloud API at endpoint default has no paths with the brand word compute, but with linode. The operator reads and changes " +
      "nothing. Set the brand word of the operator to linode: brandWord in the values of the chart, or --brand-word",
  );
  await world.condition("SSHKey", "laptop", "Stalled", "WrongBrandWord");
  expect(world.simulator.control.ledger().filter(({ method }) => method !== "GET")).toEqual([]);
});
