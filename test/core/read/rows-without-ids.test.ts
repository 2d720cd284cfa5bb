/**
 * A list has a row without an id: it may be any, so the list proves nothing absent. Nothing is created, made again, given up or
 * let go by it, and all goes on once the list is whole.
 */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { resources } from "../../../src/twin/definitions.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { keys, living } from "../secrets/keys.ts";
import { applied, begin, create, idOf, left, messageOf, minutes, shapes, withReady } from "../support.ts";

/** From now on lists show the row with this value of the field without what it is known by. */
function hide(world: World, field: string, value: string): void {
  world.cloud.settings.inLists = (fields: JsonObject) => (fields[field] === value ? {} : fields);
}

function show(world: World): void {
  delete world.cloud.settings.inLists;
}

const noID = /contains an entry without an ID/;

describe("what others have", () => {
  it.each([2_000, 20_000])(
    "a key of theirs is not deleted as what a lost request created, healed after %i ms",
    async (ms) => {
      const world = await begin();
      const theirs = world.cloud.add(keys, { label: "web", limited: false, bucket_access: null });
      hide(world, "label", "web");
      world.cloud.fault({ kind: "lostBefore", method: "POST" });
      world.cluster.create("ObjectStorageKey", "web", {});
      await world.advance(ms);
      expect(applied(world, "POST")).toEqual([]);
      expect(messageOf(world, "ObjectStorageKey", "web")).toMatch(noID);
      show(world);
      await world.advance(minutes(20));
      expect(applied(world, "DELETE")).toEqual([]);
      expect(living(world).map(({ id }) => id)).toContain(theirs.id);
    },
  );

  it("a range of theirs is neither taken nor deleted", async () => {
    const path = "/networking/ipv6/ranges";
    const world = await begin();
    const fields = { range: "2001:db8:1::", prefix: 64, route_target: "2001:db8::1", region: "us-east" };
    const theirs = world.cloud.add(path, fields);
    hide(world, "route_target", "2001:db8::1");
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    world.cluster.create("IPv6Range", "own", { routeTarget: "2001:db8::1", prefixLength: 64 });
    await world.advance(5_000);
    show(world);
    await world.advance(minutes(20));
    expect(idOf(world, "IPv6Range", "own")).not.toBe(theirs.id);
    world.cluster.delete("IPv6Range", "own");
    await world.advance(minutes(12));
    expect(theirs.removed).toBeUndefined();
  });

  it("an instance of theirs keeps its name to itself", async () => {
    const world = await begin();
    const { spec } = shapes.ComputeInstance;
    world.cloud.add("/compute/instances", { ...spec, label: "web", status: "running", created: "2020-01-01T00:00:00" });
    hide(world, "label", "web");
    create(world, "ComputeInstance", "web");
    await world.advance(minutes(5));
    expect(applied(world, "POST")).toEqual([]);
    expect(messageOf(world, "ComputeInstance", "web")).toMatch(noID);
    show(world);
    await world.advance(minutes(20));
    expect(messageOf(world, "ComputeInstance", "web")).toMatch(/already has instance \d+ with label "web"/);
  });
});

describe.each(["SSHKey", "Firewall", "Bucket", "ComputeInstance"] as const)(
  "a %s that its list shows without an id",
  (kind) => {
    const item = new RegExp(`^${shapes[kind].path}/(us-east-1/)?[^/]+$`);

    it("is made once where the response to its creation is lost", async () => {
      const world = await begin();
      world.cloud.fault({ kind: "lostAfter", method: "POST" });
      create(world, kind, "web");
      hide(world, "label", "web");
      await world.advance(minutes(15));
      expect(messageOf(world, kind, "web")).toMatch(noID);
      show(world);
      await world.advance(minutes(25));
      expect(world.cluster.get(kind, "web")).toBeReady();
      expect(left(world)).toHaveLength(1);
      expect(applied(world, "POST")).toHaveLength(1);
    });

    it("does not stay behind where its object is deleted before it is known", async () => {
      const world = await begin();
      world.cloud.fault({ kind: "lostAfter", method: "POST" });
      create(world, kind, "web");
      hide(world, "label", "web");
      await world.advance(5_000);
      world.cluster.delete(kind, "web");
      await world.advance(minutes(15));
      expect(world.cluster.get(kind, "web")).toBeDefined();
      show(world);
      await world.advance(minutes(25));
      expect(world.cluster.get(kind, "web")).toBeUndefined();
      expect(left(world)).toEqual([]);
    });

    it("is not made again, and keeps its object, where its own path answers 404", async () => {
      const { world } = await withReady(kind);
      await world.advance(minutes(20));
      hide(world, "label", "web");
      world.cloud.fault({ kind: "notFound", method: "GET", path: item, times: 1_000_000 });
      await world.advance(minutes(15));
      expect(applied(world, "POST")).toHaveLength(1);
      world.cluster.delete(kind, "web");
      await world.advance(minutes(15));
      expect(world.cluster.get(kind, "web")).toBeDefined();
      expect(messageOf(world, kind, "web")).toMatch(noID);
    });

    it("is deleted where only the row of somebody else has no id", async () => {
      const { world } = await withReady(kind);
      await world.advance(minutes(20));
      const { id: _, ...fields } = left(world)[0]?.fields ?? {};
      world.cloud.add(shapes[kind].path, { ...fields, label: "theirs" });
      hide(world, "label", "theirs");
      world.cluster.delete(kind, "web");
      await world.advance(minutes(2));
      expect(world.cluster.get(kind, "web")).toBeUndefined();
      expect(left(world)).toEqual([]);
    });
  },
);

