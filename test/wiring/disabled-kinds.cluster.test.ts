/** Kinds that are switched off: the operator lists the metadata of their objects, and tells objects that need them. */
import { afterEach, expect, test } from "vitest";
import { enabledKinds } from "../../src/wiring/enabled.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

test("are watched and not managed, and a reference to one says so", async () => {
  const asked: [string, string][] = [];
  const said: unknown[][] = [];
  const silent = () => undefined;
  world = await startWorld(sharedControlPlane(), {
    operator: {
      disabledKinds: ["Domain", "Tag"],
      log: { debug: silent, info: (...line) => said.push(line), warn: silent, error: silent },
      measures: { kubeRequest: ({ resource, verb }) => asked.push([resource, verb]) },
    },
  });
  await world.apply(
    world.object("Tag", "shop", { label: "shop" }),
    world.object("DomainRecord", "www", {
      domainRef: { name: "zone" },
      type: "A",
      name: "www",
      target: "192.0.2.1",
    }),
  );
  const record = await world.condition("DomainRecord", "www", "Stalled", "NotPermitted");
  expect(conditionOf(record, "Ready")?.message).toBe(
    "spec.domainRef.name: the kind Domain is disabled in this operator (--disabled-kind). Use {id: …}, or enable the kind",
  );
  expect(said).toContainEqual([
    { kinds: ["Domain", "Tag"] },
    "kinds are disabled: the operator does not reconcile their objects. Objects with the finalizer of the operator still block the deletion of objects that they may need",
  ]);
  expect(asked.map(([resource]) => resource)).toContain("domainrecords");
  const left = asked.filter(([resource]) => resource === "domains" || resource === "tags");
  expect(left.filter(([, verb]) => verb !== "list" && verb !== "watch")).toEqual([]);
  expect((await world.get("Tag", "shop"))?.metadata.finalizers).toBeUndefined();
  expect(world.simulator.control.ledger({ mutating: true })).toEqual([]);
});

test.each([
  ["CloudAccount", "CloudAccount cannot be disabled: all kinds need it"],
  ["Tagg", "there is no kind Tagg; kinds are AccessPolicy, AccountAction, "],
])("%s is refused at the start", (kind, says) => {
  expect(() => enabledKinds(["Tag", kind])).toThrow(says);
});
