/** A changed VLAN on a running instance: the status asks for a restart, and a permission in the spec performs it once. */
import { expect, onTestFinished, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import { eventually } from "./support/stage.ts";

const vlan = (label: string) => ({ interfaces: [{ purpose: "public" }, { purpose: "vlan", label }] });

test("Restart in allowDisruption restarts a running instance whose VLAN changed", async () => {
  const world = await startWorld(sharedControlPlane());
  onTestFinished(() => world.stop());
  const spec = { region: "us-east", type: "g6-standard-1", image: "compute/debian12", ...vlan("green") };
  await world.apply(world.object("ComputeInstance", "web", spec));
  await world.ready("ComputeInstance", "web");
  const restarts = () => world.simulator.control.ledger().filter(({ path }) => path.endsWith("/reboot"));
  await world.patch("ComputeInstance", "web", { spec: vlan("blue") });
  const object = await world.condition("ComputeInstance", "web", "Drifted", "Drifted");
  expect(conditionOf(object, "Drifted")?.message).toContain("add Restart to spec.allowDisruption");
  expect(restarts()).toEqual([]);
  await world.patch("ComputeInstance", "web", { spec: { allowDisruption: ["Restart"] } });
  await eventually(() => expect(restarts()).toHaveLength(1));
  await world.until("ComputeInstance", "web", (one) => conditionOf(one, "Drifted")?.status !== "True");
  await world.ready("ComputeInstance", "web");
  expect(restarts()).toHaveLength(1);
});
