import { expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { accountObjects, conditionOf, startWorld } from "../support/world.ts";
import type { World, WorldOptions } from "../support/world.ts";
import type { ControlPlane } from "../support/control-plane.ts";
import { createAll, instances, isReady, listed, pause, sshKeys, untilAll, untilTrue } from "./support/fleet.ts";
import { mutations } from "./support/judge.ts";
import { createJumpingClock } from "./support/jumping-clock.ts";
import { ownCluster } from "./support/own-cluster.ts";

const finalizer = "cloudplatform.dev/operator";
const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };

async function arrange(options: WorldOptions = {}, cluster: ControlPlane = sharedControlPlane()): Promise<World> {
  const world = await startWorld(cluster, options);
  onTestFinished(() => world.stop());
  return world;
}

async function settle(world: World, keys: number): Promise<void> {
  await createAll(world, sshKeys(world, keys));
  await untilAll(world, "SSHKey", keys, isReady, 30_000);
}

function rows({ simulator }: World, table = "sshkey"): number {
  return simulator.control.rows(table).length;
}

function tokenSecret({ kube, namespace }: World): Promise<KubeObject | undefined> {
  return kube.get(secrets, { namespace, name: "cloud-token" });
}

test("a namespace that is deleted with everything in it takes its cloud objects along, and the token goes last", async () => {
  const world = await arrange();
  await createAll(world, instances(world, 5));
  await settle(world, 20);
  await untilAll(world, "ComputeInstance", 5, isReady, 30_000);
  await world.kube.delete(namespaces, { name: world.namespace });
  const gone = async (): Promise<boolean> =>
    (await world.kube.get(namespaces, { name: world.namespace })) === undefined;
  // Kubernetes reads all kinds of the cluster, one after the other. It begins after 5 s and repeats every 8 s.
  await untilTrue("the namespace is gone", gone, 110_000, 250);
  expect([rows(world), rows(world, "instance")]).toEqual([0, 0]);
  const released = sharedControlPlane()
    .auditLog()
    .findLast(
      ({ namespace, resource, verb }) => namespace === world.namespace && resource === "secrets" && verb === "patch",
    );
  const lastDelete = world.simulator.control.ledger({ method: "DELETE", applied: true }).at(-1);
  expect(released?.name).toBe("cloud-token");
  expect(released?.at.getTime()).toBeGreaterThan(lastDelete?.receivedAt ?? Infinity);
});

test("a token Secret that is deleted alone is let go after a minute, and its replacement is used", async () => {
  const clock = createJumpingClock();
  const world = await arrange({ operator: { clock, pollMs: 5_000 } });
  await settle(world, 2);
  await world.kube.delete(secrets, { namespace: world.namespace, name: "cloud-token" });
  await untilTrue(
    "the deletion is seen",
    async () => (await tokenSecret(world))?.metadata.deletionTimestamp !== undefined,
    5_000,
  );
  await pause(500);
  clock.advance(50_000);
  await pause(1_500);
  expect((await tokenSecret(world))?.metadata.finalizers).toContain(finalizer);
  clock.advance(10_000);
  await untilTrue("the Secret is let go", async () => (await tokenSecret(world)) === undefined, 10_000);
  await world.condition("CloudAccount", "default", "Stalled", "TokenMissing");
  await world.apply(...accountObjects(world.namespace, world.simulator.token).slice(0, 1));
  await world.ready("CloudAccount", "default", 20_000);
  await createAll(world, sshKeys(world, 2, "later"));
  await untilAll(world, "SSHKey", 4, isReady, 10_000);
  expect(rows(world)).toBe(4);
});

