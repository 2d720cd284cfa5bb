/** With `protectByDefault`, objects with data delay the deletion of their parent like protected objects. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import { madeMs, messageOf, specs } from "../support.ts";

const disk = { instanceRef: { name: "vm" }, sizeMB: 1_024 };

it.each([
  { protectByDefault: true, protect: undefined, waits: true, because: "a disk has data" },
  { protectByDefault: true, protect: false, waits: false, because: "the manifest says so" },
  { protectByDefault: false, protect: undefined, waits: false, because: "the setting is off" },
  { protectByDefault: false, protect: true, waits: true, because: "the manifest says so" },
])(
  "protectByDefault $protectByDefault, protect $protect: an instance waits for its disk: $waits, because $because",
  async (row) => {
    const { protectByDefault, protect, waits } = row;
    const world = createWorld({ protectByDefault });
    world.cluster.create("ComputeInstance", "vm", { ...specs.ComputeInstance, image: undefined });
    await world.advance(madeMs);
    world.cluster.create("ComputeDisk", "data", disk, protect === undefined ? {} : { management: { protect } });
    await world.advance(madeMs);
    expect(world.cluster.get("ComputeDisk", "data")).toBeReady();
    world.cluster.delete("ComputeInstance", "vm");
    await world.advance(700_000);
    if (waits) expect(messageOf(world, "ComputeInstance", "vm")).toContain("ComputeDisk data (protected)");
    else expect(world.cluster.get("ComputeInstance", "vm")).toBeUndefined();
  },
);

it("an object without data is not protected by default", async () => {
  const world = createWorld({ protectByDefault: true });
  world.cluster.create("Domain", "zone", specs.Domain);
  const record = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };
  world.cluster.create("DomainRecord", "www", record);
  await world.advance(madeMs);
  expect(world.cluster.get("DomainRecord", "www")).toBeReady();
  world.cluster.delete("Domain", "zone");
  await world.advance(700_000);
  expect(world.cluster.get("Domain", "zone")).toBeUndefined();
});
