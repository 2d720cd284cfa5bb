/** Namespace `team-b` loses a permission in the account of namespace `default`. */
import { expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";

const tenant = "team-b";
const accountRef = { name: "default", namespace: "default" };
const record = { type: "A", name: "www", target: "192.0.2.1" };

it.each([
  { lost: "namespaces", left: {} },
  { lost: "existing", left: { namespaces: [tenant] } },
])("after the owner withdraws sharing.$lost, the operator lists the records of a zone no longer", async ({ left }) => {
  const world = createWorld();
  const sharing = { namespaces: [tenant], existing: [tenant] };
  world.cluster.patch("CloudAccount", "default", { spec: { sharing } });
  const { id } = world.cloud.add("/domains", { domain: "example.org", type: "master", soa_email: "ada@example.org" });
  world.cluster.create("DomainRecord", "www", { ...record, domainRef: { id }, accountRef }, { namespace: tenant });
  await world.advance(30_000);
  const ready = () => conditionOf(world.cluster.get("DomainRecord", "www", tenant), "Ready");
  const listed = () => world.cloud.ledger().filter(({ path }) => path === `/domains/${id}/records`).length;
  expect(ready()?.status).toBe("True");
  world.cluster.patch("CloudAccount", "default", { spec: { sharing: { namespaces: [], existing: null, ...left } } });
  await world.advance(5_000);
  expect(ready()?.reason).toBe("NotShared");
  const before = listed();
  await world.advance(600_000);
  expect(listed()).toBe(before);
  world.cluster.patch("CloudAccount", "default", { spec: { sharing } });
  await world.advance(130_000);
  expect(ready()?.status).toBe("True");
  expect(listed()).toBeGreaterThan(before + 1);
});