it("a record of a domain that is gone waits while the list of domains may have it, and is let go then", async () => {
  const world = await begin();
  const domain = { type: "master", soa_email: "ada@example.org", status: "active" };
  world.cloud.add("/domains", { ...domain, domain: "theirs.example" });
  world.cluster.create("Domain", "web", { domain: "web.example", type: "master", soaEmail: "ada@example.org" });
  await world.advance(minutes(3));
  const record = { domainRef: { name: "web" }, type: "A", name: "www", target: "192.0.2.1" };
  world.cluster.create("DomainRecord", "www", record);
  await world.advance(minutes(20));
  hide(world, "domain", "theirs.example");
  const gone = left(world).find(({ path }) => path === "/domains");
  world.cloud.remove("/domains", gone?.id ?? "none");
  world.cluster.delete("DomainRecord", "www");
  await world.advance(minutes(5));
  expect(messageOf(world, "DomainRecord", "www")).toMatch(noID);
  expect(world.logged().filter(({ level }) => level === "error")).toEqual([]);
  show(world);
  await world.advance(minutes(10));
  expect(world.cluster.get("DomainRecord", "www")).toBeUndefined();
});

it("a list that is whole again is read soon, and the creation goes on", async () => {
  const world = createWorld({ timing: { pollMs: minutes(60), feedMs: minutes(60) } });
  await world.settle();
  world.cloud.add(shapes.SSHKey.path, { label: "theirs", ssh_key: "ssh-rsa AAAA", created: "2020-01-01T00:00:00" });
  hide(world, "label", "theirs");
  create(world, "SSHKey", "web");
  await world.advance(minutes(2));
  expect(conditionOf(world.cluster.get("SSHKey", "web"), "Ready")?.reason).toBe("Unreadable");
  show(world);
  await world.advance(minutes(6));
  expect(world.cluster.get("SSHKey", "web")).toBeReady();
});

it("a reboot is not sent again where an older record of it comes back and an event has no id", async () => {
  const { world } = await withReady("ComputeInstance");
  world.cloud.fault({ kind: "tooMany", method: "POST", path: /reboot$/, ms: 5_000 });
  const spec = { instanceRef: { name: "web" }, action: "Reboot", notAfter: "2099-01-01T00:00:00Z" };
  world.cluster.create("ComputeAction", "again", spec);
  await world.advance(2_000);
  const older = structuredClone(world.cluster.get("ComputeAction", "again"));
  await world.advance(minutes(5));
  expect(world.cluster.get("ComputeAction", "again")).toBeReady();
  world.crash();
  const now = world.cluster.get("ComputeAction", "again")?.status ?? {};
  const none = Object.fromEntries(Object.keys(now).map((name) => [name, null]));
  const resource = resources.get("ComputeAction");
  const ref = { namespace: "default", name: "again" };
  if (!resource || !older) throw new Error("no ComputeAction");
  world.cluster.objects.patch(resource, ref, { metadata: { annotations: older.metadata.annotations } });
  world.cluster.objects.patch(resource, ref, { status: { ...none, ...older.status } }, "status");
  const events: JsonObject = { data: [{}], page: 1, pages: 1, results: 1 };
  const times = 1_000_000;
  world.cloud.fault({ kind: "answersFor", method: "GET", path: /^\/account\/events$/, times, row: { fields: events } });
  world.restart();
  await world.advance(minutes(30));
  expect(applied(world, "POST", /reboot$/)).toHaveLength(1);
  expect(messageOf(world, "ComputeAction", "again")).toMatch(noID);
});
