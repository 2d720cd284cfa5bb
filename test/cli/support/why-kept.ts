/** Cases of objects whose cloud object exists, is lost, or is uncertain, and of deletions. */
import type { Reason } from "../../../src/core/kind/reasons.ts";
import { generated, resources } from "../../world/cluster.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { cloudAccount } from "../../../src/kinds/account/cloud-account.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { idOf, left, madeMs, minutes, paths, specs } from "../../core/support.ts";
import type { Case } from "./why-cases.ts";

const key = ["SSHKey", "laptop"] as const;
const web = ["ComputeInstance", "web"] as const;
const wall = ["Firewall", "wall"] as const;
const rules = { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] };
const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

async function withObject([kind, name]: readonly [string, string], spec: object, management?: object): Promise<World> {
  const world = createWorld();
  world.cluster.create(kind, name, spec, management && { management });
  await world.advance(madeMs);
  return world;
}

/** Applies a definition of the kind without a field of `spec.management`, or the current definition. */
function define({ cluster }: World, kind: string, without?: string): void {
  const all = [...kinds, cloudAccount];
  const spec = structuredClone(generated(all.find((one) => one.kind === kind)!)) as {
    versions: {
      schema: { openAPIV3Schema: { properties: { spec: { properties: { management: { properties: object } } } } } };
    }[];
  };
  const { properties } = spec.versions[0]!.schema.openAPIV3Schema.properties.spec.properties.management;
  if (without !== undefined) Reflect.deleteProperty(properties, without);
  cluster.objects.patch(definitions, { name: `${resources.get(kind)!.plural}.cloudplatform.dev` }, { spec });
}

