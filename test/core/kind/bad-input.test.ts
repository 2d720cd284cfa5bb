/** What a spec asks for that cannot be: each ends in a condition that says what to do, and hardly anything is sent. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, messageOf, paths, specs, stateOf } from "../support.ts";

const minute = 60_000;
const allow = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
const reboot = { action: "Reboot" };

interface BadInput {
  what: string;
  /** Brings about what there is before. */
  before?: (world: World) => Promise<void> | void;
  kind: string;
  spec: object;
  state: string;
  says: string;
}

async function withInstance(world: World, name = "web", spec: object = {}): Promise<void> {
  world.cluster.create("ComputeInstance", name, { ...specs.ComputeInstance, ...spec });
  await world.advance(5 * minute);
  expect(world.cluster.get("ComputeInstance", name)).toBeReady();
}

/** A bucket whose deletion is held up by an object that is paused. */
async function withDeletedBucket(world: World): Promise<void> {
  world.cluster.create("Bucket", "media", specs.Bucket);
  await world.advance(minute);
  world.cluster.create("ObjectStorageKey", "holder", {
    bucketAccess: [{ bucketRef: { name: "media" }, permissions: "read_only" }],
  });
  await world.advance(minute);
  world.cluster.delete("Bucket", "media");
  await world.advance(minute);
}

const other = { accountRef: { name: "other" } };

async function withOtherAccount(world: World): Promise<void> {
  world.cloud.addToken("token-of-other", "ada");
  world.cluster.secret("other", { token: "token-of-other" });
  world.cluster.create("CloudAccount", "other", { tokenSecretRef: { name: "other" } });
  await world.advance(minute);
  await withInstance(world, "theirs", other);
}

const bad: BadInput[] = [
  {
    what: "a reference to an object that does not exist",
    kind: "Firewall",
    spec: { ...allow, instanceRefs: [{ name: "web" }] },
    state: "WaitingForReference",
    says: "ComputeInstance web does not exist in namespace default",
  },
  {
    what: "a reference to an object of another kind",
    before: async (world) => {
      world.cluster.create("Domain", "web", specs.Domain);
      await world.advance(minute);
    },
    kind: "Firewall",
    spec: { ...allow, instanceRefs: [{ name: "web" }] },
    state: "WaitingForReference",
    says: "ComputeInstance web does not exist in namespace default",
  },
  {
    what: "a reference to an object that is being deleted",
    before: withDeletedBucket,
    kind: "BucketObject",
    spec: { bucketRef: { name: "media" }, objectKey: "a", contentSecretRef: { name: "robots" } },
    state: "WaitingForReference",
    says: "Bucket media is being deleted",
  },
  {
    what: "a reference to an object of another account",
    before: withOtherAccount,
    kind: "Firewall",
    spec: { ...allow, instanceRefs: [{ name: "theirs" }] },
    state: "WaitingForReference",
    says: "spec.instanceRefs[0].name: ComputeInstance theirs uses CloudAccount default/other, but this object uses default/default. Both must use the same CloudAccount",
  },
  {
    what: "a tag on an object of another account",
    before: withOtherAccount,
    kind: "Tag",
    spec: { instanceRefs: [{ name: "theirs" }] },
    state: "WaitingForReference",
    says: "spec.instanceRefs[0].name: ComputeInstance theirs uses CloudAccount default/other, but this object uses default/default. Both must use the same CloudAccount",
  },
  {
    what: "a tag on an id that the account does not have",
    kind: "Tag",
    spec: { instanceRefs: [{ id: "4711" }] },
    state: "InvalidSpec",
    says: "spec.instanceRefs[0].id: ComputeInstance 4711 does not exist in the account",
  },
  {
    what: "an action on an instance that is gone",
    kind: "ComputeAction",
    spec: { ...reboot, instanceRef: { id: "4711" } },
    state: "InvalidSpec",
    says: "spec.instanceRef.id: ComputeInstance 4711 does not exist in the account",
  },
  {
    what: "an action on an instance whose object is gone",
    kind: "ComputeAction",
    spec: { ...reboot, instanceRef: { name: "web" } },
    state: "WaitingForReference",
    says: "ComputeInstance web does not exist in namespace default",
  },
  {
    what: "a Secret without the key",
    before: (world) => void world.cluster.secret("init", { other: "#cloud-config" }),
    kind: "ComputeInstance",
    spec: { ...specs.ComputeInstance, userDataSecretRef: { name: "init" } },
    state: "WaitingForSecret",
    says: "spec.userDataSecretRef: Secret init has no key user-data in namespace default",
  },
  {
    what: "a Secret without the key of a certificate",
    before: async (world) => {
      world.cluster.secret("tls", { "tls.crt": "x" });
      world.cluster.create("Bucket", "media", specs.Bucket);
      await world.advance(minute);
    },
    kind: "BucketCertificate",
    spec: { bucketRef: { name: "media" }, secretRef: { name: "tls" } },
    state: "WaitingForSecret",
    says: "spec.secretRef: Secret tls has no key tls.key in namespace default",
  },
];

