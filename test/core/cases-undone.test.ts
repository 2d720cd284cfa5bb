/** Deleting a setting resets what this object has set, whatever its spec says by then, and nothing that others have set since. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { changes, messageOf, stateOf } from "./situations.ts";

const minute = 60_000;

interface Setting {
  kind: string;
  /** Arranges what is set, and what the object needs. */
  prepare: (world: World) => object;
  /** After the object was created: what a person does. */
  follow?: (world: World) => void;
  /** The spec asks for something else by then. */
  changed: object;
  /** Somebody else sets it. */
  set: (world: World) => void;
  shown: (world: World) => unknown;
  reset: unknown;
  others: unknown;
}

const address = "192.0.2.10";
const instances = "/compute/instances";
const ips = "/networking/ips";
const phoneOf = ({ cloud }: World) => cloud.user("ada").phone;
const sharedOf = ({ cloud }: World) => cloud.find(instances, "1001")?.beside["ips"] as { ipv4: { shared: object[] } };

const settings: Setting[] = [
  {
    kind: "IPSharing",
    prepare({ cloud }) {
      const instance = cloud.add(instances, { label: "web", region: "us-east", type: "g6-standard-1" });
      instance.beside["ips"] = { ipv4: { shared: [] }, ipv6: {} };
      return { instanceRef: { id: instance.id }, addresses: [address] };
    },
    changed: { addresses: ["192.0.2.11"] },
    set: (world) => void (sharedOf(world).ipv4.shared = [{ address: "192.0.2.12" }]),
    shown: (world) => sharedOf(world).ipv4.shared,
    reset: [],
    others: [{ address: "192.0.2.12" }],
  },
  {
    kind: "PhoneVerification",
    prepare: () => ({ phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: { name: "code" } }),
    follow: (world) => void world.cluster.secret("code", { code: phoneOf(world).codes.at(-1) ?? "" }),
    changed: { phoneNumber: "+436607654321" },
    set: (world) => void (phoneOf(world).verified = "+436600000001"),
    shown: (world) => phoneOf(world).verified,
    reset: undefined,
    others: "+436600000001",
  },
  {
    kind: "ReverseDNS",
    prepare({ cloud }) {
      cloud.add(ips, { address, rdns: "cloud.example.net" });
      return { address, hostname: "mail.example.org" };
    },
    changed: { hostname: "other.example.org" },
    set: ({ cloud }) => void Object.assign(cloud.find(ips, address)!.fields, { rdns: "theirs.example.org" }),
    shown: ({ cloud }) => cloud.find(ips, address)?.fields["rdns"],
    reset: null,
    others: "theirs.example.org",
  },
];

describe.each(settings)("$kind, whose spec was changed and not carried out before it is deleted", (setting) => {
  const { kind, changed, set, shown, reset, others } = setting;

  it("is reset to what was there without it", async () => {
    const world = await ready(setting);
    await changedAndDeleted(world);
    expect(shown(world)).toEqual(reset);
    expect(world.cluster.get(kind, "one")).toBeUndefined();
  });

  it("keeps what somebody else has set since, which an event says", async () => {
    const world = await ready(setting);
    const sent = changes(world).length;
    await changedAndDeleted(world, () => set(world));
    expect(shown(world)).toEqual(others);
    expect(changes(world)).toHaveLength(sent);
    expect(world.cluster.events().at(-1)).toMatchObject({
      reason: "Orphaned",
      note: expect.stringContaining("it does not show what this object set") as string,
    });
  });

  it("keeps what somebody else has set under Report", async () => {
    const world = await ready(setting);
    world.cluster.patch(kind, "one", { spec: { management: { driftPolicy: "Report" } } });
    await world.advance(minute);
    set(world);
    await world.advance(20 * minute);
    await changedAndDeleted(world);
    expect(shown(world)).toEqual(others);
  });

  async function changedAndDeleted(world: World, meanwhile?: () => void): Promise<void> {
    world.crash();
    meanwhile?.();
    world.cluster.patch(kind, "one", { spec: changed });
    world.cluster.delete(kind, "one");
    world.restart();
    await world.advance(5 * minute);
  }
});

async function ready({ kind, prepare, follow }: Setting): Promise<World> {
  const world = createWorld();
  world.cluster.create(kind, "one", prepare(world));
  await world.advance(minute);
  follow?.(world);
  await world.advance(minute);
  expect(stateOf(world, kind, "one"), messageOf(world, kind, "one")).toBe("Ready");
  return world;
}