export const kept = {
  Observed: {
    arrange: async () => {
      const world = createWorld();
      const { id } = world.cloud.add(paths.Firewall, { label: "wall", rules });
      world.cluster.create("Firewall", "wall", specs.Firewall, { management: { policy: "Observe", adopt: { id } } });
      await world.advance(minutes(2));
      return world;
    },
    object: wall,
    cause: "is observed. The operator does not change it",
  },
  Creating: {
    arrange: async () => {
      const world = createWorld();
      await world.settle();
      world.cloud.fault({ kind: "lostBefore", method: "POST" });
      world.cluster.create("SSHKey", "laptop", specs.SSHKey);
      await world.advance(5_000);
      return world;
    },
    object: key,
    cause: "The operator searches for the new SSH key",
    cure: () => undefined,
  },
  Updating: {
    arrange: async () => {
      const world = await withObject(web, { ...specs.ComputeInstance, allowDisruption: ["Resize"] });
      world.cloud.settings.beginMs = 60_000;
      world.cluster.patch("ComputeInstance", "web", { spec: { type: "g6-standard-2" } });
      await world.advance(5_000);
      return world;
    },
    object: web,
    cause: "Updating",
    cure: () => undefined,
    afterMs: madeMs,
  },
  Deleting: {
    arrange: async () => {
      const world = await withObject(key, specs.SSHKey);
      const { finalizers = [] } = world.cluster.get("SSHKey", "laptop")!.metadata;
      world.cluster.patch("SSHKey", "laptop", { metadata: { finalizers: [...finalizers, "example.com/keep"] } });
      world.cluster.delete("SSHKey", "laptop");
      await world.advance(minutes(1));
      return world;
    },
    object: key,
    cause: "the finalizer example.com/keep of another program keeps SSHKey default/laptop",
    cure: ({ cluster }) => void cluster.patch("SSHKey", "laptop", { metadata: { finalizers: null } }),
    after: "gone",
  },
  WaitingForDependents: {
    arrange: async () => {
      const world = await withObject(["Bucket", "media"], specs.Bucket);
      world.cluster.secret("robots", { content: "allow" });
      const spec = { bucketRef: { name: "media" }, objectKey: "robots.txt", contentSecretRef: { name: "robots" } };
      world.cluster.create("BucketObject", "robots", spec);
      await world.advance(minutes(1));
      world.cluster.delete("Bucket", "media");
      await world.advance(minutes(1));
      return world;
    },
    object: ["Bucket", "media"],
    cause: "BucketObject default/robots uses Bucket default/media",
    cure: /kubectl delete bucketobject robots/,
    after: "gone",
  },
  WaitingForParent: {
    arrange: async () => {
      const world = await withObject(["Domain", "zone"], specs.Domain);
      const spec = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };
      world.cluster.create("DomainRecord", "www", spec);
      await world.advance(minutes(1));
      world.cloud.fault({ kind: "unreachable", method: "DELETE", times: 10_000 });
      world.cluster.delete("Domain", "zone");
      world.cluster.delete("DomainRecord", "www");
      await world.advance(minutes(15));
      return world;
    },
    object: ["DomainRecord", "www"],
    cause: /Cause: Domain default\/zone: .*retries/,
    cure: ({ cloud }) => cloud.clearFaults(),
    after: "gone",
  },
  WaitingForChange: {
    arrange: async () => {
      const world = await withObject(["Firewall", "old"], { ...specs.Firewall, label: "wall" });
      world.cloud.fault({ kind: "unreachable", method: "DELETE", times: 20 });
      world.cluster.delete("Firewall", "old");
      await world.advance(100);
      world.cluster.create("Firewall", "wall", { ...specs.Firewall, label: "wall" });
      await world.advance(3_000);
      return world;
    },
    object: wall,
    cause: "Firewall default/old",
    cure: ({ cloud }) => cloud.clearFaults(),
  },
  OutdatedDefinition: {
    arrange: async () => {
      const world = await withObject(key, specs.SSHKey);
      define(world, "SSHKey", "deletionPolicy");
      world.cluster.delete("SSHKey", "laptop");
      await world.advance(minutes(1));
      return world;
    },
    object: key,
    cause: "sshkeys.cloudplatform.dev",
    cure: (world) => define(world, "SSHKey"),
    after: "gone",
  },
  Conflict: {
    arrange: async () => {
      const world = createWorld();
      world.cloud.add(paths.SSHKey, { label: "laptop", ssh_key: specs.SSHKey.sshKey });
      world.cluster.create("SSHKey", "laptop", specs.SSHKey);
      await world.advance(minutes(1));
      return world;
    },
    object: key,
    cause: 'already has SSH key 1001 with label "laptop"',
    cure: /cloudplatform adopt sshkey laptop 1001/,
  },
  AdoptionDiffers: {
    arrange: async () => {
      const world = createWorld();
      const { id } = world.cloud.add(paths.Firewall, { label: "wall", rules });
      const spec = { ...specs.Firewall, inboundPolicy: "ACCEPT" };
      world.cluster.create("Firewall", "wall", spec, { management: { adopt: { id } } });
      await world.advance(minutes(1));
      return world;
    },
    object: wall,
    cause: "The adopted cloud object differs from the spec",
    cure: /cloudplatform approve firewall wall/,
  },
  AdoptionFailed: {
    arrange: async () => {
      const world = createWorld();
      world.cloud.add(paths.SSHKey, { id: 77, label: "laptop", ssh_key: specs.SSHKey.sshKey });
      world.cluster.create("SSHKey", "laptop", specs.SSHKey, { management: { adopt: { id: "99" } } });
      await world.advance(minutes(1));
      return world;
    },
    object: key,
    cause: "99",
    cure: /cloudplatform adopt sshkey laptop <ID>/,
    fill: "77",
  },
  CreateUncertain: {
    arrange: async () => {
      const world = createWorld();
      await world.settle();
      world.cloud.fault({ kind: "lostBefore", method: "POST" });
      world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
      await world.advance(minutes(13));
      return world;
    },
    object: web,
    cause: "The operator creates nothing until you decide",
    cure: /cloudplatform retry computeinstance web/,
    afterMs: madeMs,
  },
  CreatedLate: {
    arrange: async () => {
      const world = createWorld();
      await world.settle();
      world.cloud.fault({ kind: "lateApply", method: "POST", ms: minutes(1) });
      world.cluster.create("SSHKey", "laptop", specs.SSHKey);
      await world.advance(minutes(10));
      return world;
    },
    object: key,
    cause: /CreatedLate: .*SSH key \d+/,
    cure: (world) => {
      const twin = left(world).find(({ id }) => id !== idOf(world, "SSHKey", "laptop"))!;
      world.cloud.remove(paths.SSHKey, twin.id);
    },
  },
  SecretUnknown: {
    arrange: async () => {
      const world = await withObject(["ObjectStorageKey", "web"], {}, { driftPolicy: "Report" });
      world.cluster.delete("Secret", "web-s3-credentials");
      await world.advance(minutes(2));
      return world;
    },
    object: ["ObjectStorageKey", "web"],
    cause: "change spec.rotation",
    cure: ({ cluster }) => void cluster.patch("ObjectStorageKey", "web", { spec: { rotation: 1 } }),
  },
  Missing: {
    arrange: async () => {
      const world = await withObject(web, specs.ComputeInstance);
      world.cloud.remove(paths.ComputeInstance, idOf(world, "ComputeInstance", "web"));
      await world.advance(minutes(2));
      return world;
    },
    object: web,
    cause: "no longer exists in the cloud",
    cure: /kubectl patch computeinstance web .*missingPolicy/,
    afterMs: madeMs,
  },
  Drifted: {
    arrange: async () => {
      const world = await withObject(wall, specs.Firewall, { driftPolicy: "Report" });
      world.cloud.change(paths.Firewall, idOf(world, "Firewall", "wall"), { label: "other" });
      await world.advance(minutes(3));
      return world;
    },
    object: wall,
    cause: 'cloud has "other"',
    cure: /kubectl patch firewall wall .*"driftPolicy":"Correct"/,
  },
  DisruptionNotAllowed: {
    arrange: async () => {
      const world = await withObject(web, specs.ComputeInstance);
      world.cluster.patch("ComputeInstance", "web", { spec: { type: "g6-standard-2" } });
      await world.advance(minutes(1));
      return world;
    },
    object: web,
    cause: "needs Resize in spec.allowDisruption",
    cure: ({ cluster }) => void cluster.patch("ComputeInstance", "web", { spec: { allowDisruption: ["Resize"] } }),
    afterMs: madeMs,
  },
} as const satisfies Partial<Record<Reason, Case>>;
