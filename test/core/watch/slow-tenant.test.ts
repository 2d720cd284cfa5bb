/** A tenant that is slow, refused or down holds up nobody else. */
import { describe, expect, it } from "vitest";
import type { FaultKind } from "../../world/faults.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { specs } from "../support.ts";

const slowMs = 25_000;

function addTenant({ cloud, cluster }: World, namespace: string): void {
  cloud.addUser({ token: `token-of-${namespace}`, username: namespace });
  cluster.secret("cloud-token", { token: `token-of-${namespace}` }, namespace);
  cluster.create("CloudAccount", "default", { tokenSecretRef: { name: "cloud-token" } }, { namespace });
}

function keys({ cluster }: World, namespace: string): (string | undefined)[] {
  return cluster.list("SSHKey").flatMap(({ metadata, status }) => {
    const { conditions = [] } = (status ?? {}) as { conditions?: { status: string }[] };
    return metadata.namespace === namespace ? [conditions[0]?.status] : [];
  });
}

async function tenants(count: number, faults: FaultKind[]): Promise<World> {
  const world = createWorld();
  const slow = Array.from({ length: count }, (_, index) => `slow-${index}`);
  for (const namespace of slow) addTenant(world, namespace);
  await world.advance(10_000);
  for (const namespace of slow)
    for (const kind of faults) world.cloud.fault({ kind, ms: slowMs, token: `token-of-${namespace}`, times: 100_000 });
  for (const namespace of slow)
    for (let index = 0; index < 60; index += 1)
      world.cluster.create("SSHKey", `key-${index}`, specs.SSHKey, { namespace });
  await world.advance(5_000);
  return world;
}

describe.each<[string, FaultKind]>([
  ["that answers after 25 seconds", "slow"],
  ["that never answers", "silent"],
  ["that says 429", "tooMany"],
  ["that answers with HTML", "html502"],
])("60 changes of a tenant %s", (_, kind) => {
  it.each([1, 3])("do not delay the first object of another one (%i such tenants)", async (count) => {
    const world = await tenants(count, [kind]);
    world.cluster.create("SSHKey", "mine", specs.SSHKey);
    await world.advance(1_000);
    expect(world.cluster.get("SSHKey", "mine")).toBeReady();
  });

  it("do not delay the deletion of another one's object, and the account of a third", async () => {
    const world = createWorld();
    world.cluster.create("SSHKey", "mine", specs.SSHKey);
    addTenant(world, "slow");
    await world.advance(10_000);
    world.cloud.fault({ kind, ms: slowMs, token: "token-of-slow", times: 100_000 });
    for (let index = 0; index < 60; index += 1)
      world.cluster.create("SSHKey", `key-${index}`, specs.SSHKey, { namespace: "slow" });
    await world.advance(5_000);
    world.cluster.delete("SSHKey", "mine");
    addTenant(world, "third");
    world.cluster.create("SSHKey", "first", specs.SSHKey, { namespace: "third" });
    await world.advance(1_000);
    expect(world.cluster.get("SSHKey", "mine")).toBeUndefined();
    expect(keys(world, "third")).toEqual(["True"]);
  });
});

it("a tenant that was slow has all that it asked for in the end, each once", async () => {
  const world = await tenants(1, ["slow"]);
  await world.advance(600_000);
  world.cloud.clearFaults();
  await world.advance(600_000);
  expect(keys(world, "slow-0").filter((status) => status !== "True")).toEqual([]);
  expect(world.cloud.rows("/profile/sshkeys", "slow-0")).toHaveLength(60);
});
