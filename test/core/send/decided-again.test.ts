/** A change is decided by what is there when it leaves, also where a list shows something else. */
import { approveAnnotation } from "../../../src/core/kind/annotations.ts";
import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import type { CloudRow } from "../../world/rows.ts";
import type { World } from "../../world/world.ts";
import {
  begin,
  changes,
  create,
  giveAway,
  idOf,
  instances,
  messageOf,
  minutes,
  stateOf,
  withReady,
} from "../support.ts";
import type { Shape } from "../support.ts";

const ips = "/networking/ips";
const webPublic = { kind: "ComputeInstance", name: "web", address: "Public" };

/** Where time passes between a request and its answer: without, all reads of a moment are one. */
async function withLatency(kind: Shape): Promise<{ world: World; row: CloudRow }> {
  const { world, row } = await withReady(kind);
  world.cloud.settings.latencyMs = 40;
  await world.advance(minutes(2));
  return { world, row };
}

it("ReverseDNS: an address that the cloud gave to another instance since the list is not named", async () => {
  const world = await begin();
  const { cloud, cluster } = world;
  create(world, "ComputeInstance", "web");
  await world.advance(minutes(3));
  const instance = cloud.find(instances, idOf(world, "ComputeInstance", "web"))!;
  cloud.change(instances, instance.id, { ipv4: ["192.0.2.10"] });
  const other = cloud.add(instances, { label: "others", region: "us-east", type: "g6-standard-1" });
  cloud.add(ips, {
    address: "192.0.2.10",
    type: "ipv4",
    public: true,
    compute_id: Number(instance.id),
    rdns: "cloud.example.net",
  });
  cluster.create("ReverseDNS", "one", { addressRef: webPublic, hostname: "mail.example.org" });
  await world.advance(minutes(3));
  expect(stateOf(world, "ReverseDNS", "one"), messageOf(world, "ReverseDNS", "one")).toBe("Ready");
  const row = cloud.find(ips, "192.0.2.10")!;
  expect(row.fields["rdns"]).toBe("mail.example.org");
  const since = cloud.ledger().length;
  // Others have it from now on; the list of a moment ago does not show that.
  Object.assign(row.fields, { compute_id: Number(other.id) });
  cluster.patch("ReverseDNS", "one", { spec: { hostname: "new.example.org" } });
  await world.advance(minutes(10));
  expect(changes(world, since), messageOf(world, "ReverseDNS", "one")).toEqual([]);
});

describe.each(["SSHKey", "Firewall", "ComputeInstance"] as const)("%s", (kind) => {
  it.each([null, undefined])(
    "whose list says no time of creation (%s): what has its id by now is not changed",
    async (created) => {
      const { world, row } = await withLatency(kind);
      world.cloud.settings.inLists = (fields: JsonObject) => {
        const { created: _, ...rest } = fields;
        return created === null ? { ...rest, created: null } : rest;
      };
      await world.advance(minutes(5));
      const since = world.cloud.ledger().length;
      giveAway(world, row);
      await world.advance(minutes(10));
      expect(changes(world, since), messageOf(world, kind, "web")).toEqual([]);
    },
  );
});

it.each(["SSHKey", "Firewall", "ComputeInstance"] as const)(
  "%s: an approval is for what was observed",
  async (kind) => {
    const { world, row } = await withLatency(kind);
    world.cluster.patch(kind, "web", { spec: { management: { policy: "Plan" }, label: "another" } });
    await world.advance(minutes(3));
    expect(stateOf(world, kind, "web")).toBe("WaitingForApproval");
    const since = world.cloud.ledger().length;
    row.fields["label"] = "set-by-others";
    const plan = world.cluster.get(kind, "web")!.status?.["plan"] as { hash: string };
    world.cluster.annotate(kind, "web", { [approveAnnotation]: plan.hash });
    await world.advance(minutes(3));
    expect(changes(world, since), messageOf(world, kind, "web")).toEqual([]);
    expect(stateOf(world, kind, "web")).toBe("WaitingForApproval");
  },
);

it.each(["SSHKey", "Firewall", "ComputeInstance"] as const)(
  "%s: what the list shows otherwise and the cloud keeps is not sent with each poll",
  async (kind) => {
    const { world, row } = await withLatency(kind);
    Object.defineProperty(row.fields, "label", { get: () => "kept", set: vi.fn<() => void>(), enumerable: true });
    world.cloud.settings.inLists = (fields) => ({ ...fields, label: "listed" });
    const since = world.cloud.ledger().length;
    await world.advance(minutes(120));
    expect(changes(world, since).length, messageOf(world, kind, "web")).toBeLessThan(4);
  },
);

describe.each(["SSHKey", "Firewall", "ComputeInstance"] as const)("let go while it is being deleted: %s", (kind) => {
  it.each(Array.from({ length: 30 }, (_, index) => index * 50))(
    "%i ms after that began: no DELETE leaves after it",
    async (afterMs) => {
      const { world } = await withLatency(kind);
      Object.assign(world.cloud.settings, { latencyMs: 300 });
      world.cluster.latency.ms = 100;
      world.cluster.delete(kind, "web");
      await world.advance(afterMs);
      const since = world.cloud.ledger().length;
      world.cluster.annotate(kind, "web", { "cloudplatform.dev/orphan": "true" });
      await world.advance(minutes(10));
      expect(changes(world, since), messageOf(world, kind, "web")).toEqual([]);
      expect(world.cluster.get(kind, "web")).toBeUndefined();
    },
  );
});
