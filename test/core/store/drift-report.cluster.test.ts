import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
beforeEach(async () => {
  world = await startWorld(sharedControlPlane());
});
afterEach(() => world.stop());

const report = { management: { driftPolicy: "Report" } };
const machine = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
const stored = () => world.simulator.control.rows("instance")[0] ?? {};

test("a resize that was asked for is made, though the cloud was busy when it was first seen and drift is only reported", async () => {
  await world.apply(world.object("ComputeInstance", "web", { ...machine, ...report }));
  await world.ready("ComputeInstance", "web");
  const path = "/compute/instances/*/resize";
  world.simulator.control.faults.add({
    kind: "status",
    status: 400,
    reason: "Compute busy.",
    method: "POST",
    path,
    times: 2,
  });
  await world.patch("ComputeInstance", "web", { spec: { type: "g6-standard-2", allowDisruption: ["Resize"] } });
  await world.condition("ComputeInstance", "web", "Reconciling", "Busy");
  await world.ready("ComputeInstance", "web", 30_000);
  expect(stored()).toMatchObject({ type: "g6-standard-2" });
});

test("what is taken over while drift is only reported is left as it is", async () => {
  await world.apply(world.object("ComputeInstance", "maker", { ...machine, management: { deletionPolicy: "Orphan" } }));
  const { status } = await world.ready("ComputeInstance", "maker");
  await world.remove("ComputeInstance", "maker");
  await world.gone("ComputeInstance", "maker");
  const management = { driftPolicy: "Report", adopt: { id: String(status?.["id"]) } };
  await world.apply(world.object("ComputeInstance", "taker", { ...machine, label: "another-name", management }));
  const taken = await world.ready("ComputeInstance", "taker");
  expect(conditionOf(taken, "Drifted")?.message).toBe('spec.label: cloud has "maker", spec says "another-name"');
  expect(stored()).toMatchObject({ label: "maker" });

  await world.patch("ComputeInstance", "taker", { spec: { label: "renamed-at-last" } });
  await world.until("ComputeInstance", "taker", (object) => conditionOf(object, "Drifted") === undefined);
  expect(stored()).toMatchObject({ label: "renamed-at-last" });
});

test("what is only observed tells all that differs from its spec, rules included; brought to what is there and then managed, it stays as it is", async () => {
  const open = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
  const inbound = [{ action: "ACCEPT", protocol: "TCP", ports: "22", ipv4: ["192.0.2.0/24"] }];
  await world.apply(world.object("Firewall", "maker", { ...open, inbound, management: { deletionPolicy: "Orphan" } }));
  const { status } = await world.ready("Firewall", "maker");
  await world.remove("Firewall", "maker");
  await world.gone("Firewall", "maker");
  const last = world.simulator.control.ledger().at(-1)?.id ?? 0;
  const management = { policy: "Observe", adopt: { id: String(status?.["id"]) } };
  const wanted = { ...open, label: "watched", inbound: [] };
  await world.apply(world.object("Firewall", "watcher", { ...wanted, management }));
  const observed = await world.ready("Firewall", "watcher");
  const message = conditionOf(observed, "Drifted")?.message;
  expect(message).toContain('spec.label: cloud has "maker", spec says "watched"');
  expect(message).toContain(
    'spec.inbound[0]: cloud has {"action":"ACCEPT","protocol":"TCP","ports":"22","ipv4":["192.0.2.0/24"]}',
  );

  await world.patch("Firewall", "watcher", { spec: { inbound, label: "maker" } });
  await world.until("Firewall", "watcher", (object) => conditionOf(object, "Drifted") === undefined);
  await world.patch("Firewall", "watcher", { spec: { management: { policy: null } } });
  await world.condition("Firewall", "watcher", "Ready", "Ready");
  expect(world.simulator.control.ledger({ mutating: true, sinceId: last })).toEqual([]);
});
