/** What a deletion or an action meets that reads odd rows for long: it names a way out, and asks with growing delay. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { applied, follow, messageOf, minutes, withReady } from "../support.ts";

const reboot = { instanceRef: { name: "web" }, action: "Reboot", notAfter: "2099-01-01T00:00:00Z" };

it("a setting whose own row cannot be read names a way out while it is deleted", async () => {
  const { world, row } = await withReady("ComputeInstance");
  world.cluster.create("IPSharing", "share", { instanceRef: { name: "web" }, addresses: ["192.0.2.55"] });
  await world.advance(minutes(3));
  row.fields["label"] = 7;
  row.fields["status"] = 7;
  await world.advance(minutes(6));
  world.cluster.delete("IPSharing", "share");
  await world.advance(minutes(10));
  expect(messageOf(world, "IPSharing", "share")).toContain("orphan");
});

it("what its own path answers without an id for long names a way out while it is deleted", async () => {
  const { world } = await withReady("Firewall");
  const path = /^\/networking\/firewalls\/\d+$/;
  world.cloud.fault({ kind: "answersFor", method: "GET", path, times: 1_000_000, row: { fields: {} } });
  world.cluster.delete("Firewall", "web");
  await world.advance(minutes(3));
  expect(messageOf(world, "Firewall", "web")).not.toContain("orphan");
  await world.advance(minutes(15));
  expect(messageOf(world, "Firewall", "web")).toContain("orphan");
});

it("an instance that stays busy names a way out while it is deleted", async () => {
  const { world, row } = await withReady("ComputeInstance");
  row.fields["status"] = "migrating";
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(minutes(15));
  expect(messageOf(world, "ComputeInstance", "web")).toContain("orphan");
  follow(world, "ComputeInstance", "web", "orphan");
  await world.advance(minutes(2));
  expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
});

it("an event without an id that tells of something else holds no action up", async () => {
  const { world } = await withReady("ComputeInstance");
  const entity = { id: 999_999, type: "domain" };
  const event = { id: null, action: "domain_update", status: "finished", created: "2000-01-01T00:00:00", entity };
  const fields: JsonObject = { data: [event], page: 1, pages: 1, results: 1 };
  const path = /^\/account\/events$/;
  world.cloud.fault({ kind: "answersFor", method: "GET", path, times: 1_000_000, row: { fields } });
  world.cluster.create("ComputeAction", "again", reboot);
  await world.advance(minutes(10));
  expect(applied(world, "POST", /reboot$/)).toHaveLength(1);
});

it("an action on an instance that cannot be read at every second read asks with growing delay", async () => {
  const { world, row } = await withReady("ComputeInstance");
  let reads = 0;
  const get = () => ((reads += 1) % 2 === 0 ? 7 : "running");
  Object.defineProperty(row.fields, "status", { enumerable: true, configurable: true, get });
  world.cluster.create("ComputeAction", "again", reboot);
  const requests = world.cloud.ledger().length;
  await world.advance(minutes(60));
  expect(world.cloud.ledger().length - requests).toBeLessThan(1_500);
});

it("an action on an instance whose row differs with each read asks with growing delay", async () => {
  const { world, row } = await withReady("ComputeInstance");
  let reads = 0;
  const get = () => `host-${(reads += 1)}`;
  Object.defineProperty(row.fields, "host_uuid", { enumerable: true, configurable: true, get });
  world.cluster.create("ComputeAction", "again", reboot);
  const requests = world.cloud.ledger().length;
  await world.advance(minutes(60));
  // Some 720 of the polls and the events among them.
  expect(world.cloud.ledger().length - requests).toBeLessThan(1_500);
  expect(applied(world, "POST", /reboot$/)).toEqual([]);
});

it("what its list shows in a form that cannot be read is not let go where its own path answers 404", async () => {
  const { world } = await withReady("Firewall");
  const path = /^\/networking\/firewalls\/\d+$/;
  world.cloud.fault({ kind: "notFound", method: "GET", path, times: 1_000_000 });
  world.cloud.settings.inLists = ({ id }: JsonObject) => ({ id: id ?? null });
  await world.advance(minutes(10));
  world.cluster.delete("Firewall", "web");
  await world.advance(minutes(5));
  expect(messageOf(world, "Firewall", "web")).toContain("orphan");
  expect(applied(world, "POST")).toHaveLength(1);
});
