/** Who has access: what the rules refuse is revoked once, and what may be the operator's own never. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { mutationsOf } from "../read/odd-rows.ts";
import { changes, manage, messageOf, obey, stateOf } from "../support.ts";

const apps = "/profile/apps";
const devices = "/profile/devices";
const day = 86_400_000;

it("what the rules refuse is revoked once, and the status and an event say what and why", async () => {
  const world = await withPolicy({ apps: { allow: [{ label: "Dashboard" }] }, devices: { maxAgeDays: 30 } });
  expect(stateOf(world, "AccessPolicy", "rules"), messageOf(world, "AccessPolicy", "rules")).toBe("Ready");
  expect(changes(world)).toEqual([`DELETE ${apps}/12`, `DELETE ${devices}/21`]);
  const status = statusOf(world);
  expect(status["thirdPartyApps"]).toMatchObject({ count: 2 });
  expect(status["revoked"]).toMatchObject([
    { what: "Device", id: "21", name: "Old browser", why: "it is older than 30 days" },
    { what: "App", id: "12", name: "Backup tool", why: "it is not in spec.apps.allow" },
  ]);
  const notes = world.cluster.events().filter(({ reason }) => reason.startsWith("Revoke"));
  expect(notes.map(({ note }) => note)).toEqual([
    "App 12 (Backup tool) → nothing: it is not in spec.apps.allow",
    "Device 21 (Old browser) → nothing: it is older than 30 days",
  ]);
  world.restart();
  await world.advance(1_400_000);
  expect(changes(world)).toHaveLength(2);
  expect(statusOf(world)["revoked"]).toEqual(status["revoked"]);
});

it("without rules it only lists", async () => {
  const world = await withPolicy({});
  world.cloud.add("/profile/logins", { id: 31, datetime: "2026-01-01T00:00:00", ip: "192.0.2.1", status: "failed" });
  await world.advance(1_400_000);
  expect(changes(world)).toEqual([]);
  expect(statusOf(world)).toMatchObject({
    thirdPartyApps: { count: 3 },
    devices: { count: 2 },
    logins: { count: 1, failed: 1, entries: [{ id: "31", result: "failed" }] },
  });
});

it("a login to keep is read once, and shown when the cloud has forgotten it; one that is not known is left out", async () => {
  const login = { datetime: "2026-01-01T00:00:00", ip: "192.0.2.1", status: "failed", username: "ada" };
  const reads = (world: World): number =>
    world.cloud.ledger().filter(({ path }) => path === "/profile/logins/31").length;
  const world = await withPolicy({ keepLogins: ["31", "99"] }, (cloud) => {
    cloud.add("/profile/logins", { id: 31, ...login });
    return cloud.add("/profile/logins", { id: 32, ...login });
  });
  const kept = [{ id: "31", time: "2026-01-01T00:00:00Z", address: "192.0.2.1", result: "failed", username: "ada" }];
  expect(statusOf(world)["keptLogins"]).toEqual(kept);
  expect(stateOf(world, "AccessPolicy", "rules"), messageOf(world, "AccessPolicy", "rules")).toBe("Ready");
  world.cloud.remove("/profile/logins", "31");
  world.restart();
  await world.advance(1_400_000);
  expect(statusOf(world)).toMatchObject({ keptLogins: kept, logins: { entries: [{ id: "32" }] } });
  expect(reads(world)).toBe(1);
  world.cluster.patch("AccessPolicy", "rules", { spec: { keepLogins: null } });
  await world.advance(1_400_000);
  expect(statusOf(world)["keptLogins"]).toBeUndefined();
});

it("an app that comes later, or becomes too old, is revoked, too", async () => {
  const world = await withPolicy({ apps: { maxAgeDays: 2, notOwn: ["15"] } }, (cloud, ago) =>
    cloud.add(apps, { id: 15, label: "Ageing", scopes: "*", created: ago(2 - 1 / 48) }),
  );
  expect(changes(world)).toEqual([]);
  world.cloud.add(apps, { id: 14, label: "Older", scopes: "domains:read_only", created: daysAgo(world, 3) });
  await world.advance(1_400_000);
  expect(changes(world)).toEqual([`DELETE ${apps}/14`]);
  await world.advance(1_400_000);
  expect(changes(world)).toEqual([`DELETE ${apps}/14`, `DELETE ${apps}/15`]);
});

it.each([null, "0001-01-01T00:00:00", "never"])("what tells no time is not known to be old: %s", async (created) => {
  const world = await withPolicy({ devices: { maxAgeDays: 30 } }, (cloud) =>
    cloud.add(devices, { id: 23, user_agent: "Timeless", created }),
  );
  expect(changes(world)).toEqual([`DELETE ${devices}/21`]);
});

describe("the app of the operator's own token", () => {
  it("is never revoked: while nothing tells which it is, none that has all scopes of the token", async () => {
    const world = await withPolicy({ apps: { allow: [] } });
    expect(world.cloud.rows(apps).map(({ id }) => id)).toEqual([11, 13]);
    const { entries } = statusOf(world)["thirdPartyApps"] as { entries: JsonObject[] };
    expect(entries.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["11", "MayBeOwnToken"],
      ["13", "MayBeOwnToken"],
    ]);
  });

  it("stays beside one that may do as much and is named as not its own", async () => {
    const world = await withPolicy({ apps: { allow: [], notOwn: ["13"] } });
    expect(world.cloud.rows(apps).map(({ id }) => id)).toEqual([11]);
  });

  it("stays whatever comes later: only what is named goes", async () => {
    const world = await withPolicy({ apps: { allow: [], notOwn: ["13"] } }, (cloud) => cloud.remove(apps, "11"));
    world.cloud.add(apps, { id: 17, label: "Console", scopes: "*", created: daysAgo(world, 0) });
    await world.advance(1_400_000);
    expect(world.cloud.rows(apps).map(({ id }) => id)).toEqual([17]);
    expect(statusOf(world)["thirdPartyApps"]).toMatchObject({ entries: [{ id: "17", verdict: "MayBeOwnToken" }] });
  });

  it("stays where something on the way has shown other scopes once", async () => {
    const world = await withPolicy({}, (cloud) => (cloud.settings.scopes = "compute:read_only"));
    world.cloud.settings.scopes = "*";
    await world.advance(1_400_000);
    world.cluster.patch("AccessPolicy", "rules", { spec: { apps: { allow: [] } } });
    await world.advance(1_400_000);
    expect(world.cloud.rows(apps).map(({ id }) => id)).toEqual([11, 12, 13]);
  });

  it("is not given up by a name in notOwn alone: the rules must refuse it", async () => {
    const world = await withPolicy({ apps: { allow: [{ id: "13" }], notOwn: ["13"] } });
    expect(world.cloud.rows(apps).map(({ id }) => id)).toEqual([11, 13]);
  });

  it("may be any where the app tells no scopes", async () => {
    const world = await withPolicy({ apps: { allow: [{ label: "Dashboard" }, { label: "Console" }] } }, (cloud) =>
      cloud.add(apps, { id: 15, label: "Silent", scopes: null, created: null }),
    );
    expect(changes(world)).toEqual([`DELETE ${apps}/12`]);
  });
});

describe("nothing is revoked", () => {
  it.each([
    { management: { policy: "Observe" }, state: "Ready" },
    { management: { driftPolicy: "Report" }, state: "Ready" },
    { management: { policy: "Plan" }, state: "WaitingForApproval" },
    { management: { policy: "Paused" }, state: "Paused" },
  ])("under $management, also after a change of the rules", async ({ management, state }) => {
    const world = await withPolicy({ apps: { allow: [] }, management });
    expect(stateOf(world, "AccessPolicy", "rules")).toBe(state);
    world.cluster.patch("AccessPolicy", "rules", { spec: { devices: { maxAgeDays: 1 } } });
    await world.advance(1_400_000);
    world.restart();
    await world.advance(1_400_000);
    expect(changes(world)).toEqual([]);
  });

  it("by Report, and what would be is said", async () => {
    const world = await withPolicy({ apps: { allow: [] }, management: { driftPolicy: "Report" } });
    expect(conditionOf(world.cluster.get("AccessPolicy", "rules"), "Drifted")?.message).toContain("Backup tool");
    manage(world, "AccessPolicy", "rules", { driftPolicy: null });
    await world.advance(1_400_000);
    expect(changes(world)).toEqual([`DELETE ${apps}/12`]);
  });

  it("by Plan before it is approved, and then once", async () => {
    const world = await withPolicy({ apps: { allow: [] }, management: { policy: "Plan" } });
    obey(world, "AccessPolicy", "rules");
    await world.advance(1_400_000);
    expect(world.cluster.get("AccessPolicy", "rules")).toBeReady();
    expect(changes(world)).toEqual([`DELETE ${apps}/12`]);
  });

  it("by the second of two policies of one account, which says Conflict", async () => {
    const world = await withPolicy({});
    world.cluster.create("AccessPolicy", "second", { apps: { allow: [] } });
    await world.advance(700_000);
    expect(stateOf(world, "AccessPolicy", "second")).toBe("Conflict");
    expect(changes(world)).toEqual([]);
  });

  it("from another namespace without a grant", async () => {
    const world = await withPolicy({});
    world.cluster.patch("CloudAccount", "default", { spec: { sharing: { namespaces: ["shop"] } } });
    const accountRef = { name: "default", namespace: "default" };
    world.cluster.create("AccessPolicy", "theirs", { apps: { allow: [] }, accountRef }, { namespace: "shop" });
    await world.advance(700_000);
    expect(JSON.stringify(world.cluster.get("AccessPolicy", "theirs", "shop")?.status)).toContain(
      "sharing.accountWide",
    );
    expect(changes(world)).toEqual([]);
  });
});

it("what has another app's id since the list was read stays", async () => {
  const world = await withPolicy({});
  const row = world.cloud.rows(apps).find(({ id }) => id === 12);
  world.cloud.replace(apps, "12", { ...row, label: "Dashboard" });
  const spec = { apps: { allow: [{ label: "Dashboard" }, { label: "Console" }] } };
  world.cluster.patch("AccessPolicy", "rules", { spec });
  await world.advance(700_000);
  expect(changes(world)).toEqual([]);
  expect(world.cluster.get("AccessPolicy", "rules")).toBeReady();
});

it("a revocation without a response is looked up, and one that fails is tried again", async () => {
  const world = await withPolicy({ apps: { allow: [] } }, (cloud) => {
    cloud.fault({ kind: "lostAfter", method: "DELETE", path: /apps/ });
  });
  expect(world.cluster.get("AccessPolicy", "rules")).toBeReady();
  expect(changes(world)).toHaveLength(1);
  expect(statusOf(world)["revoked"]).toMatchObject([{ what: "App", id: "12", name: "Backup tool" }]);
  expect(world.cluster.events().map(({ note }) => note)).toContain(
    "App 12 (Backup tool) → nothing: it is not in spec.apps.allow",
  );
  world.cloud.add(apps, { id: 16, label: "Other", scopes: "domains:read_only", created: daysAgo(world, 1) });
  world.cloud.fault({ kind: "html502", method: "DELETE", path: /apps/ });
  await world.advance(1_400_000);
  expect(world.cloud.rows(apps).map(({ id }) => id)).toEqual([11, 13]);
});

it("no odd form of the rows has anything revoked that the rules let be", async () => {
  const world = await withPolicy({
    apps: { allow: [{ label: "Dashboard" }, { label: "Console" }, { label: "Backup tool" }], maxAgeDays: 30 },
    devices: { maxAgeDays: 60 },
  });
  const forms = [
    { path: apps, id: "12" },
    { path: devices, id: "22" },
  ].flatMap(({ path, id }) => {
    const row = world.cloud.find(path, id)!;
    return mutationsOf(row.fields).map(({ name, row: odd }) => ({ name, odd, of: row }));
  });
  for (const { name, odd, of } of forms.filter((form) => form.name !== "label: a new word")) {
    const good = of.fields;
    of.fields = odd;
    await world.advance(1_300_000);
    expect(changes(world), name).toEqual([]);
    of.fields = good;
  }
});

it("of many apps fifty are shown, and all are counted", async () => {
  const world = await withPolicy({}, (cloud) => {
    for (let id = 100; id < 170; id += 1) cloud.add(apps, { id, label: `App ${id}`, scopes: "*", created: null });
  });
  const { count, entries } = statusOf(world)["thirdPartyApps"] as { count: number; entries: unknown[] };
  expect([count, entries.length]).toEqual([73, 50]);
});

/** A user with three apps, of which one may little, and two devices, of which one is old. */
async function withPolicy(
  { management, ...spec }: { management?: object; [field: string]: unknown },
  prepare: (cloud: World["cloud"], ago: (days: number) => string) => unknown = () => undefined,
): Promise<World> {
  const world = createWorld();
  const { cloud } = world;
  cloud.add(apps, { id: 11, label: "Dashboard", scopes: "*", created: daysAgo(world, 1), expiry: null });
  cloud.add(apps, { id: 12, label: "Backup tool", scopes: "compute:read_only", created: daysAgo(world, 1) });
  cloud.add(apps, { id: 13, label: "Console", scopes: "*", created: daysAgo(world, 1) });
  cloud.add(devices, { id: 21, user_agent: "Old browser", created: daysAgo(world, 31) });
  cloud.add(devices, { id: 22, user_agent: "Browser", created: daysAgo(world, 29) });
  prepare(cloud, (days) => daysAgo(world, days));
  world.cluster.create("AccessPolicy", "rules", spec, { ...(management && { management }) });
  await world.advance(60_000);
  return world;
}

function daysAgo({ clock }: World, days: number): string {
  return new Date(clock.date().getTime() - days * day).toISOString().slice(0, 19);
}

function statusOf(world: World): JsonObject {
  return (world.cluster.get("AccessPolicy", "rules")?.status ?? {}) as JsonObject;
}
