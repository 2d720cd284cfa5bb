import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const secrets = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
const instance = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };

let world: World;
beforeEach(async () => {
  world = await startWorld(sharedControlPlane());
});
afterEach(() => world.stop());

const mine = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, ...more },
  stringData: { mine: "kept" },
});
const secretNames = async () => {
  const list = (await world.kube.raw(`/api/v1/namespaces/${world.namespace}/secrets`)) as {
    items: { metadata: { name: string } }[];
  };
  return list.items.map(({ metadata }) => metadata.name).sort();
};

test.for([
  { kind: "ManagedMySQL", spec: database, secret: "taken-connection", why: "connection data are published at its end" },
  { kind: "ComputeInstance", spec: instance, secret: "taken-root-password", why: "the password is sent with it" },
])(
  "a Secret whose name is taken is noticed before a $kind is made and billed: $why",
  async ({ kind, spec, secret }) => {
    await world.apply(mine(secret), world.object(kind, "taken", spec));
    const stalled = await world.condition(kind, "taken", "Stalled", "Conflict");
    expect(conditionOf(stalled, "Ready")?.message).toContain(
      `Secret ${secret} exists and was not created for this object`,
    );
    expect(stalled.metadata.annotations ?? {}).not.toHaveProperty(["cloudplatform.dev/journal"]);
    expect(world.simulator.control.ledger({ mutating: true })).toEqual([]);

    await world.kube.delete(secrets, { namespace: world.namespace, name: secret });
    await world.ready(kind, "taken");
  },
);

test("a connection Secret that gets another name leaves no other behind, and takes nothing else along", async () => {
  await world.apply(world.object("ManagedMySQL", "shop", { ...database, connectionSecretName: "first" }));
  const { metadata } = await world.ready("ManagedMySQL", "shop");
  const owner = { apiVersion: "cloudplatform.dev/v1alpha1", kind: "ManagedMySQL", name: "shop", uid: metadata.uid };
  const first = await world.kube.get(secrets, { namespace: world.namespace, name: "first" });
  const published = { labels: first?.metadata.labels ?? {} };
  expect(Object.keys(published.labels)).toEqual(["cloudplatform.dev/published"]);
  await world.apply(
    mine("labelled-by-hand", published),
    mine("copied-by-hand", { ...published, ownerReferences: [owner] }),
    mine("owned-by-hand", { ownerReferences: [owner] }),
    mine("of-another", { ...published, ownerReferences: [{ ...owner, uid: "another" }], finalizers: ["test/keep"] }),
  );
  await world.patch("ManagedMySQL", "shop", { spec: { connectionSecretName: "second" } });
  await world.ready("ManagedMySQL", "shop");
  const others = ["cloud-token", "copied-by-hand", "labelled-by-hand", "of-another", "owned-by-hand"];
  expect(await secretNames()).toEqual([...others, "second"]);
  await world.kube.patch(
    secrets,
    { namespace: world.namespace, name: "of-another" },
    { metadata: { finalizers: null } },
  );
});
