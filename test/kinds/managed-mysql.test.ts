import { creationRequest } from "../../src/core/kind/fields.ts";
import { describe, expect, it } from "vitest";
import { managedMySQL } from "../../src/kinds/databases/managed-mysql.ts";
import { changed, live } from "./live.ts";

const spec = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
const wire = {
  id: 7,
  label: "web-1",
  region: "us-east",
  type: "g6-standard-1",
  cluster_size: 1,
  ssl_connection: true,
  allow_list: ["203.0.113.7/32", "192.0.2.0/24"],
  hosts: { primary: "db.example", secondary: "db-ro.example" },
  port: 3306,
  status: "active",
  version: "8.0.30",
  updates: { frequency: "weekly", day_of_week: 1, hour_of_day: 0, duration: 3, week_of_month: null },
  created: "2026-01-01T00:00:00",
};
const maintenance = { frequency: "weekly", dayOfWeek: 1, hourOfDay: 0, durationHours: 3 };

describe("a database is not updated where", () => {
  it.each([
    { because: "the list has another order", more: { allowList: ["192.0.2.0/24", "203.0.113.7/32"] } },
    { because: "the cloud adds /32 to an address", more: { allowList: ["203.0.113.7", "192.0.2.0/24"] } },
    { because: "the window is the same", more: { maintenance } },
    { because: "what the spec does not say is left alone", more: {} },
  ])("$because", ({ more }) => {
    expect(changed(managedMySQL, { spec: { ...spec, ...more }, wire })).toEqual([]);
  });
});

describe("a database is updated where", () => {
  it.each([
    { field: "allow_list", more: { allowList: [] } },
    { field: "updates", more: { maintenance: { ...maintenance, frequency: "monthly", weekOfMonth: 2 } } },
    { field: "label", more: { label: "other" } },
  ])("$field differs", ({ field, more }) => {
    expect(changed(managedMySQL, { spec: { ...spec, ...more }, wire })).toEqual([field]);
  });
});

it("a creation carries no maintenance window", () => {
  const wanted = live(managedMySQL, {
    spec: { ...spec, clusterSize: 3, replicationType: "asynch", allowList: ["192.0.2.1"], maintenance },
  });
  const call = creationRequest(managedMySQL, wanted);
  expect(call?.body).toEqual({
    label: "web-1",
    ...spec,
    cluster_size: 3,
    replication_type: "asynch",
    allow_list: ["192.0.2.1/32"],
  });
});

describe("states", () => {
  const ready = (row: object) => managedMySQL.ready?.(live(managedMySQL, { spec, wire: { ...wire, ...row } }));

  it.each([
    { status: "provisioning", reason: "Provisioning" },
    { status: "backing_up", reason: "Updating" },
    { status: "suspended", reason: "Busy" },
    { status: "degraded", reason: "Busy" },
    { status: "failed", reason: "Failed" },
  ])("$status is waited out, for only an active database takes changes", ({ status, reason }) => {
    expect(ready({ status })).toMatchObject({ ready: false, busy: true, reason });
  });

  it("active is ready once there are hosts", () => {
    expect(ready({})).toEqual({ ready: true });
    expect(ready({ hosts: null })).toMatchObject({ ready: false, reason: "Provisioning" });
  });

  it.each([
    { status: "active", may: true },
    { status: "failed", may: true },
    { status: "degraded", may: true },
    { status: "updating", may: false },
  ])("$status: removal is accepted: $may", ({ status, may }) => {
    expect(managedMySQL.removable?.({ status }).ready).toBe(may);
  });
});

describe("the connection Secret", () => {
  const { secret } = managedMySQL;
  const at = (more = {}, row = {}) =>
    live(managedMySQL, { name: "shop-db", spec: { ...spec, ...more }, wire: { ...wire, ...row } });
  const answers = {
    credentials: { username: "shop", password: "p@ss/w:rd" },
    ssl: { ca_certificate: Buffer.from("-----BEGIN CERTIFICATE-----\n").toString("base64") },
  };

  it("holds all that a client needs, the URI with its parts encoded", () => {
    expect(secret?.data(at(), answers)).toEqual({
      host: "db.example",
      secondaryHost: "db-ro.example",
      port: "3306",
      username: "shop",
      password: "p@ss/w:rd",
      uri: "mysql://shop:p%40ss%2Fw%3Ard@db.example:3306",
      ca: "-----BEGIN CERTIFICATE-----\n",
    });
  });

  it.each([
    { hosts: { primary: "db.example", standby: "db-ro.example" }, shown: "db-ro.example" },
    { hosts: { primary: "db.example", secondary: "db-ro.example", standby: "db-ro.example" }, shown: "db-ro.example" },
    { hosts: { primary: "db.example", secondary: null, standby: "db-ro.example" }, shown: "db-ro.example" },
    { hosts: { primary: "db.example", secondary: null, standby: null }, shown: undefined },
  ])("has one key for the second host, whatever the API calls it: $hosts", ({ hosts, shown }) => {
    expect(secret?.data(at({}, { hosts }), answers)["secondaryHost"]).toBe(shown);
    expect(managedMySQL.report(at({}, { hosts }), {})).toMatchObject({ hosts: { primary: "db.example" } });
    expect((managedMySQL.report(at({}, { hosts }), {}) as { hosts: object }).hosts).toEqual({
      primary: "db.example",
      ...(shown && { secondary: shown }),
    });
  });

  it("has no certificate where none is used", () => {
    expect(Object.keys(secret?.reads?.(at({}, { ssl_connection: false })) ?? {})).toEqual(["credentials"]);
    expect(secret?.data(at(), { credentials: answers.credentials })).not.toHaveProperty("ca");
  });

  it("is named after the object, or as the spec says", () => {
    expect(secret?.name(at())).toBe("shop-db-connection");
    expect(secret?.name(at({ connectionSecretName: "mine" }))).toBe("mine");
  });
});
