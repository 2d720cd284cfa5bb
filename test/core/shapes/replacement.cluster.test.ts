import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterEach(() => world.simulator.control.faults.clear());
afterAll(() => world.stop());

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const keys = (label: string) => world.simulator.control.rows("sshkey").filter((row) => row["label"] === label);
const loseAnswers = (times: number) =>
  world.simulator.control.faults.add({ kind: "reset-after", method: "POST", path: "/profile/sshkeys", times });

async function vanish(name: string): Promise<string> {
  await world.apply(world.object("SSHKey", name, { sshKey }));
  const id = String((await world.ready("SSHKey", name)).status?.["id"]);
  loseAnswers(1);
  world.simulator.control.remove("sshkey", id);
  return id;
}

test("a replacement whose answer was lost is found again, not made twice", async () => {
  const first = await vanish("replaced");
  const object = await world.until("SSHKey", "replaced", ({ status }) => status?.["id"] !== first);
  expect(keys("replaced")).toMatchObject([{ id: Number(object.status?.["id"]) }]);
});

test("a replacement whose answer was lost is found after a restart of the operator too", async () => {
  const first = await vanish("restarted");
  await expect.poll(() => keys("restarted").length, { timeout: 10_000 }).toBe(1);
  await world.restartOperator();
  const object = await world.until("SSHKey", "restarted", ({ status }) => status?.["id"] !== first);
  expect(keys("restarted")).toMatchObject([{ id: Number(object.status?.["id"]) }]);
});

test("an object deleted while its replacement is uncertain takes what came of it along", async () => {
  await vanish("deleted");
  await expect.poll(() => keys("deleted").length, { timeout: 10_000 }).toBe(1);
  await world.stopOperator();
  await world.remove("SSHKey", "deleted");
  await world.restartOperator();
  await world.gone("SSHKey", "deleted");
  expect(keys("deleted")).toEqual([]);
});
