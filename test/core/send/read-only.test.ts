/** A read-only operator changes nothing in the cloud: each object shows its plan, and a deletion waits. */
import { approveAnnotation, orphanAnnotation } from "../../../src/core/kind/annotations.ts";
import { expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World, WorldOptions } from "../../world/world.ts";
import { changes, idOf, idsIn, madeMs, messageOf, obey, paths, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const kinds = Object.keys(specs) as CaseKind[];

it.each(kinds)("a %s is planned, and created after a restart of the operator without readOnly", async (kind) => {
  const options: WorldOptions = { readOnly: true };
  const world = createWorld(options);
  world.cluster.create(kind, "new", specs[kind]);
  await world.advance(700_000);
  expect(stateOf(world, kind, "new")).toBe("ReadOnly");
  expect(operationsOf(world, kind, "new")).toMatchObject([{ method: "POST" }]);
  expect(messageOf(world, kind, "new")).toContain("set readOnly in the values of the chart to false");
  expect(changes(world)).toEqual([]);
  restart(world, options, false);
  await world.advance(madeMs);
  expect(world.cluster.get(kind, "new")).toBeReady();
  expect(operationsOf(world, kind, "new")).toEqual([]);
  expect(idsIn(world, kind)).toHaveLength(1);
});

it.each(kinds)("the deletion of a %s waits, and names the ways out", async (kind) => {
  const { world, options } = await withObject(kind);
  restart(world, options, true);
  world.cluster.delete(kind, "web");
  await world.advance(700_000);
  expect(stateOf(world, kind, "web")).toBe("ReadOnly");
  expect(operationsOf(world, kind, "web")).toMatchObject([{ method: "DELETE" }]);
  expect(messageOf(world, kind, "web")).toContain("readOnly");
  expect(messageOf(world, kind, "web")).toContain(`${orphanAnnotation}=true`);
  expect(idsIn(world, kind)).toHaveLength(1);
  restart(world, options, false);
  await world.advance(madeMs);
  expect(world.cluster.get(kind, "web")).toBeUndefined();
  expect(idsIn(world, kind)).toEqual([]);
});

it("a deletion ends with the command in the message, and the cloud object stays", async () => {
  const { world, options } = await withObject("Domain");
  restart(world, options, true);
  const before = changes(world).length;
  world.cluster.delete("Domain", "web");
  await world.advance(60_000);
  obey(world, "Domain", "web");
  await world.advance(60_000);
  expect(world.cluster.get("Domain", "web")).toBeUndefined();
  expect(idsIn(world, "Domain")).toHaveLength(1);
  expect(changes(world)).toHaveLength(before);
});

it("an object that never got a cloud object is deleted at once", async () => {
  const world = createWorld({ readOnly: true });
  world.cluster.create("Domain", "web", specs.Domain);
  await world.advance(60_000);
  world.cluster.delete("Domain", "web");
  await world.advance(1_000);
  expect(world.cluster.get("Domain", "web")).toBeUndefined();
});

it("a difference is planned, and not corrected", async () => {
  const { world, options } = await withObject("Firewall");
  restart(world, options, true);
  const before = changes(world).length;
  const rules = { inbound: [], inbound_policy: "ACCEPT", outbound: [], outbound_policy: "ACCEPT" };
  world.cloud.change(paths.Firewall, idOf(world, "Firewall", "web"), { rules });
  await world.advance(700_000);
  expect(stateOf(world, "Firewall", "web")).toBe("ReadOnly");
  expect(operationsOf(world, "Firewall", "web")).toMatchObject([{ method: "PUT" }]);
  expect(changes(world)).toHaveLength(before);
});

it("with driftPolicy Report, a difference is drift as before, and no plan", async () => {
  const { world, options } = await withObject("Firewall", { driftPolicy: "Report" });
  restart(world, options, true);
  const rules = { inbound: [], inbound_policy: "ACCEPT", outbound: [], outbound_policy: "ACCEPT" };
  world.cloud.change(paths.Firewall, idOf(world, "Firewall", "web"), { rules });
  await world.advance(700_000);
  expect(conditionOf(world.cluster.get("Firewall", "web"), "Drifted")?.status).toBe("True");
  expect(operationsOf(world, "Firewall", "web")).toEqual([]);
});

it("an approval has no effect, also after the operator is no longer read-only", async () => {
  const options: WorldOptions = { readOnly: true };
  const world = createWorld(options);
  world.cluster.create("SSHKey", "web", specs.SSHKey, { management: { policy: "Plan" } });
  await world.advance(60_000);
  const { hash } = (world.cluster.get("SSHKey", "web")?.status?.["plan"] ?? {}) as { hash?: string };
  world.cluster.annotate("SSHKey", "web", { [approveAnnotation]: hash ?? "" });
  await world.advance(700_000);
  expect(stateOf(world, "SSHKey", "web")).toBe("ReadOnly");
  restart(world, options, false);
  await world.advance(700_000);
  expect(stateOf(world, "SSHKey", "web")).toBe("WaitingForApproval");
  expect(messageOf(world, "SSHKey", "web")).toContain(`The annotation approves ${hash}, which is another plan`);
  expect(changes(world)).toEqual([]);
  obey(world, "SSHKey", "web");
  await world.advance(60_000);
  expect(world.cluster.get("SSHKey", "web")).toBeReady();
});

async function withObject(kind: CaseKind, management: object = {}): Promise<{ world: World; options: WorldOptions }> {
  const options: WorldOptions = { readOnly: false };
  const world = createWorld(options);
  world.cluster.create(kind, "web", specs[kind], { management });
  await world.advance(madeMs);
  expect(world.cluster.get(kind, "web")).toBeReady();
  return { world, options };
}

function restart(world: World, options: WorldOptions, readOnly: boolean): void {
  options.readOnly = readOnly;
  world.restart();
}

function operationsOf(world: World, kind: string, name: string): object[] {
  const { operations = [] } = (world.cluster.get(kind, name)?.status?.["plan"] ?? {}) as { operations?: object[] };
  return operations;
}
