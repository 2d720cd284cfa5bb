import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

test("a key for a bucket of a region without clusters is no drift, and is found if the response to its creation is lost", async () => {
  await world.apply(world.object("Bucket", "media", { cluster: "us-ord", acl: "private" }));
  const bucket = await world.ready("Bucket", "media");
  expect(bucket.status).toMatchObject({ id: "us-ord/media" });
  expect(conditionOf(bucket, "Drifted")).toBeUndefined();
  const access = { bucketAccess: [{ bucketRef: { name: "media" }, permissions: "read_only" }] };
  await world.apply(world.object("ObjectStorageKey", "reader", access));
  const reader = await world.ready("ObjectStorageKey", "reader");
  expect(conditionOf(reader, "Drifted")).toBeUndefined();

  world.simulator.control.faults.add({ kind: "reset-after", method: "POST", path: "/object-storage/keys", times: 1 });
  await world.apply(world.object("ObjectStorageKey", "other", access));
  const isUncertain = (one: KubeObject): boolean => conditionOf(one, "Stalled")?.reason === "CreateUncertain";
  const other = await world.until("ObjectStorageKey", "other", isUncertain);
  const rows = world.simulator.control.rows("object-storage-key");
  expect(rows.map(({ label }) => label)).toEqual(["reader", "other"]);
  expect(conditionOf(other, "Stalled")?.message).toContain(
    `the owner of object storage key ${String(rows.at(-1)?.["id"])} is unknown`,
  );
});
