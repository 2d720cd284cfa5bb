/** What is only observed, a status that the API server refuses, and how many writes and calls things take. */
import { describe, expect, it } from "vitest";
import { KubeError } from "../../../src/cluster/errors.ts";
import { secrets } from "../../../src/cluster/secrets.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, idsIn, madeMs, manage, messageOf, paths, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const kinds = Object.keys(specs) as CaseKind[];
const names = Object.fromEntries(kinds.map((kind) => [kind, `my-${kind.toLowerCase()}`])) as Record<CaseKind, string>;

describe("observing what another object manages", () => {
  it.each(kinds)("%s: it is ready always, and nothing is ever sent", async (kind) => {
    const world = createWorld();
    world.cluster.create(kind, names[kind], specs[kind]);
    await world.advance(madeMs);
    const since = world.cloud.ledger().length;
    const management = { policy: "Observe", adopt: { id: idOf(world, kind, names[kind]) } };
    world.cluster.create(kind, "watcher", specs[kind], { management });
    const seen = new Set<string | undefined>();
    for (let minute = 0; minute < 25; minute += 1) {
      await world.advance(60_000);
      seen.add(stateOf(world, kind, "watcher"));
    }
    world.restart();
    await world.advance(700_000);
    expect([...seen, stateOf(world, kind, "watcher")]).toEqual(["Ready", "Ready"]);
    expect(world.cluster.get(kind, names[kind])).toBeReady();
    expect(changes(world, since)).toEqual([]);
  });

  it.each([{ policy: "Observe" }, { driftPolicy: "Report" }])(
    "with %o, power that differs is reported and not waited for",
    async (management) => {
      const world = createWorld();
      const name = names.ComputeInstance;
      world.cluster.create("ComputeInstance", name, { ...specs.ComputeInstance, powerState: "Running" });
      await world.advance(madeMs);
      const id = idOf(world, "ComputeInstance", name);
      manage(world, "ComputeInstance", name, management);
      world.cloud.change(paths.ComputeInstance, id, { status: "offline" });
      const since = world.cloud.ledger().length;
      await world.advance(700_000);
      expect(world.cluster.get("ComputeInstance", name)).toBeReady();
      expect(changes(world, since)).toEqual([]);
      const instance = world.cluster.get("ComputeInstance", name);
      expect(conditionOf(instance, "Drifted")?.message).toContain("spec.powerState");
    },
  );

  it("by an older object: the one that manages is not disturbed, changed or deleted", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.SSHKey, { label: "key", ssh_key: specs.SSHKey.sshKey });
    const adopt = { id };
    world.cluster.create("SSHKey", "watcher", specs.SSHKey, { management: { policy: "Observe", adopt } });
    await world.advance(60_000);
    world.cluster.create("SSHKey", "key", specs.SSHKey, { management: { adopt } });
    await world.advance(700_000);
    expect(world.cluster.get("SSHKey", "key")).toBeReady();
    expect(world.cluster.get("SSHKey", "watcher")).toBeReady();
    world.cluster.patch("SSHKey", "key", { spec: { label: "renamed" } });
    await world.advance(700_000);
    expect(world.cluster.get("SSHKey", "watcher")).toBeReady();
    world.cluster.delete("SSHKey", "watcher");
    await world.advance(60_000);
    expect(idsIn(world, "SSHKey")).toEqual([id]);
    expect(world.cluster.get("SSHKey", "key")).toBeReady();
  });

  it("of what vanishes says so and makes nothing, even with missingPolicy Recreate", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.SSHKey, { label: "key", ssh_key: specs.SSHKey.sshKey });
    const management = { policy: "Observe", adopt: { id }, missingPolicy: "Recreate" };
    world.cluster.create("SSHKey", "watcher", specs.SSHKey, { management });
    await world.advance(60_000);
    world.cloud.remove(paths.SSHKey, id);
    await world.advance(700_000);
    expect(stateOf(world, "SSHKey", "watcher")).toBe("Missing");
    expect(changes(world)).toEqual([]);
  });

  it("an object that changes from observing to managing carries its spec out", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.SSHKey, { label: "key", ssh_key: specs.SSHKey.sshKey });
    const management = { policy: "Observe", adopt: { id } };
    world.cluster.create("SSHKey", "watcher", specs.SSHKey, { management });
    await world.advance(60_000);
    manage(world, "SSHKey", "watcher", { policy: "Manage" });
    await world.advance(60_000);
    expect(world.cloud.rows(paths.SSHKey)).toMatchObject([{ label: "watcher" }]);
  });
});