it.each(bad)("$what: $says", async ({ before, kind, spec, state, says }) => {
  const world = createWorld();
  await world.advance(minute);
  await before?.(world);
  const since = world.cloud.ledger().length;
  world.cluster.create(kind, "bad", spec);
  await world.advance(minute);
  expect(stateOf(world, kind, "bad"), messageOf(world, kind, "bad")).toBe(state);
  expect(messageOf(world, kind, "bad")).toContain(says);
  await world.advance(30 * minute);
  expect(messageOf(world, kind, "bad")).toContain(says);
  expect(changes(world, since)).toEqual([]);
  // One list a minute for each of what is listed, and what a resync reads.
  const reads = world.cloud
    .ledger()
    .slice(since)
    .filter(({ path }) => path !== "/account/events");
  expect(reads.length).toBeLessThan(31 * 8);
});

it("two instances that are each to be a copy of the other wait, and say what to do", async () => {
  const world = createWorld();
  const copyOf = (name: string) => ({
    region: "us-east",
    type: "g6-standard-1",
    source: { clone: { instanceRef: { name } } },
  });
  world.cluster.create("ComputeInstance", "a", copyOf("b"));
  world.cluster.create("ComputeInstance", "b", copyOf("a"));
  world.cluster.create("ComputeInstance", "self", copyOf("self"));
  await world.advance(30 * minute);
  expect(changes(world)).toEqual([]);
  for (const [name, of] of [
    ["a", "b"],
    ["b", "a"],
    ["self", "self"],
  ] as const) {
    expect(stateOf(world, "ComputeInstance", name)).toBe("WaitingForReference");
    expect(messageOf(world, "ComputeInstance", name)).toContain(
      `spec.source.clone.instanceRef.name: ComputeInstance ${of} has no cloud object and waits for this object, so each waits for the other. Delete one of the two, and create it again without this reference`,
    );
  }
  // Nothing of it is in the cloud, so nothing holds it.
  for (const name of ["a", "b", "self"]) world.cluster.delete("ComputeInstance", name);
  await world.advance(minute);
  expect(world.cluster.list("ComputeInstance")).toEqual([]);
});

it("a record beyond the 12,000 of a domain is refused, in the words of the cloud API, and hardly sent again", async () => {
  const world = createWorld();
  world.cluster.create("Domain", "zone", specs.Domain);
  await world.advance(minute);
  const [{ id } = { id: 0 }] = world.cloud.rows(paths.Domain);
  world.cloud.fault({
    kind: "refused",
    reason: "limit of 12000 reached",
    method: "POST",
    path: /records$/,
    times: 1_000,
  });
  world.cluster.create("DomainRecord", "one-more", {
    domainRef: { name: "zone" },
    type: "A",
    name: "x",
    target: "192.0.2.1",
  });
  await world.advance(minute);
  expect(stateOf(world, "DomainRecord", "one-more")).toBe("Refused");
  expect(messageOf(world, "DomainRecord", "one-more")).toContain(
    "limit of 12000 reached. Remove the obstacle in the cloud, or change the spec. The operator retries with backoff",
  );
  await world.advance(60 * minute);
  expect(changes(world).filter((call) => call === `POST /domains/${JSON.stringify(id)}/records`).length).toBeLessThan(
    30,
  );
});
