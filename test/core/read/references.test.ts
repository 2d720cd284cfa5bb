/** Ids and names that a spec refers to: one spelling, what is not there, what has vanished, and what only a creation needs. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, manage, messageOf, paths, specs, stateOf } from "../support.ts";

const instance = { label: "old", status: "running", ...specs.ComputeInstance };
const wall = { ...specs.Firewall, label: "wall" };
const soonMs = 60_000;

function ready(world: World, kind: string, name: string): boolean {
  return stateOf(world, kind, name) === "Ready";
}

describe("an id in a reference", () => {
  it.each(["01001", "./1001", "..", "1001/", "%31001", "1001?x", " 1001", "1e3", "+1001", "0"])(
    "spelled %j is refused, and nothing is asked or made",
    async (id) => {
      const world = createWorld();
      world.cloud.add(paths.ComputeInstance, instance);
      await world.settle();
      const since = world.cloud.ledger().length;
      world.cluster.create("Firewall", "wall", { ...wall, instanceRefs: [{ id }] });
      await world.advance(soonMs);
      expect(stateOf(world, "Firewall", "wall")).toBe("InvalidSpec");
      expect(messageOf(world, "Firewall", "wall")).toContain(
        "spec.instanceRefs[0]: exactly one of name and id must be given, and id must be",
      );
      expect(changes(world, since)).toEqual([]);
    },
  );

  it.each([
    ["SSHKey", "01"],
    ["SSHKey", "../firewalls/1"],
    ["Bucket", "us-east-1"],
    ["Bucket", "us-east-1/../x"],
    ["Bucket", "us-east-1/a%62c"],
  ] as const)("%s: management.adopt.id spelled %j is refused", async (kind, id) => {
    const world = createWorld();
    world.cluster.create(kind, "one-thing", specs[kind], { management: { adopt: { id } } });
    await world.advance(soonMs);
    expect(stateOf(world, kind, "one-thing")).toBe("InvalidSpec");
    expect(messageOf(world, kind, "one-thing")).toContain(
      "spec.management.adopt: exactly one of filter and id must be given, and id must be",
    );
    expect(changes(world)).toEqual([]);
  });

  it("of what an object manages is refused, and its name serves", async () => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(soonMs);
    const id = idOf(world, "ComputeInstance", "web");
    world.cluster.create("Firewall", "wall", { ...wall, instanceRefs: [{ id }] });
    await world.advance(soonMs);
    expect(stateOf(world, "Firewall", "wall")).toBe("InvalidSpec");
    expect(messageOf(world, "Firewall", "wall")).toContain("ComputeInstance default/web manages");
    world.cluster.patch("Firewall", "wall", { spec: { instanceRefs: [{ name: "web" }] } });
    await world.advance(soonMs);
    expect(ready(world, "Firewall", "wall")).toBe(true);
  });

  it("that the cloud does not know is Stalled with the field, and a correct one serves", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.ComputeInstance, instance);
    world.cluster.create("Firewall", "wall", { ...wall, instanceRefs: [{ id }, { id: "99999" }] });
    await world.advance(soonMs);
    expect(stateOf(world, "Firewall", "wall")).toBe("InvalidSpec");
    expect(messageOf(world, "Firewall", "wall")).toMatch(
      /^spec\.instanceRefs\[1\]\.id: ComputeInstance 99999 does not exist/,
    );
    expect(world.cloud.rows(paths.Firewall)).toEqual([]);
    world.cluster.patch("Firewall", "wall", { spec: { instanceRefs: [{ id }] } });
    await world.advance(soonMs);
    expect(ready(world, "Firewall", "wall")).toBe(true);
  });

  describe("of a bucket", () => {
    const key = { bucketAccess: [{ bucketRef: { id: "us-east-1/medai" }, permissions: "read_only" }] };

    it.each([
      ["is named with the nearest of its cluster", undefined],
      [
        "…also while the list of all buckets fails, of whose clusters another is down",
        { kind: "html502" as const, path: /buckets$/ },
      ],
      ["…also where the list of its cluster is not there", { kind: "notFound" as const, path: /us-east-1$/ }],
    ])("that is not there %s", async (_because, fault) => {
      const world = createWorld();
      for (const id of ["us-east-1/media", "us-east-1/logs", "eu-central-1/medai"]) {
        const [cluster = "", label = ""] = id.split("/");
        world.cloud.add(paths.Bucket, { cluster, label });
      }
      if (fault) world.cloud.fault({ ...fault, method: "GET", times: 1_000 });
      world.cluster.create("ObjectStorageKey", "reader", key);
      await world.advance(soonMs);
      expect(stateOf(world, "ObjectStorageKey", "reader")).toBe("InvalidSpec");
      const said = messageOf(world, "ObjectStorageKey", "reader");
      expect(said).toContain("Bucket us-east-1/medai does not exist in the account. Correct the ID. Similar IDs: ");
      if (fault?.kind !== "notFound") expect(said).toMatch(/Similar IDs: us-east-1\/media, us-east-1\/logs$/);
      expect(changes(world)).toEqual([]);
    });
  });

  it("that is there a moment later serves without an edit", async () => {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", { ...wall, instanceRefs: [{ id: "1001" }] });
    await world.advance(soonMs);
    expect(stateOf(world, "Firewall", "wall")).toBe("InvalidSpec");
    const { id } = world.cloud.add(paths.ComputeInstance, instance);
    expect(id).toBe("1001");
    await world.advance(700_000);
    expect(ready(world, "Firewall", "wall")).toBe(true);
  });

  it("is no unknown one while the cloud does not answer", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.ComputeInstance, instance);
    world.cloud.fault({ kind: "notFound", path: /instances\/\d+$/, times: 3 });
    world.cluster.create("Firewall", "wall", { ...wall, instanceRefs: [{ id }] });
    await world.advance(soonMs);
    expect(stateOf(world, "Firewall", "wall")).not.toBe("InvalidSpec");
    await world.advance(700_000);
    expect(ready(world, "Firewall", "wall")).toBe(true);
  });
});

describe("an instance that vanished", () => {
  async function vanished(): Promise<World> {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    world.cluster.create("Firewall", "wall", { ...wall, instanceRefs: [{ name: "web" }] });
    await world.advance(120_000);
    expect(ready(world, "Firewall", "wall")).toBe(true);
    world.cloud.remove(paths.ComputeInstance, idOf(world, "ComputeInstance", "web"));
    const device = world.cloud.history().find(({ path }) => path.endsWith("/devices"));
    world.cloud.remove(device!.path, device!.id);
    await world.advance(700_000);
    return world;
  }

  it("makes its firewall wait for the reference, and nothing is sent for it", async () => {
    const world = await vanished();
    expect(stateOf(world, "ComputeInstance", "web")).toBe("Missing");
    expect(stateOf(world, "Firewall", "wall")).toBe("WaitingForReference");
    const since = world.cloud.ledger().length;
    await world.advance(1_300_000);
    expect(changes(world, since)).toEqual([]);
  });

  it("is attached again once it was made anew", async () => {
    const world = await vanished();
    manage(world, "ComputeInstance", "web", { missingPolicy: "Recreate" });
    await world.advance(120_000);
    expect(ready(world, "Firewall", "wall")).toBe(true);
    const [device] = world.cloud.rows(`${paths.Firewall}/${idOf(world, "Firewall", "wall")}/devices`);
    expect(device).toMatchObject({ entity: { id: Number(idOf(world, "ComputeInstance", "web")) } });
  });
});

describe("what only a creation needs", () => {
  const source = { clone: { domainRef: { name: "original" } } };

  it("is waited for until the id is recorded", async () => {
    const world = createWorld();
    world.cluster.create("Domain", "copy", { ...specs.Domain, domain: "copy.org", source });
    await world.advance(soonMs);
    expect(stateOf(world, "Domain", "copy")).toBe("WaitingForReference");
    expect(world.cloud.rows(paths.Domain)).toEqual([]);
  });

  it("does not hold what is deleted before the creation has begun: each would wait for the other", async () => {
    const world = createWorld();
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    world.cluster.create("Domain", "original", specs.Domain);
    world.cluster.create("Domain", "copy", { ...specs.Domain, domain: "copy.org", source });
    await world.settle();
    world.cluster.delete("Domain", "original");
    await world.advance(15 * soonMs);
    expect(world.cluster.get("Domain", "original")).toBeUndefined();
    expect(world.cloud.rows(paths.Domain)).toEqual([]);
    expect(stateOf(world, "Domain", "copy")).toBe("WaitingForReference");
    expect(messageOf(world, "Domain", "copy")).toContain("Domain original does not exist");
  });

  it("holds what is copied while it is not known what came of the copy", async () => {
    const world = createWorld();
    world.cluster.create("Domain", "original", specs.Domain);
    await world.advance(soonMs);
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    world.cluster.create("Domain", "copy", { ...specs.Domain, domain: "copy.org", source });
    await world.advance(5_000);
    world.cluster.delete("Domain", "original");
    await world.advance(5_000);
    expect(stateOf(world, "Domain", "original")).toBe("WaitingForDependents");
    await world.advance(5 * soonMs);
    // It came to nothing.
    expect(world.cluster.get("Domain", "original")).toBeUndefined();
    expect(stateOf(world, "Domain", "copy")).toBe("WaitingForReference");
  });

  it("neither holds nor is missed afterwards", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.Domain, { domain: "copy.org", type: "master", soa_email: "ada@example.org" });
    world.cluster.create("Domain", "original", specs.Domain);
    const management = { adopt: { id } };
    world.cluster.create("Domain", "copy", { ...specs.Domain, domain: "copy.org", source }, { management });
    await world.advance(soonMs);
    expect(ready(world, "Domain", "copy")).toBe(true);
    world.cluster.delete("Domain", "original");
    await world.advance(soonMs);
    expect(world.cluster.get("Domain", "original")).toBeUndefined();
    world.cluster.patch("Domain", "copy", { spec: { description: "a copy" } });
    await world.advance(soonMs);
    expect(ready(world, "Domain", "copy")).toBe(true);
    expect(world.cloud.rows(paths.Domain)).toMatchObject([{ description: "a copy" }]);
    world.restart();
    await world.advance(soonMs);
    expect(ready(world, "Domain", "copy")).toBe(true);
    world.cluster.delete("Domain", "copy");
    await world.advance(soonMs);
    expect(world.cloud.rows(paths.Domain)).toEqual([]);
  });

  it.each([
    ["source.clone", { clone: { instanceRef: { name: "gone" } } }],
    ["source.backup", { backup: { id: "5" } }],
    ["source.backup of an object that is gone", { backup: { name: "gone" } }],
  ])("%s: an instance that is there works without it", async (_, from) => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.ComputeInstance, { ...instance, label: "web" });
    const { image: _image, ...spec } = specs.ComputeInstance;
    world.cluster.create("ComputeInstance", "web", { ...spec, source: from }, { management: { adopt: { id } } });
    await world.advance(soonMs);
    expect(ready(world, "ComputeInstance", "web")).toBe(true);
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(soonMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeUndefined();
    expect(world.cloud.rows(paths.ComputeInstance)).toEqual([]);
  });

  it("a Secret with user data may go once the instance is made", async () => {
    const world = createWorld();
    world.cluster.secret("user-data", { "user-data": "#cloud-config" });
    const spec = { ...specs.ComputeInstance, userDataSecretRef: { name: "user-data" } };
    world.cluster.create("ComputeInstance", "web", spec);
    await world.advance(soonMs);
    world.cluster.delete("Secret", "user-data");
    world.cluster.patch("ComputeInstance", "web", { spec: { tags: ["blue"] } });
    await world.advance(soonMs);
    expect(ready(world, "ComputeInstance", "web")).toBe(true);
    expect(world.cloud.rows(paths.ComputeInstance)[0]?.["tags"]).toContain("blue");
  });
});

describe("what is part of another cloud object goes with it", () => {
  it.each([
    ["protected", { protect: true }, { protect: false }],
    ["paused", { policy: "Paused" }, { policy: "Manage" }],
  ])("unless it is %s: then the other waits, and says for what", async (why, held, free) => {
    const world = createWorld();
    world.cluster.create("Domain", "zone", { domain: "zone.test", type: "master", soaEmail: "ada@zone.test" });
    const record = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };
    world.cluster.create("DomainRecord", "www", record);
    await world.advance(soonMs);
    manage(world, "DomainRecord", "www", held);
    await world.advance(soonMs);
    const since = world.cloud.ledger().length;
    world.cluster.delete("Domain", "zone");
    await world.advance(soonMs);
    expect(stateOf(world, "Domain", "zone")).toBe("WaitingForDependents");
    expect(messageOf(world, "Domain", "zone")).toContain(`DomainRecord www (${why})`);
    expect(changes(world, since)).toEqual([]);
    manage(world, "DomainRecord", "www", free);
    await world.advance(soonMs);
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
  });

  it("as soon as its parent is gone, however young it is", async () => {
    const world = createWorld();
    world.cluster.create("Domain", "zone", specs.Domain);
    world.cluster.create("DomainRecord", "www", { domainRef: { name: "zone" }, type: "A", target: "192.0.2.1" });
    await world.advance(2_000);
    expect(world.cluster.get("DomainRecord", "www")).toBeReady();
    const since = world.cloud.ledger().length;
    world.cluster.delete("Domain", "zone");
    world.cluster.delete("DomainRecord", "www");
    await world.advance(1_000);
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
    expect(world.cluster.get("DomainRecord", "www")).toBeUndefined();
    expect(changes(world, since)).toEqual(["DELETE /domains/1001"]);
  });
});

describe("an instance whose id means a stranger's by now", () => {
  const bare = { region: "us-east", type: "g6-standard-1" };
  const instanceRef = { name: "web" };
  const users = [
    ["ComputeDisk", { instanceRef, sizeMB: 1024 }],
    ["Firewall", { ...wall, instanceRefs: [instanceRef] }],
    ["IPAddress", { instanceRef, public: true }],
    [
      "ReverseDNS",
      { addressRef: { kind: "ComputeInstance", ...instanceRef, address: "Public" }, hostname: "mail.example.org" },
    ],
    ["Tag", { label: "tag", instanceRefs: [instanceRef] }],
    ["ComputeAction", { instanceRef, action: "Reboot" }],
  ] as const;

  async function replaced(): Promise<World> {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", bare);
    await world.advance(soonMs);
    const ipv4 = ["198.18.0.77"];
    world.cloud.replace(paths.ComputeInstance, idOf(world, "ComputeInstance", "web"), { ...instance, ipv4 });
    return world;
  }

  it.each(users)("is not touched for a %s, which says so and goes on once there is a new one", async (kind, spec) => {
    const world = await replaced();
    await world.advance(3 * soonMs);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("Conflict");
    const since = world.cloud.ledger().length;
    world.cluster.create(kind, "user", spec);
    await world.advance(10 * soonMs);
    expect(stateOf(world, kind, "user")).toBe("WaitingForReference");
    expect(messageOf(world, kind, "user")).toMatch(
      /^spec\.(instanceRefs?|addressRef)\S*\.name: ComputeInstance web has no cloud object any more: instance 1001 is now a different cloud object with the same ID\. Read the conditions of that object$/,
    );
    expect(changes(world, since)).toEqual([]);
    world.cluster.annotate("ComputeInstance", "web", { "cloudplatform.dev/orphan": "true" });
    world.cluster.delete("ComputeInstance", "web");
    await world.advance(soonMs);
    world.cluster.create("ComputeInstance", "web", bare);
    await world.advance(10 * soonMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    expect(messageOf(world, kind, "user")).not.toContain("1001");
  });

  it("is not acted upon before a list shows that either", async () => {
    const world = await replaced();
    const since = world.cloud.ledger().length;
    world.cluster.create("ComputeAction", "user", { instanceRef, action: "Reboot" });
    await world.advance(10 * soonMs);
    expect(changes(world, since)).toEqual([]);
  });
});