test("a rotated token is used before anything is polled again, and the former one no more", async () => {
  const hour = 3_600_000;
  const world = await arrange({ operator: { pollMs: hour, resyncMs: hour, feedMs: hour } });
  await settle(world, 3);
  const { control } = world.simulator;
  control.addToken({ token: "another-token-of-the-same-user", username: "demo", label: "rotated" });
  const stringData = { token: "another-token-of-the-same-user" };
  await world.kube.patch(secrets, { namespace: world.namespace, name: "cloud-token" }, { stringData });
  // While the new token is proven, changes are made with the former one.
  const isListed = (): boolean => control.ledger({ token: "rotated" }).some(({ path }) => path.endsWith("/sshkeys"));
  await untilTrue("the new token is used", isListed, 20_000);
  await world.patch("SSHKey", "key-0", { spec: { label: "renamed" } });
  const changed = (): boolean => control.ledger({ token: "rotated", mutating: true }).length > 0;
  await untilTrue("a change is made with it", changed, 20_000);
  const last = control.ledger({ token: "demo" }).at(-1)?.id ?? 0;
  // What was under way with the former token may end.
  expect(control.ledger({ token: "rotated" })[0]?.id).toBeGreaterThan(last - 3);
  await pause(1_500);
  expect(control.ledger({ token: "demo", sinceId: last })).toEqual([]);
});

test("a token of another account changes nothing there until the account is named", async () => {
  const world = await arrange();
  await settle(world, 3);
  const { control } = world.simulator;
  control.addAccount({ id: "other" });
  control.addUser("other", { username: "stranger" });
  control.addToken({ token: "token-of-another-account", username: "stranger", account: "other" });
  const stringData = { token: "token-of-another-account" };
  await world.kube.patch(secrets, { namespace: world.namespace, name: "cloud-token" }, { stringData });
  const account = await world.condition("CloudAccount", "default", "Stalled", "AccountChanged");
  await world.patch("SSHKey", "key-0", { spec: { label: "renamed" } });
  await world.remove("SSHKey", "key-1");
  await world.condition("SSHKey", "key-0", "Stalled", "AccountChanged");
  await pause(1_500);
  expect(control.ledger({ account: "other", mutating: true })).toEqual([]);
  expect(rows(world)).toBe(3);
  const named = /expectedAccount: "([^"]+)"/.exec(conditionOf(account, "Stalled")?.message ?? "")?.[1];
  await world.patch("CloudAccount", "default", { spec: { expectedAccount: named } });
  await world.ready("CloudAccount", "default");
  // What is in the former account stays there, and what is new is made in this one.
  await createAll(world, sshKeys(world, 1, "new"));
  await world.ready("SSHKey", "new-0");
  expect(control.rows("sshkey", "other").map(({ label }) => label)).toEqual(["new-0"]);
  await world.condition("SSHKey", "key-0", "Stalled", "AccountChanged");
  expect(rows(world)).toBe(3);
});

test("an account that is deleted waits for what uses it, then lets its Secret go", async () => {
  const world = await arrange();
  await settle(world, 2);
  await world.remove("CloudAccount", "default");
  const account = await world.condition("CloudAccount", "default", "Reconciling", "WaitingForDependents");
  expect(account.metadata.finalizers).toContain(finalizer);
  expect(rows(world)).toBe(2);
  await world.remove("SSHKey", "key-0");
  await world.remove("SSHKey", "key-1");
  await world.gone("CloudAccount", "default");
  expect(rows(world)).toBe(0);
  expect((await tokenSecret(world))?.metadata.finalizers ?? []).not.toContain(finalizer);
});

test.for([
  { roleName: undefined, told: "by the definition itself" },
  { roleName: "cloud-platform-operator", told: "by discovery, where definitions may not be read" },
])("a definition that is deleted orphans its cloud objects, and comes back; told $told", async ({ roleName }) => {
  const cluster = await ownCluster();
  const world = await arrange({ operator: { roleName } }, cluster);
  await settle(world, 10);
  const before = mutations(world).length;
  const deleted = await cluster.kubectl(["delete", "crd", "sshkeys.cloudplatform.dev", "--timeout=60s"]);
  expect(deleted.stderr).toBe("");
  expect(rows(world)).toBe(10);
  expect(mutations(world)).toHaveLength(before);
  await cluster.kubectl(["apply", "--server-side", "-f", "crds/sshkeys.yaml"]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd/sshkeys.cloudplatform.dev", "--timeout=30s"]);
  await untilTrue(
    "the kind is served again",
    async () => (await listed(world, "SSHKey").catch(() => undefined)) !== undefined,
    10_000,
  );
  await createAll(world, sshKeys(world, 1, "fresh"));
  await untilAll(world, "SSHKey", 1, isReady, 60_000);
  expect(rows(world)).toBe(11);
});
