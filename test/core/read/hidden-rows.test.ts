/**
 * A row that a list shows without an id, in a form that cannot be read, or not at all, while it is there: what is decided by
 * looking for one among all (the first address, the only match, what an attempt has created late) is not decided without it.
 */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import {
  begin,
  create,
  follow,
  idOf,
  left,
  messageOf,
  minutes,
  publicKey,
  shapeNames,
  shapes,
  sshKeys,
  stateOf,
  untilSent,
  withReady,
} from "../support.ts";

const hows = ["without an id", "unreadable"] as const;
type How = (typeof hows)[number];

/** From now on lists show these rows so. `odd`: fields that cannot be read. */
function hide(world: World, how: How, odd: JsonObject, which: (fields: JsonObject) => boolean): void {
  const shown = how === "unreadable" ? odd : { id: null, address: null };
  world.cloud.settings.inLists = (fields: JsonObject) => (which(fields) ? { ...fields, ...shown } : fields);
}

function show(world: World): void {
  delete world.cloud.settings.inLists;
}

function warnings(world: World): string[] {
  return world.cluster.events().flatMap(({ type, note }) => (type === "Warning" ? [note] : []));
}

const webPublic = { kind: "ComputeInstance", name: "web", address: "Public" };

describe("the name of an instance's first address", () => {
  const addresses = "/networking/ips";
  const [firstAddress, secondAddress] = ["192.0.2.10", "192.0.2.11"];

  /** `elsewhere`: the second one belongs to another instance yet. */
  async function withAddresses({ elsewhere = false } = {}) {
    const { world, row } = await withReady("ComputeInstance");
    world.cloud.change(row.path, row.id, { ipv4: [firstAddress, secondAddress] });
    await world.advance(minutes(2));
    const fields = { compute_id: Number(row.id), type: "ipv4", public: true, region: "us-east" };
    const first = world.cloud.add(addresses, { ...fields, address: firstAddress, rdns: null });
    const theirs = { ...fields, ...(elsewhere && { compute_id: 777_777 }), address: secondAddress };
    const second = world.cloud.add(addresses, { ...theirs, rdns: "theirs.example" });
    return { world, first, second };
  }

  const slowLists = { kind: "slow", method: "GET", path: /^\/networking\/ips$/, ms: 3_000, times: 1_000_000 } as const;
  const offsets = Array.from({ length: 10 }, (_, index) => index * 150);

  const set = (world: World): void =>
    void world.cluster.create("ReverseDNS", "web", { addressRef: webPublic, hostname: "www.example.org" });

  it.each(hows)("is not set on the second one while the first is %s", async (how) => {
    const { world, first, second } = await withAddresses();
    hide(world, how, { compute_id: "x" }, ({ address }) => address === firstAddress);
    set(world);
    await world.advance(minutes(15));
    expect(second.fields["rdns"]).toBe("theirs.example");
    show(world);
    await world.advance(minutes(15));
    expect(world.cluster.get("ReverseDNS", "web")).toBeReady();
    expect([first.fields["rdns"], second.fields["rdns"]]).toEqual(["www.example.org", "theirs.example"]);
  });

  it.each([...hows, "left out"] as const)("stays on the first one where that is %s later", async (how) => {
    const { world, first, second } = await withAddresses();
    set(world);
    await world.advance(minutes(5));
    if (how === "left out") {
      const fields: JsonObject = { data: [second.fields], page: 1, pages: 1, results: 1 };
      const row = { fields };
      world.cloud.fault({ kind: "answersFor", method: "GET", path: /^\/networking\/ips$/, times: 1_000_000, row });
    } else hide(world, how, { compute_id: "x" }, ({ address }) => address === firstAddress);
    await world.advance(minutes(4));
    world.cluster.patch("ReverseDNS", "web", { spec: { hostname: "new.example.org" } });
    await world.advance(minutes(15));
    world.cloud.clearFaults();
    show(world);
    await world.advance(minutes(30));
    expect([first.fields["rdns"], second.fields["rdns"]]).toEqual(["new.example.org", "theirs.example"]);
  });

  it("is set on the first one while the second one is just assigned to the instance", { timeout: 30_000 }, async () => {
    for (const offset of offsets) {
      const { world, first, second } = await withAddresses({ elsewhere: true });
      await world.advance(minutes(6));
      world.cloud.settings.latencyMs = 300;
      world.cloud.fault(slowLists);
      world.cluster.create("IPAssignment", "mv", { address: secondAddress, instanceRef: { name: "web" } });
      await world.advance(offset);
      set(world);
      await world.advance(minutes(20));
      expect([first.fields["rdns"], second.fields["rdns"]]).toEqual(["www.example.org", "theirs.example"]);
    }
  });

  it("is set beside another object that names the second one, applied together", { timeout: 30_000 }, async () => {
    for (const offset of offsets) {
      const { world, first, second } = await withAddresses();
      await world.advance(minutes(6));
      world.cloud.settings.latencyMs = 100;
      world.cloud.fault(slowLists);
      world.cluster.create("ReverseDNS", "other", { address: secondAddress, hostname: "other.example.org" });
      await world.advance(offset);
      set(world);
      await world.advance(minutes(6));
      world.cloud.clearFaults();
      await world.advance(minutes(60));
      expect(stateOf(world, "ReverseDNS", "web"), messageOf(world, "ReverseDNS", "web")).toBe("Ready");
      expect([first.fields["rdns"], second.fields["rdns"]]).toEqual(["www.example.org", "other.example.org"]);
    }
  });
});

