/** The operator creates nothing with the token of a CloudAccount that is being deleted. */
import { expect, it } from "vitest";
import { begin, create, instances, messageOf, sshKeys, stateOf, walls } from "../support.ts";
import type { World } from "../../world/world.ts";

/** A key is created while its account goes. `refusals`: so many of the writes that let the account go fail. */
async function createdMeanwhile(refusals: number): Promise<World> {
  const world = await begin();
  world.cluster.latency.ms = 10;
  world.cluster.writeFaults.push({ verb: "patch", how: "refused", times: refusals });
  world.cluster.delete("CloudAccount", "default");
  await world.advance(2);
  create(world, "SSHKey", "laptop");
  await world.advance(60_000);
  return world;
}

it.each([0, 1])("nothing is created in the cloud while the account is released (%i writes fail)", async (refusals) => {
  const world = await createdMeanwhile(refusals);
  expect(world.cluster.get("CloudAccount", "default")).toBeUndefined();
  expect(stateOf(world, "SSHKey", "laptop")).toBe("WaitingForAccount");
  expect(world.cloud.rows(sshKeys)).toEqual([]);
});

it("an account that somebody else's finalizer keeps is not connected again once the operator has let it go", async () => {
  const world = await begin();
  const finalizers = [
    ...(world.cluster.get("CloudAccount", "default")?.metadata.finalizers ?? []),
    "example.com/theirs",
  ];
  world.cluster.patch("CloudAccount", "default", { metadata: { finalizers } });
  await world.advance(1_000);
  world.cluster.delete("CloudAccount", "default");
  await world.advance(1_000);
  create(world, "SSHKey", "laptop");
  await world.advance(60_000);
  world.restart();
  await world.advance(60_000);
  expect(world.cloud.rows(sshKeys)).toEqual([]);
  expect(world.cluster.get("CloudAccount", "default")?.metadata.finalizers).toEqual(["example.com/theirs"]);
});

it("of two accounts that share a token, one that nothing uses leaves it to the deletions of the other", async () => {
  const world = await begin();
  const { cluster } = world;
  cluster.create("CloudAccount", "two", { tokenSecretRef: { name: "cloud-token" } });
  create(world, "ComputeInstance", "web");
  create(world, "Firewall", "wall", { instanceRefs: [{ name: "web" }] });
  await world.advance(120_000);
  cluster.delete("ComputeInstance", "web");
  cluster.delete("Secret", "cloud-token");
  await world.advance(600_000);
  expect(cluster.get("Secret", "cloud-token")).toBeDefined();
  expect(messageOf(world, "CloudAccount", "default")).toMatch(/^Connected as .*\. Secret cloud-token is being deleted/);
  cluster.delete("Firewall", "wall");
  await world.advance(600_000);
  expect(world.cloud.rows(instances)).toEqual([]);
  expect(cluster.get("Secret", "cloud-token")).toBeUndefined();
});

it.each([0, 5, 20].flatMap((latencyMs) => [0, 1].map((walled) => ({ latencyMs, walled }))))(
  "of two accounts that share a token and go at once, the last one releases its Secret: %o",
  async ({ latencyMs, walled }) => {
    const world = await begin();
    const { cluster } = world;
    cluster.create("CloudAccount", "two", { tokenSecretRef: { name: "cloud-token" } });
    await world.advance(15_000);
    if (walled > 0) create(world, "Firewall", "wall");
    await world.advance(60_000);
    cluster.latency.ms = latencyMs;
    for (const name of ["default", "two"]) cluster.delete("CloudAccount", name);
    cluster.delete("Secret", "cloud-token");
    if (walled > 0) cluster.delete("Firewall", "wall");
    await world.advance(600_000);
    expect(cluster.list("CloudAccount")).toEqual([]);
    expect(cluster.get("Secret", "cloud-token")).toBeUndefined();
    expect(world.cloud.rows(walls)).toEqual([]);
  },
);
