import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { createKubeClient } from "../../../src/cluster/client.ts";
import { loadKubeConfig } from "../../../src/cluster/credentials.ts";
import { createTransport } from "../../../src/cluster/transport.ts";
import { finalizer } from "../../../src/core/kind/resource.ts";
import { operatorRules } from "../../../src/generate/rbac.ts";
import { cloudAccount } from "../../../src/kinds/account/cloud-account.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const name = "cloud-platform-operator";
const home = "operator-home";
const cluster = sharedControlPlane();
const rbac = { group: "rbac.authorization.k8s.io", version: "v1", namespaced: true };
const role = { ...rbac, plural: "roles", kind: "Role" };
const binding = { ...rbac, plural: "rolebindings", kind: "RoleBinding" };
let world: World;

beforeEach(async () => {
  world = await startWorld(cluster, { start: false });
  await cluster.kubectl(["create", "namespace", home]);
  const file = await cluster.addServiceAccount(home, name);
  const { everywhere, namespaced } = operatorRules([...kinds, cloudAccount]);
  await world.kube.create(role, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { namespace: world.namespace, name },
    rules: [...everywhere, ...namespaced],
  });
  await world.kube.create(binding, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { namespace: world.namespace, name },
    roleRef: { apiGroup: rbac.group, kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", namespace: home, name }],
  });
  await world.restartOperator({ kubeConfig: { file }, roleName: name });
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  await world.ready("SSHKey", "laptop");
});
afterEach(() => world.stop());

const held = async () => {
  const ref = { namespace: world.namespace, name };
  const both = [await world.kube.get(role, ref), await world.kube.get(binding, ref)];
  return both.map((object) => object?.metadata.finalizers?.includes(finalizer) ?? false);
};

test("deleting a namespace deletes what it had in the cloud, though the permissions to do so come from the namespace", async () => {
  expect(await held()).toEqual([true, true]);
  // How soon depends on all the other namespaces that are being deleted at the same time.
  const deleted = await cluster.kubectl(["delete", "namespace", world.namespace, "--timeout=100s"]);
  const left = await cluster.kubectl(["get", "namespace", world.namespace, "-o", "yaml", "--ignore-not-found"]);
  expect(deleted.stderr + left.stdout).toBe("");
  expect(world.simulator.control.rows("sshkey")).toEqual([]);
});

test("a patch that was authorised and waits for its body is done though the permission for it goes meanwhile", async () => {
  const config = { file: await cluster.addServiceAccount(home, name) };
  const transport = createTransport({ config: () => loadKubeConfig(config), clock: systemClock });
  const client = createKubeClient(transport);
  onTestFinished(() => transport.close());
  const ref = { namespace: world.namespace, name };
  const patch = { metadata: { finalizers: ["example.org/kept"] } };
  const beforeBody = async () => {
    await world.kube.patch(binding, ref, { metadata: { finalizers: null } });
    await world.kube.delete(binding, ref);
    await expect
      .poll(() => client.patch(role, ref, patch).catch((error: Error) => error.message))
      .toContain("forbidden");
  };
  expect((await client.patch(role, ref, patch, { beforeBody })).metadata.finalizers).toEqual(["example.org/kept"]);

  const called = { times: 0 };
  const unauthorised = client.patch(role, ref, patch, { beforeBody: () => Promise.resolve(void called.times++) });
  await expect(unauthorised).rejects.toThrow("forbidden");
  expect(called.times).toBe(0);
  await world.kube.patch(role, ref, { metadata: { finalizers: null } });
});

test("the permissions are released with the last object that needs them, and held again for the next", async () => {
  await world.remove("SSHKey", "laptop");
  await world.gone("SSHKey", "laptop");
  expect(await held()).toEqual([true, true]);
  await world.remove("CloudAccount", "default");
  await world.gone("CloudAccount", "default");
  await expect.poll(held, { timeout: 10_000 }).toEqual([false, false]);
  await world.apply(
    world.object("CloudAccount", "default", { tokenSecretRef: { name: "cloud-token" } }),
    world.object("SSHKey", "laptop", { sshKey }),
  );
  await world.ready("SSHKey", "laptop");
  expect(await held()).toEqual([true, true]);
});
