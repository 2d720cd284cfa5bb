/** An ID in `adopt` is used once, and an adopted cloud object is not changed before the operator may apply the spec. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, manage, messageOf, minutes, obey, paths, specs, stateOf } from "../support.ts";
import { living } from "../secrets/keys.ts";

const ssh = { action: "ACCEPT", protocol: "TCP", ports: "22", addresses: { ipv4: ["203.0.113.0/24"] } };
const rules = { inbound: [ssh], inbound_policy: "DROP", outbound: [], outbound_policy: "ACCEPT" };
const wall = { label: "wall", status: "enabled", tags: [], rules };
const closed = { ...specs.Firewall, label: "wall", inbound: [] };

const firewalls = ({ cloud }: World): JsonObject[] => cloud.rows(paths.Firewall);
const rulesIn = (world: World): unknown => (firewalls(world)[0]?.["rules"] as JsonObject | undefined)?.["inbound"];

describe("an adopted object with driftPolicy Report", () => {
  async function reported(): Promise<{ world: World; id: string }> {
    const world = createWorld();
    const { id } = world.cloud.add(paths.Firewall, wall);
    const management = { adopt: { id }, driftPolicy: "Report" };
    world.cluster.create("Firewall", "wall", closed, { management });
    await world.advance(minutes(2));
    expect(stateOf(world, "Firewall", "wall")).toBe("Ready");
    return { world, id };
  }

  it.each([
    { edit: "another field of management", patch: { management: { protect: true } } },
    { edit: "a label", patch: { label: "other" } },
    { edit: "the end of Report", patch: { management: { driftPolicy: null } } },
  ])("keeps a live rule after an edit of $edit", async ({ patch }) => {
    const { world } = await reported();
    world.cluster.patch("Firewall", "wall", { spec: patch });
    await world.advance(minutes(12));
    expect(rulesIn(world)).toMatchObject([{ ports: "22" }]);
  });

  it("gets a new label after an edit of the label, and asks for the rest", async () => {
    const { world } = await reported();
    world.cluster.patch("Firewall", "wall", { spec: { label: "other" } });
    await world.advance(minutes(2));
    expect(firewalls(world)).toMatchObject([{ label: "other" }]);
    expect(stateOf(world, "Firewall", "wall")).toBe("AdoptionDiffers");
  });

  it("asks for an approval after the end of Report, and applies the spec then", async () => {
    const { world } = await reported();
    manage(world, "Firewall", "wall", { driftPolicy: null });
    await world.advance(minutes(2));
    expect(stateOf(world, "Firewall", "wall")).toBe("AdoptionDiffers");
    obey(world, "Firewall", "wall");
    await world.advance(minutes(2));
    expect(rulesIn(world)).toEqual([]);
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
  });
});

it("an adopted cloud object that disappears before the approval is not created from the spec", async () => {
  const world = createWorld();
  const { id } = world.cloud.add(paths.Firewall, wall);
  world.cluster.create("Firewall", "wall", closed, { management: { adopt: { id } } });
  await world.advance(minutes(2));
  expect(stateOf(world, "Firewall", "wall")).toBe("AdoptionDiffers");
  world.cloud.remove(paths.Firewall, id);
  await world.advance(minutes(12));
  expect(firewalls(world)).toEqual([]);
  expect(stateOf(world, "Firewall", "wall")).toBe("Missing");
  manage(world, "Firewall", "wall", { missingPolicy: "Recreate" });
  await world.advance(minutes(2));
  expect(world.cluster.get("Firewall", "wall")).toBeReady();
});

describe("an ID that the operator adopted before", () => {
  it("is not adopted again after the replacement of the cloud object is lost, too", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.Firewall, { ...wall, rules: { ...rules, inbound: [] } });
    world.cluster.create("Firewall", "wall", closed, { management: { adopt: { id } } });
    await world.advance(minutes(2));
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
    world.cloud.remove(paths.Firewall, id);
    await world.advance(minutes(12));
    const second = idOf(world, "Firewall", "wall");
    expect(second).not.toBe(id);
    world.cloud.remove(paths.Firewall, second);
    const foreign = world.cloud.add(paths.Firewall, { ...wall, id: Number(id), label: "foreign" });
    await world.advance(minutes(12));
    expect(foreign.fields).toMatchObject({ label: "foreign", rules });
    expect([id, second]).not.toContain(idOf(world, "Firewall", "wall"));
    expect(world.cluster.get("Firewall", "wall")).toBeReady();
  });

  it.each([0, 3_600])(
    "is not adopted again after a rotation with a grace period of %i seconds and the loss of the Secret",
    async (gracePeriodSeconds) => {
      const world = createWorld();
      const { id } = world.cloud.add("/object-storage/keys", { label: "web", bucket_access: null, limited: false });
      const management = { adopt: { id } };
      world.cluster.create("ObjectStorageKey", "web", { label: "web", gracePeriodSeconds }, { management });
      await world.advance(minutes(2));
      world.cluster.patch("ObjectStorageKey", "web", { spec: { rotation: 1 } });
      await world.advance(minutes(2));
      const second = idOf(world, "ObjectStorageKey", "web");
      expect(second).not.toBe(id);
      if (gracePeriodSeconds === 0)
        world.cloud.add("/object-storage/keys", { id: Number(id), label: "foreign", bucket_access: null });
      world.cluster.delete("Secret", "web-s3-credentials");
      await world.advance(minutes(10));
      expect([id, second]).not.toContain(idOf(world, "ObjectStorageKey", "web"));
      expect(world.cluster.get("Secret", "web-s3-credentials")).toBeDefined();
      await world.advance(minutes(90));
      const labels = new Set(living(world).map(({ fields }) => fields["label"]));
      expect(labels).toEqual(new Set(gracePeriodSeconds === 0 ? ["foreign", "web"] : ["web"]));
      expect(living(world)).toHaveLength(labels.size);
    },
  );
});

it("an object that only observed a cloud object does not take it over from an object that adopted it", async () => {
  const world = createWorld();
  const { id } = world.cloud.add(paths.Firewall, wall);
  const adopt = { id };
  world.cluster.create("Firewall", "a", closed, { management: { adopt, policy: "Observe" } });
  await world.advance(minutes(2));
  world.cluster.create(
    "Firewall",
    "b",
    { ...specs.Firewall, label: "wall", enabled: false },
    { management: { adopt } },
  );
  await world.advance(minutes(2));
  expect(stateOf(world, "Firewall", "b")).toBe("AdoptionDiffers");
  manage(world, "Firewall", "a", { policy: null });
  await world.advance(minutes(2));
  expect(stateOf(world, "Firewall", "a"), messageOf(world, "Firewall", "a")).toBe("Conflict");
  expect(stateOf(world, "Firewall", "b")).toBe("AdoptionDiffers");
  world.cluster.delete("Firewall", "a");
  await world.advance(minutes(12));
  expect(changes(world)).toEqual([]);
  expect(idOf(world, "Firewall", "b")).toBe(id);
});