describe("a status that the API server refuses", () => {
  /** The API server of an older definition, which does not know what this version reports. */
  function refuseReports({ cluster }: World, how: (status: object) => boolean): void {
    const { patch } = cluster.objects;
    cluster.objects.patch = (resource, ref, body, subresource) => {
      if (resource.plural === "sshkeys" && subresource === "status" && how(body["status"] ?? {}))
        throw new KubeError('SSHKey "laptop" is invalid: status.created', { status: 422, reason: "Invalid" });
      return patch(resource, ref, body, subresource);
    };
  }

  it("is said, and the id is stored all the same", async () => {
    const world = createWorld();
    refuseReports(world, (status) => "created" in status);
    world.cluster.create("SSHKey", "laptop", specs.SSHKey);
    await world.advance(60_000);
    expect([idOf(world, "SSHKey", "laptop")]).toEqual(idsIn(world, "SSHKey"));
    expect(messageOf(world, "SSHKey", "laptop")).toContain("status.created");
    await world.advance(3_600_000);
    expect(world.logged().length).toBeLessThan(5);
    world.restart();
    world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
    await world.advance(60_000);
    expect(world.cloud.rows(paths.SSHKey)).toMatchObject([{ label: "renamed" }]);
    world.cluster.delete("SSHKey", "laptop");
    await world.advance(60_000);
    expect(idsIn(world, "SSHKey")).toEqual([]);
    expect(world.cluster.get("SSHKey", "laptop")).toBeUndefined();
  });

  it("whatever it says makes nothing twice, in this process or the next", async () => {
    const world = createWorld();
    refuseReports(world, () => true);
    world.cluster.create("SSHKey", "laptop", specs.SSHKey);
    await world.advance(1_300_000);
    world.restart();
    await world.advance(1_300_000);
    expect(idsIn(world, "SSHKey")).toHaveLength(1);
    world.cluster.delete("SSHKey", "laptop");
    await world.advance(120_000);
    expect(idsIn(world, "SSHKey")).toEqual([]);
  });
});

describe("writes to Kubernetes", () => {
  const asynchronous = new Set<CaseKind>(["ComputeInstance", "ManagedMySQL"]);

  function writesOf({ cluster }: World, kind: CaseKind, since = 0): string[] {
    return cluster
      .writes()
      .slice(since)
      .filter(({ key, resource }) => key === `default/${names[kind]}` && resource !== secrets.plural)
      .map(({ verb }) => verb);
  }

  it.each(kinds)(
    "%s: made by two or three, none while nothing changes, after a restart neither; gone by one",
    async (kind) => {
      const world = createWorld();
      await world.settle();
      world.cluster.create(kind, names[kind], specs[kind]);
      await world.advance(madeMs);
      expect(world.cluster.get(kind, names[kind])).toBeReady();
      const waits = asynchronous.has(kind) ? ["patch-status"] : [];
      expect(writesOf(world, kind)).toEqual(["patch", ...waits, "patch-status"]);
      const settled = world.cluster.writes().length;
      const called = world.cloud.ledger().length;
      await world.advance(3_600_000);
      world.restart();
      await world.advance(3_600_000);
      expect(world.cluster.writes().length).toBe(settled);
      expect(changes(world, called)).toEqual([]);
      world.cluster.delete(kind, names[kind]);
      await world.advance(120_000);
      expect(world.cluster.get(kind, names[kind])).toBeUndefined();
      expect(writesOf(world, kind, settled)).toEqual(["patch"]);
    },
  );
});
