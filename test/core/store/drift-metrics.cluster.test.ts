import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const told: string[] = [];
let world: World;
beforeAll(async () => {
  const drifted = (kind: string, what: string): number => told.push(`${kind} ${what}`);
  world = await startWorld(sharedControlPlane(), { operator: { measures: { drifted } } });
});
afterAll(() => world.stop());

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const stored = () => world.simulator.control.rows("sshkey")[0] ?? {};
const take = () => told.splice(0);

test("each drift counts once as detected, and as corrected when it was undone; a person's change is none", async () => {
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  await world.ready("SSHKey", "laptop");
  await world.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await expect.poll(stored).toMatchObject({ label: "renamed" });
  await world.ready("SSHKey", "laptop");
  expect(take()).toEqual([]);

  world.simulator.control.change("sshkey", Number(stored()["id"]), { label: "changed-behind-our-back" });
  await expect.poll(stored).toMatchObject({ label: "renamed" });
  await expect.poll(() => told).toHaveLength(2);
  expect(take()).toEqual(["SSHKey detected", "SSHKey corrected"]);
});

test("drift that is only reported is detected once, however often it is reconciled, and never corrected", async () => {
  await world.patch("SSHKey", "laptop", { spec: { management: { driftPolicy: "Report" } } });
  await world.ready("SSHKey", "laptop");
  world.simulator.control.change("sshkey", Number(stored()["id"]), { label: "left-alone" });
  await world.until("SSHKey", "laptop", (object) => conditionOf(object, "Drifted") !== undefined);
  await world.patch("SSHKey", "laptop", { metadata: { labels: { looked: "again" } } });
  world.simulator.control.change("sshkey", Number(stored()["id"]), { label: "renamed" });
  await world.until("SSHKey", "laptop", (object) => conditionOf(object, "Drifted") === undefined);
  expect(take()).toEqual(["SSHKey detected"]);
});

test("what vanished and was made anew is a drift that was corrected", async () => {
  world.simulator.control.remove("sshkey", Number(stored()["id"]));
  await expect.poll(() => told, { timeout: 10_000 }).toHaveLength(2);
  expect(take()).toEqual(["SSHKey detected", "SSHKey corrected"]);
});
