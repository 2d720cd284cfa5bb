import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { createAll, instances, isReady, sshKeys, untilAll } from "./support/fleet.ts";
import { expectOneEach, expectSilence, lastEntry, mutations } from "./support/judge.ts";
import { ownCluster } from "./support/own-cluster.ts";

/** A cluster that can be set back to what it was. */
async function arrange(): Promise<{ world: World; cluster: OwnControlPlane; save: Step; setBack: Step }> {
  const cluster = await ownCluster();
  const world = await startWorld(cluster, { simulator: { timeScale: 100_000 } });
  onTestFinished(() => world.stop());
  const copy = join(cluster.folder, "etcd-copy");
  return {
    world,
    cluster,
    save: () => cluster.withEtcdStopped((data) => cpSync(data, copy, { recursive: true })),
    setBack: () =>
      cluster.withEtcdStopped((data) => {
        rmSync(data, { recursive: true });
        cpSync(copy, data, { recursive: true });
      }),
  };
}

type Step = () => Promise<void>;

const labels = (world: World): string[] =>
  world.simulator.control
    .rows("sshkey")
    .map(({ label }) => String(label))
    .toSorted();

test("a cluster that lost its last minute is read anew at once: what it has back is reconciled, nothing is made twice", async () => {
  const { world, cluster, save, setBack } = await arrange();
  await createAll(world, [...sshKeys(world, 3), ...instances(world, 1)]);
  await untilAll(world, "SSHKey", 3, isReady, 20_000);
  await world.ready("ComputeInstance", "vm-0");
  await save();
  await createAll(world, sshKeys(world, 1, "since"));
  await world.ready("SSHKey", "since-0");
  await world.remove("SSHKey", "key-2");
  await world.gone("SSHKey", "key-2");
  await world.patch("SSHKey", "key-1", { spec: { label: "renamed" } });
  await world.until("SSHKey", "key-1", (object) => isReady(object) && labels(world).includes("renamed"));
  expect(labels(world)).toEqual(["key-0", "renamed", "since-0"]);
  const mark = lastEntry(world);

  await setBack();
  // The key that was deleted since is wanted again, and the name that was given since is not.
  const keys = await untilAll(world, "SSHKey", 3, isReady, 30_000);
  await world.until("SSHKey", "key-2", () => labels(world).includes("key-2"));
  await world.until("SSHKey", "key-1", () => labels(world).includes("key-1"));
  expect(labels(world)).toEqual(["key-0", "key-1", "key-2", "since-0"]);
  expect(keys.map(({ metadata }) => metadata.name)).toEqual(["key-0", "key-1", "key-2"]);
  expect(
    mutations(world, mark)
      .map(({ method, path }) => `${method} ${path.replace(/\d+$/, "*")}`)
      .toSorted(),
  ).toEqual(["POST /v4/profile/sshkeys", "PUT /v4/profile/sshkeys/*"]);
  await expectSilence(cluster, world, 2_000);
  expectOneEach(
    world,
    "instance",
    "/v4/compute/instances",
    await untilAll(world, "ComputeInstance", 1, isReady, 1_000),
    "set back",
  );
});
