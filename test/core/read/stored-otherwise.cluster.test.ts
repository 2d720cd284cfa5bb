import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

test("a record whose name has the zone twice is created once, with that name, and is deleted", async () => {
  const zone = { domain: "case-example.com", type: "master", soaEmail: "hostmaster@case-example.com" };
  const name = "www.case-example.com.case-example.com";
  await world.apply(world.object("Domain", "zone", zone));
  const spec = { domainRef: { name: "zone" }, type: "A", name, target: "192.0.2.77" };
  await world.apply(world.object("DomainRecord", "twice", spec));

  const record = await world.ready("DomainRecord", "twice");
  const posts = world.simulator.control
    .ledger()
    .filter(({ method, path }) => method === "POST" && path.endsWith("/records"));
  expect(posts).toHaveLength(1);
  expect(world.simulator.control.rows("record")).toMatchObject([
    { name: "www.case-example.com", target: "192.0.2.77" },
  ]);
  expect(conditionOf(record, "Drifted")).toBeUndefined();

  await world.remove("DomainRecord", "twice");
  await world.gone("DomainRecord", "twice");
  expect(world.simulator.control.rows("record")).toEqual([]);
});
