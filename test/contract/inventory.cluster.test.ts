/** An inventory on the simulator: every list is one that the cloud API has, and what is managed is known in each. */
import { expect } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import { counted } from "../../src/kinds/account/inventory-rows.ts";
import { resourceOf } from "../../src/core/kind/resource.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { contractTest } from "./support/contract-test.ts";
import { standing, stageOf } from "./support/stage.ts";
import { neededSubject } from "./support/subjects.ts";

contractTest("an inventory reads every list, and tells what is managed from what is not", async ({ world }) => {
  const needed = [
    { kind: "ComputeInstance", example: "web-1" },
    { kind: "Bucket", example: "media" },
    { kind: "SSHKey", example: "laptop" },
  ];
  for (const need of needed) await standing(stageOf(world, neededSubject(need)));
  await world.stranger.send("POST", "/object-storage/buckets", { cluster: "us-east-1", label: "of-others" });
  await world.stranger.send("POST", "/compute/instances", {
    region: "us-east",
    type: "g6-standard-1",
    label: "others",
  });
  world.simulator.control.clearLedger();
  const kind = kinds.find((one) => one.kind === "Inventory")!;
  const metadata = { name: "all", namespace: world.namespace };
  await world.kube.create(resourceOf(kind), {
    apiVersion: "cloudplatform.dev/v1alpha1",
    kind: "Inventory",
    metadata,
    spec: {},
  });
  const { status } = await world.ready("Inventory", "all");
  const { lists, monthly } = status as { lists: JsonObject[]; monthly: string };
  expect(lists.filter(({ readable }) => !readable)).toEqual([]);
  expect(lists.map(({ name }) => name)).toEqual(Object.keys(counted));
  const of = (name: string) => lists.find((one) => one["name"] === name);
  expect(of("instances")).toMatchObject({ count: 2, unmanaged: 1, rows: [{ label: "others", region: "us-east" }] });
  expect(of("buckets")).toMatchObject({ unmanaged: 1, rows: [{ id: "us-east-1/of-others" }] });
  expect(of("sshKeys")).toMatchObject({ unmanaged: 0 });
  // The IPv4 and the IPv6 address of the instance that is managed.
  expect(Number(of("ips")?.["count"]) - Number(of("ips")?.["unmanaged"])).toBe(2);
  expect(of("tags")).toMatchObject({ rows: [] });
  expect(monthly).toMatch(/^\$[1-9]\d*\.\d\d$/);
  expect(world.simulator.control.ledger({ mutating: true })).toEqual([]);
  await world.remove("Inventory", "all");
  await world.gone("Inventory", "all");
});