it.each(hows)("of two keys that a filter matches none is adopted while one is %s", async (how) => {
  const world = await begin();
  const [theirs, hidden] = [2020, 2021].map((year) =>
    world.cloud.add(sshKeys, { ssh_key: publicKey, label: "web", created: `${year}-01-01T00:00:00` }),
  );
  hide(world, how, { ssh_key: 5 }, ({ id }) => id === hidden?.fields["id"]);
  world.cluster.create("SSHKey", "web", { sshKey: publicKey }, { management: { adopt: { filter: { label: "web" } } } });
  await world.advance(minutes(3));
  expect(stateOf(world, "SSHKey", "web")).toBe("Unreadable");
  show(world);
  await world.advance(minutes(6));
  expect(messageOf(world, "SSHKey", "web")).toMatch(/more than one SSH key matches/);
  world.cluster.delete("SSHKey", "web");
  await world.advance(minutes(3));
  expect(theirs?.removed).toBeUndefined();
});

describe("an instance that is carried out late", () => {
  async function withLate() {
    const world = await begin();
    world.cloud.fault({ kind: "lateApply", method: "POST", ms: minutes(11.5) });
    create(world, "ComputeInstance", "web");
    await untilSent(world, "POST");
    await world.advance(minutes(11));
    return world;
  }

  it.each(hows)("is told of where it is %s when its object goes", async (how) => {
    const world = await withLate();
    follow(world, "ComputeInstance", "web", "retry-create");
    await world.advance(5_000);
    const own = left(world)[0]?.id;
    hide(world, how, { status: 7, label: 7 }, ({ label, id }) => label === "web" && String(Number(id)) !== own);
    await world.advance(minutes(5));
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(minutes(40));
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
    expect(left(world)).toHaveLength(1);
    expect(warnings(world).join()).toMatch(
      /cannot read .*, which an unanswered create request of this object perhaps created/,
    );
  });

  it.each(hows)("is not made a second time while it is %s", async (how) => {
    const world = await withLate();
    world.cloud.fault({ kind: "refused", method: "POST", reason: "no capacity" });
    hide(world, how, { status: 7 }, ({ label }) => label === "web");
    follow(world, "ComputeInstance", "web", "retry-create");
    await world.advance(minutes(2));
    world.cluster.patch("ComputeInstance", "web", { spec: { tags: ["again"] } });
    await world.advance(minutes(15));
    expect(left(world)).toHaveLength(1);
    expect(stateOf(world, "ComputeInstance", "web")).not.toBe("Ready");
  });
});

it("an instance that comes late, of which the list tells no time, is not made a second time by itself", async () => {
  const world = await begin();
  world.cloud.settings.inLists = ({ id, label }: JsonObject) => ({ id: id ?? null, label: label ?? null });
  world.cloud.fault({ kind: "lateApply", method: "POST", ms: minutes(13) });
  create(world, "ComputeInstance", "web");
  await untilSent(world, "POST");
  await world.advance(minutes(11));
  world.cloud.fault({ kind: "refused", method: "POST", reason: "quota", times: 1_000_000 });
  follow(world, "ComputeInstance", "web", "retry-create");
  await world.advance(minutes(15));
  world.cloud.clearFaults();
  await world.advance(minutes(60));
  expect(left(world)).toHaveLength(1);
  expect(messageOf(world, "ComputeInstance", "web")).toContain(left(world)[0]?.id);
});

it("a key that was carried out late is told of again where a restart comes while its row has no id", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "lateApply", method: "POST", ms: 90_000, path: /keys$/ });
  world.cluster.create("ObjectStorageKey", "web", {});
  await untilSent(world, "POST");
  await world.advance(minutes(12));
  const duplicate = () => conditionOf(world.cluster.get("ObjectStorageKey", "web"), "Duplicate")?.message;
  const told = duplicate();
  expect(told).toContain("Object storage key");
  const own = idOf(world, "ObjectStorageKey", "web");
  hide(world, "without an id", {}, (fields) => "access_key" in fields && String(Number(fields["id"])) !== own);
  world.crash();
  world.restart();
  await world.advance(minutes(15));
  show(world);
  await world.advance(minutes(30));
  expect(duplicate()).toBe(told);
});

