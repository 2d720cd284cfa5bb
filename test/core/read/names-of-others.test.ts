/** Namespace `team-b` may use the account of namespace `default`, but not existing cloud objects. */
import type * as z from "zod";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { leavesOf } from "../../../src/core/kind/leaves.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { createNeeds } from "../../world/needs.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs } from "../support.ts";

const accountRef = { name: "default", namespace: "default" };
const tenant = "team-b";
const only = { namespaces: [tenant] };

const firewall = kinds.find(({ kind }) => kind === "Firewall")!;

/** Returns a world with the objects that an example of the kind needs, in the namespace of the tenant. */
async function withNeeds(kind: Kind, name: string, sharing: object = only): Promise<World> {
  const world = createWorld({ allowAccountActions: true });
  world.cluster.patch("CloudAccount", "default", { spec: { sharing } });
  createNeeds(world, kind, name, tenant, { accountRef });
  await world.advance(madeMs);
  return world;
}

const ready = ({ cluster }: World, kind: string, name = "subject") =>
  conditionOf(cluster.get(kind, name, tenant), "Ready");

const stateOf = (world: World, kind: string, name?: string): string | undefined => ready(world, kind, name)?.reason;

/** Returns the name of a cloud object of another user. */
function foreignOf(path: string, of: string, isText: boolean): unknown {
  if (of === "Image") return "private/15001";
  if (of === "Bucket") return "us-east-1/shop-media";
  if (of === "Address") return path === "routeTarget" ? "2001:db8::7" : "198.51.100.77";
  if (of === "IPAddress") return "198.51.100.77";
  if (of === "IPv6Range") return "2001:db8:7::";
  if (of === "VLAN" || of === "User" || path.endsWith("label")) return "shop-private";
  return isText ? "15001" : 15_001;
}

interface Subject {
  example: string;
  spec: JsonObject;
}

/** Returns the spec of an example with a foreign name at a path, without fields that the rules of the kind exclude. */
function subjectWith({ spec: schema, examples }: Kind, path: string, of: string): Subject | undefined {
  for (const isText of [true, false])
    for (const { name: example, spec } of examples)
      for (const without of ["", "image", "instanceRef", "source", "name", "diskRef", "backup", "clone", "addresses"]) {
        const changed = structuredClone<Record<string, unknown>>(spec);
        const purpose = path.startsWith("interfaces") ? "interfaces[].purpose" : undefined;
        if (purpose) put(changed, purpose, "vlan", "");
        put(changed, path, foreignOf(path, of, isText), without);
        if (schema.safeParse(changed).success) return { example, spec: changed as JsonObject };
      }
  return undefined;
}

function put(target: Record<string, unknown>, path: string, value: unknown, without: string): void {
  const [head = "", ...rest] = path.split(".");
  const name = head.replace("[]", "");
  if (without !== name && without in target) delete target[without];
  if (rest.length === 0) target[name] = head.endsWith("[]") ? [value] : value;
  else if (head.endsWith("[]")) {
    const [first] = (target[name] ?? []) as Record<string, unknown>[];
    target[name] = [first ?? {}];
    put((target[name] as Record<string, unknown>[])[0]!, rest.join("."), value, without);
  } else {
    target[name] = typeof target[name] === "object" ? target[name] : {};
    put(target[name] as Record<string, unknown>, rest.join("."), value, without);
  }
}

/** Leaves that no spec can give: the schema of the kind requires the name of an object. */
const excluded = new Set(["IPv6Range instanceRef.id"]);

const cells = kinds.flatMap((kind) =>
  leavesOf(kind.spec as z.ZodType).flatMap(({ path, leaf }) =>
    leaf?.is === "cloudName" && leaf.of !== "itself" && !excluded.has(`${kind.kind} ${path}`)
      ? [{ kind, path, of: leaf.of }]
      : [],
  ),
);

