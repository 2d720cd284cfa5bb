/** Adoption and plans on a real API server: nothing changes by surprise, and the text shows old and new values. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { approveAnnotation } from "../../src/core/kind/annotations.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { createStranger } from "./support/stranger.ts";

const policies = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
const ssh = { action: "ACCEPT", protocol: "TCP", ports: "22", addresses: { ipv4: ["203.0.113.0/24"] } };
const line = 'inbound: {"action":"ACCEPT","protocol":"TCP","ports":"22","ipv4":["203.0.113.0/24"]} → nothing';

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

/** Creates a firewall with a live SSH rule by hand, and returns its ID and a mark in the ledger. */
async function firewall(label: string): Promise<{ id: number; mark: number }> {
  const rules = { inbound: [ssh], inbound_policy: "DROP", outbound: [], outbound_policy: "ACCEPT" };
  const made = (await createStranger(world.simulator).send("POST", "/networking/firewalls", { label, rules })) as {
    id: number;
  };
  return { id: made.id, mark: world.simulator.control.ledger().at(-1)?.id ?? 0 };
}

const sentSince = (sinceId: number) => world.simulator.control.ledger({ mutating: true, sinceId });

function rulesOf(id: number): unknown {
  return world.simulator.control.rows("firewall").find((row) => row["id"] === id)?.["rules"];
}

test("a Firewall that is adopted with policies alone keeps its rules, also when a policy changes", async () => {
  const { id, mark } = await firewall("kept");
  const management = { adopt: { id: String(id) } };
  await world.apply(world.object("Firewall", "kept", { ...policies, management }));
  await world.ready("Firewall", "kept");
  expect(sentSince(mark)).toEqual([]);
  await world.patch("Firewall", "kept", { spec: { outboundPolicy: "DROP" } });
  await expect.poll(() => rulesOf(id)).toMatchObject({ inbound: [{ ports: "22" }], outbound_policy: "DROP" });
});

test("a Firewall that is adopted with an empty list loses its rule only after the approval", async () => {
  const { id, mark } = await firewall("asked");
  const management = { adopt: { id: String(id) } };
  await world.apply(world.object("Firewall", "asked", { ...policies, inbound: [], management }));
  const asked = await world.condition("Firewall", "asked", "Reconciling", "AdoptionDiffers");
  expect(conditionOf(asked, "Ready")?.message).toContain(line);
  expect(asked.status?.["plan"]).toMatchObject({ operations: [{ note: line }], total: 1 });
  expect(sentSince(mark)).toEqual([]);
  const hash = (asked.status?.["plan"] as { hash: string } | undefined)?.hash;
  await world.patch("Firewall", "asked", { metadata: { annotations: { [approveAnnotation]: hash } } });
  await world.ready("Firewall", "asked");
  expect(rulesOf(id)).toMatchObject({ inbound: [] });
});

test("a Firewall that is adopted with overwrite changes at once", async () => {
  const { id } = await firewall("overwritten");
  const management = { adopt: { id: String(id), overwrite: true } };
  await world.apply(world.object("Firewall", "overwritten", { ...policies, inbound: [], management }));
  await world.ready("Firewall", "overwritten");
  expect(rulesOf(id)).toMatchObject({ inbound: [] });
});

test("the API server accepts a resize without a permission under the policy Plan, and the plan says what is missing", async () => {
  const machine = { region: "us-east", type: "g6-standard-1" };
  await world.apply(world.object("ComputeInstance", "web", machine));
  await world.ready("ComputeInstance", "web");
  const mark = world.simulator.control.ledger().at(-1)?.id ?? 0;
  await world.patch("ComputeInstance", "web", { spec: { management: { policy: "Plan" }, type: "g6-standard-2" } });
  const planned = await world.condition("ComputeInstance", "web", "Reconciling", "WaitingForApproval");
  expect(planned.status?.["plan"]).toMatchObject({
    operations: [
      {
        note: 'type: "g6-standard-1" → "g6-standard-2"',
        refused: "spec.allowDisruption lacks Resize. Add it, or change spec.type back",
      },
    ],
    stops: true,
    monthly: { before: expect.stringMatching(/^\$\d+\.\d\d$/), after: expect.stringMatching(/^\$\d+\.\d\d$/) },
  });
  await world.patch("ComputeInstance", "web", { spec: { management: { policy: null } } });
  await world.condition("ComputeInstance", "web", "Stalled", "DisruptionNotAllowed");
  expect(sentSince(mark)).toEqual([]);
});