it.each(shapeNames)(
  "a %s that was removed during its creation ends, and says so, while others' row has no id",
  async (kind) => {
    const world = await begin({ timing: { pollMs: minutes(5), feedMs: minutes(5) } });
    const fields = { ...shapes[kind].spec, ...(kind === "SSHKey" && { ssh_key: "ssh-rsa AAAA" }) };
    world.cloud.add(shapes[kind].path, { ...fields, label: "theirs", created: "2020-01-01T00:00:00" });
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    create(world, kind, "web");
    const end = world.cluster.beginDelete(kind, "web");
    await untilSent(world, "POST");
    world.cloud.settings.inLists = (row: JsonObject) => (row["label"] === "theirs" ? {} : row);
    end();
    await world.advance(minutes(15));
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(warnings(world).join()).toMatch(/this object was deleted during its creation/);
    create(world, kind, "web");
    await world.advance(minutes(5));
    expect(stateOf(world, kind, "web")).toBeDefined();
  },
);

it("a stray is not given up for one list with a row without an id after an outage", async () => {
  const world = await begin();
  world.cloud.add(sshKeys, { label: "theirs", ssh_key: "ssh-rsa AAAA", created: "2020-01-01T00:00:00" });
  world.cloud.fault({ kind: "lostAfter", method: "POST" });
  create(world, "SSHKey", "web");
  const end = world.cluster.beginDelete("SSHKey", "web");
  await untilSent(world, "POST");
  world.cloud.fault({ kind: "html502", times: 1_000_000 });
  end();
  await world.advance(minutes(15));
  world.cloud.clearFaults();
  world.cloud.settings.inLists = (row: JsonObject) => (row["label"] === "theirs" ? {} : row);
  await world.advance(minutes(6));
  show(world);
  await world.advance(minutes(20));
  expect(left(world)).toEqual([]);
});

it.each([
  ["Tag", {}],
  ["IPv6Range", { routeTarget: "2001:db8::1", prefixLength: 64 }],
] as const)("a %s whose own row has no id names a way out while it is deleted", async (kind, spec) => {
  const world = await begin();
  world.cluster.create(kind, "web", spec);
  await world.advance(minutes(10));
  world.cloud.settings.inLists = () => ({});
  world.cluster.delete(kind, "web");
  await world.advance(minutes(10));
  expect(stateOf(world, kind, "web")).toBe("Unreadable");
  follow(world, kind, "web", "orphan");
  await world.advance(minutes(2));
  expect(world.cluster.get(kind, "web")).toBeUndefined();
});

it.each([
  ["nothing", {}],
  ["the same", { label: "x" }],
  ["id 0", { id: 0, label: "x" }],
  ["no text as an id", { id: "", label: "x" }],
])("two rows that show %s do not keep a list of several pages from being read", async (_what, shown) => {
  const world = createWorld({ timing: { pageSize: 3 } });
  await world.settle();
  for (let row = 0; row < 6; row += 1)
    world.cloud.add(sshKeys, { label: `theirs-${row % 5}`, ssh_key: "ssh-rsa AAAA", created: "2020-01-01T00:00:00" });
  create(world, "SSHKey", "web");
  await world.advance(minutes(3));
  world.cloud.settings.inLists = (fields: JsonObject) => (fields["label"] === "theirs-0" ? shown : fields);
  await world.advance(minutes(3));
  world.cluster.delete("SSHKey", "web");
  await world.advance(minutes(5));
  expect(world.cluster.get("SSHKey", "web")).toBeUndefined();
});

it("an id that is no positive number is none: nothing is recorded under it", async () => {
  const world = await begin();
  world.cloud.fault({ kind: "lostAfter", method: "POST" });
  create(world, "Firewall", "web");
  world.cloud.settings.inLists = (fields: JsonObject) => ({ ...fields, id: -1 });
  await world.advance(minutes(15));
  expect(stateOf(world, "Firewall", "web")).toBe("Unreadable");
  show(world);
  await world.advance(minutes(15));
  expect(idOf(world, "Firewall", "web")).toBe(left(world)[0]?.id);
});

it("a name that was there already stays Ready while another instance's address cannot be read, or is listed twice", async () => {
  const { world, row } = await withReady("ComputeInstance");
  world.cloud.change(row.path, row.id, { ipv4: ["192.0.2.10"] });
  await world.advance(minutes(2));
  const fields = { type: "ipv4", public: true, region: "us-east" };
  const own = { ...fields, address: "192.0.2.10", compute_id: Number(row.id), rdns: "www.example.org" };
  world.cloud.add("/networking/ips", own);
  for (const address of ["192.0.2.20", "192.0.2.21"])
    world.cloud.add("/networking/ips", { ...fields, address, compute_id: 9, rdns: null });
  world.cluster.create("ReverseDNS", "web", { addressRef: webPublic, hostname: "www.example.org" });
  await world.advance(minutes(5));
  hide(world, "unreadable", { type: 7 }, ({ address }) => address === "192.0.2.20");
  await world.advance(minutes(30));
  expect(stateOf(world, "ReverseDNS", "web"), messageOf(world, "ReverseDNS", "web")).toBe("Ready");
  hide(world, "unreadable", { address: "192.0.2.20" }, ({ address }) => address === "192.0.2.21");
  world.cluster.create("ReverseDNS", "new", { addressRef: webPublic, hostname: "www.example.org" });
  await world.advance(minutes(30));
  expect(messageOf(world, "ReverseDNS", "new")).toMatch(/ReverseDNS default\/web manages/);
});
