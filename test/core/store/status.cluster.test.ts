import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
beforeEach(async () => {
  world = await startWorld(sharedControlPlane());
});
afterEach(() => world.stop());

const firewall = () => world.object("Firewall", "edge", { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" });

test("a value that is longer than the status allows is cut, and the object keeps its id and conditions", async () => {
  await world.apply(firewall());
  const { status } = await world.ready("Firewall", "edge");
  world.simulator.control.change("firewall", Number(status?.["id"]), {
    status: "enabled-with-a-new-mode-of-the-service",
  });
  const cut = await world.until("Firewall", "edge", (object) => object.status?.["state"] !== "enabled");
  expect(cut.status).toMatchObject({ id: status?.["id"], state: "enabled-with-a-new-mode-of-the-s" });
});
