import { describe, expect, test } from "vitest";
import { createBrand } from "../../src/api/brand.ts";
import type { Json, JsonObject } from "../../src/api/types.ts";

const brand = createBrand("acme");

describe("paths", () => {
  test.each([
    ["/compute/instances", "/acme/instances", "the area is the brand"],
    ["/compute/instances?page=1", "/acme/instances?page=1", "a query changes nothing"],
    ["/compute/kernels/compute/latest-64bit", "/acme/kernels/acme/latest-64bit", "a kernel's id has the prefix"],
    ["/compute/kernels/compute%2Flatest-64bit", "/acme/kernels/acme%2Flatest-64bit", "also when its slash is escaped"],
    ["/images/compute/debian12", "/images/acme/debian12", "an image's id has the prefix"],
    ["/images/private/12", "/images/private/12", "an image of the account has another prefix"],
    ["/tags/compute", "/tags/compute", "a tag may have any name"],
    [
      "/object-storage/buckets/us-east/compute/access",
      "/object-storage/buckets/us-east/compute/access",
      "so may a bucket",
    ],
    ["/computed/x", "/computed/x", "a segment that only begins like the word"],
  ])("%s becomes %s: %s", (ours, wire) => {
    expect(brand.path(ours)).toBe(wire);
  });
});

describe("bodies", () => {
  test.each<[JsonObject, JsonObject, string]>([
    [{ compute_id: 1, region: "compute" }, { acme_id: 1, region: "compute" }, "keys, not every value"],
    [{ devices: { computes: [1] } }, { devices: { acmes: [1] } }, "nested keys"],
    [{ assignments: [{ compute_id: 1 }] }, { assignments: [{ acme_id: 1 }] }, "keys in lists"],
    [
      { image: "compute/debian12", label: "compute/x" },
      { image: "acme/debian12", label: "compute/x" },
      "ids, not labels",
    ],
    [{ kernel: "compute/grub2" }, { kernel: "acme/grub2" }, "kernel ids"],
    [{ type: "compute", id: 3 }, { type: "acme", id: 3 }, "entity types"],
    [{ type: "g6-compute-1" }, { type: "g6-compute-1" }, "instance types are other words"],
    [{ action: "ACCEPT" }, { action: "ACCEPT" }, "a firewall rule has an action too"],
    [{ stackscript_data: { compute_id: "x" } }, { stackscript_data: { compute_id: "x" } }, "the user's own data"],
    [{ tags: ["compute"] }, { tags: ["compute"] }, "tags"],
  ])("%j is sent as %j: %s, and comes back the same", (ours, wire) => {
    expect(brand.toWire(ours, "/x")).toEqual(wire);
    expect(brand.fromWire(wire, "/x")).toEqual(ours);
  });

  test("events are read in our words", () => {
    const wire = {
      id: 9,
      action: "acme_boot",
      entity: { id: 1, type: "acme", label: "acme", url: "/v4/acme/instances/1" },
      message: "acme_boot of acme",
    };
    expect(brand.fromWire(wire, "/account/events")).toEqual({
      id: 9,
      action: "compute_boot",
      entity: { id: 1, type: "compute", label: "acme", url: "/v4/compute/instances/1" },
      message: "acme_boot of acme",
    });
  });

  test("grants and an app's scopes are read in our words", () => {
    const grants = { global: { add_acmes: true }, acme: [{ id: 1, label: "acmes", permissions: "read_only" }] };
    expect(brand.fromWire(grants, "/profile/grants")).toEqual({
      global: { add_computes: true },
      compute: [{ id: 1, label: "acmes", permissions: "read_only" }],
    });
    const app = { id: 1, scopes: "acmes:read_only account:read_write my-acmes:x" };
    expect(brand.fromWire(app, "/profile/apps/1")).toEqual({
      id: 1,
      scopes: "compute:read_only account:read_write my-acmes:x",
    });
  });

  test("filters are sent in the wire's words, behind operators too", () => {
    const filter = {
      "+or": [{ "entity.type": { "+neq": "compute" } }, { action: "compute_create" }],
      label: { "+contains": "compute/" },
      "+order_by": "compute_id",
    };
    expect(brand.toWire(filter, "/account/events")).toEqual({
      "+or": [{ "entity.type": { "+neq": "acme" } }, { action: "acme_create" }],
      label: { "+contains": "compute/" },
      "+order_by": "acme_id",
    });
  });

  test("a config is an entity of its own in events", () => {
    const event = { action: "acme_boot", secondary_entity: { type: "acme_config", id: "7", label: "acme_config" } };
    expect(brand.fromWire(event, "/account/events/1")).toEqual({
      action: "compute_boot",
      secondary_entity: { type: "compute_config", id: "7", label: "acme_config" },
    });
  });

  test("preferences are the user's own data and stay as they are", () => {
    const preferences = { compute: { compute_id: 1 }, acme_id: 2 };
    expect(brand.toWire(preferences, "/profile/preferences")).toBe(preferences);
    expect(brand.fromWire(preferences, "/profile/preferences")).toBe(preferences);
  });

  test("a key named like a prototype stays an ordinary key", () => {
    const wire = JSON.parse('{"__proto__": {"acme_id": 1}}') as Json;
    expect(JSON.stringify(brand.fromWire(wire, "/x"))).toBe('{"__proto__":{"compute_id":1}}');
  });
});

test("errors name our fields, and a busy instance is `Compute busy.`", () => {
  expect(brand.field("devices.acmes[0].acme_id")).toBe("devices.computes[0].compute_id");
  expect(brand.reason("Acme busy.")).toBe("Compute busy.");
  expect(brand.reason("Label Acme is taken")).toBe("Label Acme is taken");
});

test("scopes are plural on the wire and `compute` here", () => {
  expect(brand.scopes("acmes:read_write, account:read_only")).toEqual(["compute:read_write", "account:read_only"]);
  expect(brand.scopes("*")).toEqual(["*"]);
});

test("the word `compute` translates nothing and copies nothing", () => {
  const neutral = createBrand("compute");
  const rows = { data: [{ compute_id: 1 }] };
  expect(neutral.fromWire(rows, "/x")).toBe(rows);
  expect(neutral.path("/compute/instances")).toBe("/compute/instances");
  expect(neutral.scopes("compute:read_only account:read_only")).toEqual(["compute:read_only", "account:read_only"]);
});
