/** What others make under the name of an attempt, long after that can have done anything, is theirs. */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import { begin, calm, create, follow, idOf, messageOf, minutes, shapes, stateOf } from "../support.ts";
import type { Shape } from "../support.ts";

/** As each kind's row shows what the operator has asked for. */
const theirs: Record<Shape, (label: string) => object> = {
  SSHKey: (label) => ({ label, ssh_key: shapes.SSHKey.spec.sshKey }),
  Firewall: (label) => ({ label, rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT" }, tags: [] }),
  Bucket: (label) => ({ label, cluster: "us-east-1" }),
  ComputeInstance: (label) => ({ label, region: "us-east", type: "g6-standard-1", image: "compute/debian12" }),
};

/** The operator ends with its request on the way, which is never carried out; an hour later another one begins. */
async function anHourLater(kind: Shape): Promise<{ world: World; id: string }> {
  const world = await begin(calm);
  // It learns of the clocks of the cloud.
  create(world, kind, "first");
  await world.advance(minutes(1));
  world.cloud.fault({ kind: "lostBefore", method: "POST", ms: 5_000 });
  create(world, kind, "web");
  await world.advance(1_000);
  world.crash();
  await world.advance(minutes(60));
  const { id } = world.cloud.add(shapes[kind].path, theirs[kind]("web") as never);
  world.restart();
  await world.advance(minutes(5));
  return { world, id };
}

// The installation tag shows that another user created the row. An SSH key and a bucket have no tags.
describe.each(["Firewall", "ComputeInstance"] as const)("a %s whose creation is uncertain", (kind) => {
  it("does not take what others made an hour later", async () => {
    const { world, id } = await anHourLater(kind);
    expect(idOf(world, kind, "web")).not.toBe(id);
    expect(stateOf(world, kind, "web")).not.toBe("Ready");
  });

  it("leaves it in the cloud when it is deleted, by the way that is named", async () => {
    const { world, id } = await anHourLater(kind);
    world.cluster.delete(kind, "web");
    await world.advance(minutes(5));
    if (world.cluster.get(kind, "web")) {
      follow(world, kind, "web", "orphan");
      await world.advance(minutes(1));
    }
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(world.cloud.find(shapes[kind].path, id)).toBeDefined();
  });
});

describe("an Image, which nothing marks in the cloud", () => {
  async function uncertain(): Promise<{ world: World; id: string }> {
    const world = await begin(calm);
    world.cloud.fault({ kind: "empty", method: "POST" });
    world.cluster.create("Image", "web", { source: { handOff: { region: "us-east" } } });
    await world.advance(minutes(60));
    const { id } = world.cloud.add("/images", { label: "web", size: 1, status: "available" });
    return { world, id };
  }

  it("names what others made an hour later, and takes it only where a person says so", async () => {
    const { world, id } = await uncertain();
    await world.advance(minutes(5));
    expect(stateOf(world, "Image", "web")).toBe("CreateUncertain");
    expect(messageOf(world, "Image", "web")).toContain(`perhaps created image ${id}`);
    world.cluster.patch("Image", "web", { spec: { management: { adopt: { id } } } });
    await world.advance(minutes(1));
    expect(idOf(world, "Image", "web")).toBe(id);
  });

  it("does not delete it with itself", async () => {
    const { world, id } = await uncertain();
    world.cluster.delete("Image", "web");
    await world.advance(minutes(5));
    expect(world.cloud.find("/images", id)).toBeDefined();
    follow(world, "Image", "web", "orphan");
    await world.advance(minutes(1));
    expect(world.cluster.get("Image", "web")).toBeUndefined();
    expect(world.cloud.find("/images", id)).toBeDefined();
  });
});

describe("an IPAddress, which shows no time of creation", () => {
  const list = "/networking/ips";

  /** An hour after its request got no response, a person gives the instance an address by hand. */
  async function uncertain(then: (world: World) => Promise<void> = () => Promise.resolve()) {
    const world = await begin(calm);
    create(world, "ComputeInstance", "first");
    await world.advance(minutes(6));
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    world.cluster.create("IPAddress", "own", { instanceRef: { name: "first" }, public: true });
    await world.advance(minutes(30));
    await then(world);
    await world.advance(minutes(30));
    const compute_id = Number(idOf(world, "ComputeInstance", "first"));
    const { id } = world.cloud.add(list, { address: "192.0.2.77", compute_id });
    return { world, id };
  }

  it("does not take it", async () => {
    const { world, id } = await uncertain();
    await world.advance(minutes(30));
    expect(stateOf(world, "IPAddress", "own")).toBe("CreateUncertain");
    expect(messageOf(world, "IPAddress", "own")).toContain(`adopt.id: "${id}"`);
  });

  it("does not delete it with itself", async () => {
    const { world, id } = await uncertain();
    world.cluster.delete("IPAddress", "own");
    await world.advance(minutes(5));
    follow(world, "IPAddress", "own", "orphan");
    await world.advance(minutes(1));
    expect(world.cluster.get("IPAddress", "own")).toBeUndefined();
    expect(world.cloud.find(list, id)).toBeDefined();
  });

  it.each(["refused", "tooMany"] as const)("…nor where the next request is %s all the time", async (kind) => {
    const { world, id } = await uncertain(async (begun) => {
      begun.cloud.fault({ kind, method: "POST", path: /\/ips$/, ms: 30_000, times: 10_000 });
      follow(begun, "IPAddress", "own", "retry-create");
      await begun.advance(minutes(30));
    });
    await world.advance(minutes(30));
    expect(idOf(world, "IPAddress", "own")).toBe("");
    world.cluster.delete("IPAddress", "own");
    await world.advance(minutes(5));
    expect(world.cloud.find(list, id)).toBeDefined();
  });
});

it("an SSHKey whose next requests are held by the rate limit does not take what others made meanwhile", async () => {
  const world = await begin(calm);
  create(world, "SSHKey", "first");
  await world.advance(minutes(1));
  world.cloud.fault({ kind: "lostBefore", method: "POST" });
  world.cloud.fault({ kind: "tooMany", method: "POST", ms: 30_000, times: 10_000 });
  create(world, "SSHKey", "web");
  await world.advance(minutes(60));
  const { id } = world.cloud.add(shapes.SSHKey.path, theirs.SSHKey("web") as never);
  await world.advance(minutes(30));
  world.cluster.delete("SSHKey", "web");
  await world.advance(minutes(5));
  expect(world.cloud.find(shapes.SSHKey.path, id)).toBeDefined();
});
