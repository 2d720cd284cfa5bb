import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

test("a key goes from kubectl to the cloud and back", async () => {
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  const object = await world.ready("SSHKey", "laptop");
  expect(world.simulator.control.rows("sshkey")).toMatchObject([{ label: "laptop", ssh_key: sshKey }]);
  expect(conditionOf(object, "Ready")).toMatchObject({ status: "True", reason: "Ready" });

  await world.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await world.until(
    "SSHKey",
    "laptop",
    ({ status, metadata }) => status?.["observedGeneration"] === metadata.generation,
  );
  expect(world.simulator.control.rows("sshkey")).toMatchObject([{ label: "renamed" }]);

  await world.remove("SSHKey", "laptop");
  await world.gone("SSHKey", "laptop");
  expect(world.simulator.control.rows("sshkey")).toEqual([]);
});
