import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { refusedValues } from "./refused-values.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

// Each has a name of its own: Secrets of the one before are deleted a little later than it.
const named = refusedValues.map((row, index) => Object.assign({ name: `refused-${index}` }, row));

test.each(named)("$kind: $says", async ({ kind, name, spec, says, before }) => {
  await before?.(world);
  await world.apply(world.object(kind, name, spec));
  const object = await world.condition(kind, name, "Stalled", "Refused");
  expect(conditionOf(object, "Ready")?.message).toContain(says);
  await world.remove(kind, name);
  await world.gone(kind, name);
});

test.each([
  { action: "Resize", type: "g6-standrd-2", says: "is not an instance type. Use one of: g6-standard-2" },
  { action: "Migrate", region: "us-est", says: "is not a region. Use one of: us-east," },
  {
    action: "Rebuild",
    image: "compute/debian21",
    passwordSecretRef: { name: "root" },
    says: "is not an image. Use one of: compute/debian1",
  },
])("ComputeAction $action, which ends with it: $says", async ({ says, ...fields }) => {
  const headers = { authorization: `Bearer ${world.simulator.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ region: "us-east", type: "g6-standard-1", label: fields.action });
  const made = await fetch(`${world.simulator.url}/v4/compute/instances`, { method: "POST", headers, body });
  const { id } = (await made.json()) as { id: number };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "root" },
    stringData: { password: "Corr3ct-horse" },
  };
  const spec = { ...fields, instanceRef: { id: String(id) }, notAfter: "2099-01-01T00:00:00Z" };
  const name = fields.action.toLowerCase();
  await world.apply(secret, world.object("ComputeAction", name, spec));
  const object = await world.until("ComputeAction", name, ({ status }) => JSON.stringify(status).includes('"Failed"'));
  expect(JSON.stringify(object.status)).toContain(says);
});

test("the list of a catalog is asked for once, and not for objects that are fine", () => {
  const lists = world.simulator.control
    .ledger()
    .filter(({ method, path }) => method === "GET" && path.endsWith("/regions"));
  expect(lists).toHaveLength(1);
});
