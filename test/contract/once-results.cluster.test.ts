/** What runs once and leaves something: a snapshot that is replaced later, and a password that others read. */
import { statusOf } from "../../src/core/kind/object.ts";
import { expect, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

const instanceRef = { name: "web" };
const replacing = { instanceRef, replacePrevious: true, notAfter: "2099-01-01T00:00:00Z" };
const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };

test("a second snapshot is refused unless it may replace; the first one is then superseded, and never taken again", async () => {
  const world = await startWorld(sharedControlPlane());
  const instance = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
  await world.apply(world.object("ComputeInstance", "web", instance));
  await world.ready("ComputeInstance", "web");
  await world.apply(world.object("ComputeSnapshot", "first", { instanceRef }));
  const first = await world.condition("ComputeSnapshot", "first", "Complete", "Complete");
  const { made } = statusOf(first).run ?? {};
  expect(first.status).toMatchObject({ state: "successful" });

  await world.apply(world.object("ComputeSnapshot", "second", { instanceRef }));
  const refused = await world.condition("ComputeSnapshot", "second", "Stalled", "InvalidSpec");
  expect(conditionOf(refused, "Stalled")?.message).toContain(`has snapshot ${made} (first)`);
  expect(taken(world)).toBe(1);

  await world.apply(world.object("ComputeSnapshot", "third", replacing));
  const third = await world.condition("ComputeSnapshot", "third", "Complete", "Complete");
  const old = await world.condition("ComputeSnapshot", "first", "Complete", "Superseded");
  const replaced = `The result of this run (${made}) is gone, and the operator does not create it again: snapshot ${statusOf(third).run?.made} has replaced it`;
  expect(conditionOf(old, "Ready")).toMatchObject({ status: "True", reason: "Superseded", message: replaced });
  await world.restartOperator();
  await world.patch("ComputeSnapshot", "first", { metadata: { annotations: { "example.org/edit": "1" } } });
  await world.condition("ComputeSnapshot", "first", "Complete", "Superseded");
  expect(taken(world)).toBe(2);
  await world.stop();
});

test("the connection Secret follows a reset of the credentials, and no status, event or annotation shows a password", async () => {
  const world = await startWorld(sharedControlPlane());
  const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1", clusterSize: 1 };
  await world.apply(world.object("ManagedMySQL", "shop", database));
  await world.ready("ManagedMySQL", "shop");
  const before = await password(world);
  const databaseRef = { name: "shop" };
  const { notAfter } = replacing;
  await world.apply(world.object("DatabaseAction", "reset", { databaseRef, action: "ResetCredentials", notAfter }));
  const done = await world.condition("DatabaseAction", "reset", "Complete", "Complete");
  await expect.poll(() => password(world), { timeout: 20_000 }).not.toBe(before);
  const after = await password(world);
  for (const secret of [before, after]) expect(JSON.stringify(done)).not.toContain(secret);
  await world.stop();
});

function taken({ simulator }: World): number {
  return simulator.control.ledger({ method: "POST", path: "/v4/compute/instances/*/backups" }).length;
}

async function password({ kube, namespace }: World): Promise<string> {
  const secret = await kube.get(secrets, { namespace, name: "shop-connection" });
  const { data } = secret as unknown as { data: Record<string, string> };
  return Buffer.from(data["password"] ?? "", "base64").toString();
}