describe("from a namespace without sharing.existing", () => {
  it.each(cells.map((cell) => [`${cell.kind.kind} ${cell.path}`, cell] as const))(
    "%s names nothing of others: NotShared, and no request leaves",
    async (_, { kind, path, of }) => {
      const subject = subjectWith(kind, path, of);
      expect(subject).toBeDefined();
      const { example, spec } = subject!;
      const world = await withNeeds(kind, example);
      const before = world.cloud.ledger().length;
      world.cluster.create(kind.kind, "subject", { ...spec, accountRef }, { namespace: tenant });
      await world.advance(120_000);
      expect(ready(world, kind.kind)).toMatchObject({ reason: "NotShared" });
      expect(ready(world, kind.kind)?.message).toContain("No request is sent.");
      expect(changes(world, before)).toEqual([]);
      const named = String(foreignOf(path, of, true));
      expect(
        world.cloud
          .ledger()
          .slice(before)
          .filter((one) => JSON.stringify(one.path).includes(named)),
      ).toEqual([]);
    },
  );

  it.each(
    kinds
      .filter(({ shape, stays }) => shape === "owned" && stays === undefined)
      .map((kind) => [kind.kind, kind] as const),
  )("%s adopts nothing", async (_, kind) => {
    const [example] = kind.examples;
    const world = await withNeeds(kind, example!.name);
    const id = idOf(kind);
    const before = world.cloud.ledger().length;
    const management = { adopt: { id } };
    world.cluster.create(kind.kind, "subject", { ...example!.spec, accountRef }, { namespace: tenant, management });
    await world.advance(120_000);
    expect(stateOf(world, kind.kind)).toBe("NotShared");
    expect(changes(world, before)).toEqual([]);
  });
});

function idOf({ kind }: Kind): string {
  const ids: Record<string, string> = {
    Bucket: "us-east-1/shop-media",
    BucketCertificate: "ssl",
    BucketObject: "robots.txt",
    Image: "private/15001",
    IPAddress: "198.51.100.77",
    IPv6Range: "2001:db8:7::",
    Tag: "shop",
  };
  return ids[kind] ?? "15001";
}

describe("the reach of a kind", () => {
  const reaching = kinds.filter(({ reach }) => reach !== "own");

  it.each(reaching.map((kind) => [kind.kind, kind] as const))(
    "%s needs a list of its own, and no other one serves",
    async (_, kind) => {
      const example = kind.examples.find(({ spec }) => kind.kind !== "ObjectStorageKey" || !("bucketAccess" in spec))!;
      const list = typeof kind.reach === "function" ? "existing" : "accountWide";
      const world = await withNeeds(kind, example.name);
      const before = world.cloud.ledger().length;
      world.cluster.create(kind.kind, "subject", { ...example.spec, accountRef }, { namespace: tenant });
      await world.advance(60_000);
      expect(ready(world, kind.kind)?.message).toContain(`spec.sharing.${list}`);
      expect(stateOf(world, kind.kind)).toBe("NotShared");
      // The operator checks the token of the account at random times.
      const sent = world.cloud.ledger().slice(before);
      expect(sent.filter(({ author }) => author !== "CloudAccount/default/default")).toEqual([]);
      const other = list === "existing" ? "accountWide" : "existing";
      world.cluster.patch("CloudAccount", "default", { spec: { sharing: { ...only, [other]: [tenant] } } });
      await world.advance(60_000);
      expect(stateOf(world, kind.kind)).toBe("NotShared");
      world.cluster.patch("CloudAccount", "default", {
        spec: { sharing: { ...only, [other]: null, [list]: [tenant] } },
      });
      await world.advance(120_000);
      expect(stateOf(world, kind.kind)).not.toBe("NotShared");
      expect(world.cloud.ledger().length).toBeGreaterThan(before);
    },
  );
});

