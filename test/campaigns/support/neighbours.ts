import type { KubeObject } from "../../../src/cluster/types.ts";
import { accountObjects } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { createAll, instances, isReady, sshKeys, untilAll } from "./fleet.ts";

/** One that the cloud answers 500 to whatever is asked of it, and one that it refuses for good. */
export async function addPoison(world: World): Promise<void> {
  await createAll(world, sshKeys(world, 1, "broken"));
  await untilAll(world, "SSHKey", 1, isReady, 20_000);
  const id = String(world.simulator.control.rows("sshkey")[0]?.["id"]);
  world.simulator.control.faults.add({ kind: "status", status: 500, method: "PUT", path: `/profile/sshkeys/${id}` });
  await world.patch("SSHKey", "broken-0", { spec: { label: "never-taken" } });
  const [machine] = instances(world, 1, "refused") as { spec: object }[];
  await createAll(world, [{ ...machine, spec: { ...machine?.spec, type: "g6-no-such-type" } }]);
}

/** An account `other` in the world's namespace, of another customer of the cloud. */
export async function addOtherTenant(world: World): Promise<void> {
  const { control } = world.simulator;
  control.addAccount({ id: "other" });
  control.addUser("other", { username: "olga" });
  control.addToken({ token: "token-of-olga", username: "olga", account: "other" });
  const [secret, account] = accountObjects(world.namespace, "token-of-olga") as KubeObject[];
  await world.apply(
    { ...secret, metadata: { ...secret?.metadata, name: "other-token" } },
    {
      ...account,
      metadata: { ...account?.metadata, name: "other" },
      spec: { tokenSecretRef: { name: "other-token" } },
    },
  );
  await world.ready("CloudAccount", "other");
}

/** Asks for `count` changes of the account `default`, each of which the cloud answers after 25 seconds. */
export async function addSlowChanges(world: World, count: number): Promise<void> {
  await createAll(world, sshKeys(world, count, "slow"));
  await untilAll(world, "SSHKey", count, isReady, 60_000);
  world.simulator.control.faults.add({ kind: "slow-answer", ms: 25_000, method: "PUT", path: "/profile/sshkeys/*" });
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      world.patch("SSHKey", `slow-${index}`, { spec: { label: `renamed-${index}` } }),
    ),
  );
}

/** A key of the account `other`. */
export function keyOfOther(world: World, name: string): object {
  return world.object("SSHKey", name, {
    accountRef: { name: "other" },
    sshKey: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ${name}`,
  });
}
