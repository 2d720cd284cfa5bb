/** Specs, accounts and Secrets that are corrected as the message says. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idsIn, messageOf, paths, specs, stateOf } from "../support.ts";

const soonMs = 60_000;
const instance = { label: "old", status: "running", ...specs.ComputeInstance };
const wall = { ...specs.Firewall, label: "wall" };

it("an endpoint that the operator does not have: one that the message names serves", async () => {
  const world = createWorld({ account: false });
  world.cluster.secret("cloud-token", { token: "token-of-default" });
  const tokenSecretRef = { name: "cloud-token" };
  world.cluster.create("CloudAccount", "default", { endpoint: "mars", tokenSecretRef });
  world.cluster.create("SSHKey", "laptop", specs.SSHKey);
  await world.advance(soonMs);
  expect(stateOf(world, "SSHKey", "laptop")).toBe("UnknownEndpoint");
  const [, named] = /Use one of: (\S+)/.exec(messageOf(world, "CloudAccount", "default")) ?? [];
  world.cluster.patch("CloudAccount", "default", { spec: { endpoint: named } });
  await world.advance(soonMs);
  expect(world.cluster.get("SSHKey", "laptop")).toBeReady();
});

it("a field that only a newer version knows: removed, the object goes on", async () => {
  const world = createWorld();
  world.cluster.create("SSHKey", "laptop", { ...specs.SSHKey, colour: "red" });
  await world.advance(soonMs);
  expect(stateOf(world, "SSHKey", "laptop")).toBe("InvalidSpec");
  expect(messageOf(world, "SSHKey", "laptop")).toContain("spec.colour");
  world.cluster.patch("SSHKey", "laptop", { spec: { colour: null } });
  await world.advance(soonMs);
  expect(world.cluster.get("SSHKey", "laptop")).toBeReady();
});

it("an object whose stored spec does not fit is deleted all the same", async () => {
  const world = createWorld();
  world.cluster.create("SSHKey", "laptop", specs.SSHKey);
  await world.advance(soonMs);
  world.cluster.patch("SSHKey", "laptop", { spec: { label: 7 } });
  await world.advance(soonMs);
  expect(stateOf(world, "SSHKey", "laptop")).toBe("InvalidSpec");
  world.cluster.delete("SSHKey", "laptop");
  await world.advance(soonMs);
  expect(idsIn(world, "SSHKey")).toEqual([]);
});

describe("two objects that want one name at the same moment", () => {
  it.each(["SSHKey", "Firewall", "ComputeInstance"] as const)(
    "%s: one is made; the other one names it, and goes on with another label",
    async (kind) => {
      const world = createWorld();
      await world.settle();
      const spec = { ...specs[kind], label: "same-label" };
      for (const name of ["first", "second"]) world.cluster.create(kind, name, spec);
      await world.advance(120_000);
      const states = ["first", "second"].map((name) => stateOf(world, kind, name));
      expect(new Set(states)).toEqual(new Set(["Conflict", "Ready"]));
      const loser = states[0] === "Conflict" ? "first" : "second";
      expect(messageOf(world, kind, loser)).toContain(`default/${loser === "first" ? "second" : "first"}`);
      world.cluster.patch(kind, loser, { spec: { label: "other-label" } });
      await world.advance(120_000);
      expect(world.cluster.get(kind, loser)).toBeReady();
      expect(idsIn(world, kind)).toHaveLength(2);
    },
  );
});

describe("an {id} in a reference", () => {
  it("that a restricted user does not see serves when the grant is given", async () => {
    const world = createWorld();
    const row = world.cloud.add(paths.ComputeInstance, instance);
    world.cloud.withdraw("ada", [row.serial]);
    world.cluster.create("Firewall", "wall", { ...wall, instanceRefs: [{ id: row.id }] });
    await world.advance(soonMs);
    expect(stateOf(world, "Firewall", "wall")).toBe("InvalidSpec");
    expect(messageOf(world, "Firewall", "wall")).toContain("grant");
    world.cloud.user("ada").hidden.clear();
    await world.advance(700_000);
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
  });

  it("from another namespace serves once spec.sharing.existing names it", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.ComputeInstance, instance);
    const accountRef = { name: "default", namespace: "default" };
    const share = (sharing: object) => world.cluster.patch("CloudAccount", "default", { spec: { sharing } });
    share({ namespaces: ["shop"] });
    const spec = { ...wall, accountRef, instanceRefs: [{ id }] };
    world.cluster.create("Firewall", "wall", spec, { namespace: "shop" });
    await world.advance(soonMs);
    expect(world.cloud.rows(paths.Firewall)).toEqual([]);
    share({ namespaces: ["shop"], existing: ["shop"] });
    await world.advance(soonMs);
    expect(world.cloud.rows(paths.Firewall)).toHaveLength(1);
  });
});

describe("a Secret that a rebuild needs", () => {
  const spec = {
    ...specs.ComputeInstance,
    allowDisruption: ["Rebuild"],
    userDataSecretRef: { name: "user-data" },
    rootPasswordSecretRef: { name: "root" },
  };

  async function gone(name: string): Promise<World> {
    const world = createWorld();
    world.cluster.secret("user-data", { "user-data": "#cloud-config" });
    world.cluster.secret("root", { password: "long enough" });
    world.cluster.create("ComputeInstance", "web", spec);
    await world.advance(soonMs);
    world.cluster.delete("Secret", name);
    world.cluster.patch("ComputeInstance", "web", { spec: { image: "compute/debian13" } });
    await world.advance(soonMs);
    return world;
  }

  it.each([
    ["user-data", "spec.userDataSecretRef", { "user-data": "#cloud-config" }],
    ["root", "spec.rootPasswordSecretRef", { password: "long enough too" }],
  ])("%s: it is named where it is gone, and once it is there the rebuild is done, once", async (name, field, data) => {
    const world = await gone(name);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("InvalidSpec");
    expect(messageOf(world, "ComputeInstance", "web")).toContain(field);
    const since = world.cloud.ledger().length;
    world.cluster.secret(name, data);
    await world.advance(120_000);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(changes(world, since)).toHaveLength(1);
    expect(world.cloud.rows(paths.ComputeInstance)).toMatchObject([{ image: "compute/debian13" }]);
  });
});

it.each([
  ["no JSON", "{"],
  ["a list", "[]"],
])("answers to a StackScript that are %s are refused with their field, and good ones serve", async (_, data) => {
  const world = createWorld();
  world.cluster.secret("answers", { data });
  const stackScript = { id: 5, dataSecretRef: { name: "answers" } };
  world.cluster.create("ComputeInstance", "web", { ...specs.ComputeInstance, stackScript });
  await world.advance(soonMs);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("InvalidSpec");
  expect(messageOf(world, "ComputeInstance", "web")).toContain("spec.stackScript.dataSecretRef");
  expect(changes(world)).toEqual([]);
  const ref = { namespace: "default", name: "answers" };
  world.cluster.objects.patch(secrets, ref, { stringData: { data: '{"port": "80"}' } });
  await world.advance(soonMs);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
});

describe("what the cloud refuses", () => {
  it("is sent again at growing intervals, and at once when the spec is corrected", async () => {
    const world = createWorld();
    await world.settle();
    world.cloud.add(paths.Firewall, { label: "hidden" }, undefined);
    world.cloud.settings.listLagMs = 3_600_000;
    world.cluster.create("Firewall", "hidden", specs.Firewall);
    await world.advance(240_000);
    expect(stateOf(world, "Firewall", "hidden")).toBe("Refused");
    // After 1, 3, 7, 15, 31, 63 and 127 seconds.
    expect(changes(world)).toHaveLength(8);
    world.cluster.patch("Firewall", "hidden", { spec: { label: "shown" } });
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "hidden")).toBeReady();
    expect(changes(world)).toHaveLength(9);
  });
});