describe("what objects of the namespace own", () => {
  it("may be named: an instance is deployed from the namespace's own image", async () => {
    const world = await withNeeds(
      kinds.find(({ kind }) => kind === "Image")!,
      "golden",
    );
    world.cluster.create(
      "Image",
      "golden",
      { accountRef, source: { diskRef: { name: "data" } } },
      { namespace: tenant },
    );
    await world.advance(madeMs);
    const image = world.cluster.get("Image", "golden", tenant)?.status?.["id"];
    expect(image).toMatch(/^private\//);
    const spec = { accountRef, region: "us-east", type: "g6-nanode-1", image };
    world.cluster.create("ComputeInstance", "own", spec, { namespace: tenant });
    await world.advance(madeMs);
    expect(stateOf(world, "ComputeInstance", "own")).toBe("Ready");
  });

  it("may not be named any more if it was adopted and the owner withdraws sharing.existing", async () => {
    const world = await withNeeds(firewall, "web", { ...only, existing: [tenant] });
    const { id } = world.cloud.add("/compute/instances", { label: "shop-web", region: "us-east", type: "g6-nanode-1" });
    world.cloud.change("/compute/instances", id, { status: "running" });
    const instance = { accountRef, region: "us-east", type: "g6-nanode-1" };
    world.cluster.create("ComputeInstance", "taken", instance, { namespace: tenant, management: { adopt: { id } } });
    await world.advance(madeMs);
    expect(stateOf(world, "ComputeInstance", "taken")).toBe("Ready");
    world.cluster.patch("CloudAccount", "default", { spec: { sharing: { existing: null } } });
    await world.advance(60_000);
    const before = world.cloud.ledger().length;
    const reboot = { accountRef, instanceRef: { name: "taken" }, action: "Reboot" };
    world.cluster.create("ComputeAction", "reboot", reboot, { namespace: tenant });
    await world.advance(60_000);
    expect(stateOf(world, "ComputeInstance", "taken")).toBe("NotShared");
    expect(stateOf(world, "ComputeAction", "reboot")).toBe("NotShared");
    expect(changes(world, before)).toEqual([]);
  });

  it("is repaired after the owner withdraws sharing.existing, if only its creation named an image of others", async () => {
    const world = await withNeeds(firewall, "web", { ...only, existing: [tenant] });
    const spec = { accountRef, region: "us-east", type: "g6-nanode-1", image: "private/15001" };
    world.cluster.create("ComputeInstance", "own", spec, { namespace: tenant });
    await world.advance(madeMs);
    expect(stateOf(world, "ComputeInstance", "own")).toBe("Ready");
    world.cluster.patch("CloudAccount", "default", { spec: { sharing: { existing: null } } });
    world.cluster.patch("ComputeInstance", "own", { spec: { label: "renamed" } }, tenant);
    await world.advance(60_000);
    expect(stateOf(world, "ComputeInstance", "own")).toBe("Ready");
    expect(world.cloud.rows("/compute/instances").map(({ label }) => label)).toContain("renamed");
  });
});

/** Creates a Firewall without rules and waits for the outcome. */
async function withWall(world: World, name: string, spec: JsonObject, namespace = "default"): Promise<void> {
  world.cluster.create("Firewall", name, { inboundPolicy: "DROP", outboundPolicy: "DROP", ...spec }, { namespace });
  await world.advance(60_000);
}

describe("messages", () => {
  it("tell a foreign namespace nothing about an account: a missing one and one that is not shared look the same", async () => {
    const world = createWorld();
    for (const name of ["default", "missing"])
      world.cluster.create(
        "Firewall",
        `of-${name}`,
        { inboundPolicy: "DROP", outboundPolicy: "DROP", accountRef: { name, namespace: "default" } },
        { namespace: "team-c" },
      );
    await world.advance(60_000);
    const [one, other] = ["default", "missing"].map((name) => {
      const found = world.cluster.get("Firewall", `of-${name}`, "team-c");
      return { ready: conditionOf(found, "Ready"), stalled: conditionOf(found, "Stalled"), name };
    });
    const plain = ({ ready: of, name }: NonNullable<typeof one>) => of?.message.replace(`/${name} `, "/ACCOUNT ");
    expect(one!.ready?.reason).toBe("NotShared");
    expect(other!.ready?.reason).toBe("NotShared");
    expect(plain(one!)).toBe(plain(other!));
    expect(one!.stalled?.status).toBe(other!.stalled?.status);
    expect(one!.ready?.lastTransitionTime).toBe(other!.ready?.lastTransitionTime);
  });

  it("do not name the object that has the same label in another namespace, nor the ID", async () => {
    const world = await withNeeds(firewall, "closed");
    await withWall(world, "secret-name", { label: "wall" });
    await withWall(world, "subject", { label: "wall", accountRef }, tenant);
    expect(stateOf(world, "Firewall")).toBe("Conflict");
    expect(ready(world, "Firewall")?.message).toContain("an object of another namespace");
    expect(JSON.stringify(world.cluster.get("Firewall", "subject", tenant)?.status)).not.toContain("secret-name");
    expect(
      world.cluster.events().filter(({ note, key }) => key.includes(tenant) && note.includes("secret-name")),
    ).toEqual([]);
  });

  it("do not show the ID of a cloud object that no object of the namespace created", async () => {
    const world = await withNeeds(firewall, "closed");
    const { id } = world.cloud.add("/networking/firewalls", { label: "by-hand", rules: {}, id: 987_654 });
    await withWall(world, "subject", { label: "by-hand", accountRef }, tenant);
    expect(stateOf(world, "Firewall")).toBe("Conflict");
    expect(ready(world, "Firewall")?.message).not.toContain(id);
  });

  it("do not pass on names of others that a refusal of the cloud API lists", async () => {
    const world = await withNeeds(firewall, "closed");
    await withWall(world, "shop", { label: "shop-wall" });
    const [row] = world.cloud.rows("/networking/firewalls");
    const id = JSON.stringify(row?.["id"]);
    const reason = `Taken by ${id} (shop-wall); image private/15001 fits`;
    world.cloud.fault({ kind: "refused", method: "POST", path: /^\/networking\/firewalls$/, times: Infinity, reason });
    await withWall(world, "subject", { label: "guarded", accountRef }, tenant);
    const message = ready(world, "Firewall")?.message ?? "";
    expect(message).toContain("Taken by");
    for (const name of ["shop-wall", "private/15001", `Taken by ${id}`]) expect(message).not.toContain(name);
  });
});

describe("a zone above or below a zone of another namespace", () => {
  const zone = (domain: string) => ({ domain, type: "master", soaEmail: "a@b.example" });

  async function beside(domain: string, sharing: object = only): Promise<World> {
    const world = createWorld();
    world.cluster.patch("CloudAccount", "default", { spec: { sharing } });
    world.cluster.create("Domain", "secret", zone("secret.example"));
    await world.advance(madeMs);
    world.cluster.create("Domain", "subject", { ...zone(domain), accountRef }, { namespace: tenant });
    await world.advance(madeMs);
    return world;
  }

  it.each(["login.secret.example", "a.b.secret.example", "example.org"])(
    "a Domain %s needs sharing.existing only if it is above or below",
    async (domain) => {
      const world = await beside(domain);
      const isApart = domain === "example.org";
      expect(stateOf(world, "Domain")).toBe(isApart ? "Ready" : "NotShared");
      expect(changes(world).filter((change) => change.startsWith("POST"))).toHaveLength(isApart ? 2 : 1);
      if (!isApart)
        expect(ready(world, "Domain")?.message).toMatch(
          `spec.domain: ${domain} is above or below a zone that no object of this namespace owns.`,
        );
    },
  );

  it("a Domain above the zone of another namespace is refused, and created after that zone is deleted", async () => {
    const world = createWorld();
    world.cluster.patch("CloudAccount", "default", { spec: { sharing: only } });
    world.cluster.create("Domain", "login", zone("login.secret.example"));
    await world.advance(madeMs);
    world.cluster.create("Domain", "subject", { ...zone("secret.example"), accountRef }, { namespace: tenant });
    await world.advance(madeMs);
    expect(stateOf(world, "Domain")).toBe("NotShared");
    world.cluster.delete("Domain", "login");
    await world.advance(600_000);
    expect(stateOf(world, "Domain")).toBe("Ready");
  });

  it("a namespace with sharing.existing creates the zone, and a namespace creates zones below its own zone", async () => {
    const world = await beside("login.secret.example", { ...only, existing: [tenant] });
    expect(stateOf(world, "Domain")).toBe("Ready");
    world.cluster.patch("CloudAccount", "default", { spec: { sharing: { namespaces: [tenant], existing: [] } } });
    world.cluster.create("Domain", "own", { ...zone("own.test"), accountRef }, { namespace: tenant });
    await world.advance(madeMs);
    world.cluster.create("Domain", "below", { ...zone("a.own.test"), accountRef }, { namespace: tenant });
    await world.advance(madeMs);
    expect(stateOf(world, "Domain", "below")).toBe("Ready");
  });
});
