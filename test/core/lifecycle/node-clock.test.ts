/** The wall clock of the operator's node is not the API server's: nothing is held for longer, or let go earlier. */
import { expect, it } from "vitest";
import { KubeError } from "../../../src/cluster/errors.ts";
import { secrets } from "../../../src/cluster/secrets.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { specs } from "../support.ts";

const offBy = [
  { nodeAheadMs: -600_000, because: "it is ten minutes behind" },
  { nodeAheadMs: 600_000, because: "it is ten minutes ahead" },
  { nodeAheadMs: 0, because: "it is right" },
];

/** The operator may not read definitions, as with permissions in its namespace only. */
function forbidDefinitions({ cluster: { objects } }: World): void {
  const { get } = objects;
  objects.get = (resource, ref) => {
    if (resource.plural === "customresourcedefinitions")
      throw new KubeError("forbidden", { status: 403, reason: "Forbidden" });
    return get(resource, ref);
  };
}

it.each(offBy)(
  "an object whose definition cannot be read is deleted after seconds: $because",
  async ({ nodeAheadMs }) => {
    const world = createWorld({ nodeAheadMs });
    forbidDefinitions(world);
    world.cluster.create("SSHKey", "one-thing", specs.SSHKey);
    await world.advance(60_000);
    world.cluster.delete("SSHKey", "one-thing");
    // Discovery may say only now that the definition is being deleted.
    await world.advance(2_000);
    expect(world.cluster.get("SSHKey", "one-thing")).toBeDefined();
    await world.advance(8_000);
    expect(world.cluster.get("SSHKey", "one-thing")).toBeUndefined();
    expect(world.cloud.rows("/profile/sshkeys")).toEqual([]);
  },
);

it.each(offBy)("a Secret with a token is let go a minute after its deletion: $because", async ({ nodeAheadMs }) => {
  const world = createWorld({ nodeAheadMs });
  await world.advance(60_000);
  expect(conditionOf(world.cluster.get("CloudAccount", "default"), "Ready")?.status).toBe("True");
  const secret = { namespace: "default", name: "cloud-token" };
  world.cluster.delete("Secret", "cloud-token");
  await world.advance(50_000);
  expect(world.cluster.objects.get(secrets, secret)).toBeDefined();
  await world.advance(20_000);
  expect(world.cluster.objects.get(secrets, secret)).toBeUndefined();
});

it.each(offBy)("an action goes when its time is over, as the cloud counts: $because", async ({ nodeAheadMs }) => {
  const world = createWorld({ nodeAheadMs });
  const { id } = world.cloud.add("/compute/instances", { ...specs.ComputeInstance, label: "vm", status: "running" });
  world.cluster.create("ComputeAction", "once", {
    instanceRef: { id },
    action: "Reboot",
    ttlSecondsAfterFinished: 300,
  });
  await world.advance(60_000);
  expect(conditionOf(world.cluster.get("ComputeAction", "once"), "Complete")?.status).toBe("True");
  world.restart();
  await world.advance(200_000);
  expect(world.cluster.get("ComputeAction", "once")).toBeDefined();
  await world.advance(120_000);
  expect(world.cluster.get("ComputeAction", "once")).toBeUndefined();
});
