/** Objects that tenants write. Some are harmless. Some try to use a cloud object of another tenant. */
import type { JsonObject } from "../../../src/api/types.ts";
import type { Place } from "./story.ts";

/** Namespace of each place. */
export const namespaceOf: { [place in Place]: string } = { shop: "shop", team: "team-b", outsider: "team-c" };

/** Each place has a word for the names of its objects. A text with the word of a place contains a name from that place. */
export const wordOf: { [place in Place]: string } = { shop: "larch", team: "alder", outsider: "rowan" };

/** Word for cloud objects that a user of the account created by hand. */
export const handWord = "maple";

/** Names of cloud objects that a user created by hand in the account of the shop. */
export const byHand = {
  image: "private/15001",
  vlan: `${handWord}-vlan`,
  user: `${handWord}-user`,
  stackScript: 7_001,
  volume: 8_001,
  tag: `${handWord}-tag`,
  bucket: `us-east-1/${handWord}-bucket`,
  domain: `${handWord}.test`,
};

/** Names of Secrets. The bytes differ from namespace to namespace. */
export const ownSecret = "content";
export const largeSecret = "large";
export const tokenSecret = "cloud-token";

/** Facts that a wish may use. */
export interface Scene {
  place: Place;
  name: string;
  label: string;
  /** Ids of rows that a user created by hand. */
  foreign: { instance: string; domain: string; firewall: string };
  /** Id of the row of the holder. The id is 1 before the holder has a row. */
  holderID: string;
}

/** An object that exists in the namespace before the life begins. */
export interface Holder {
  kind: string;
  name: string;
  spec: (place: Place) => JsonObject;
}

export interface Wish {
  what: string;
  kind: string;
  /** Collection of the rows. `{}` is the id of the holder. */
  path: string;
  holder?: Holder;
  spec: (scene: Scene) => JsonObject;
  edits?: ((scene: Scene) => JsonObject)[];
  /** The spec is a mistake. The API server refuses the object, or the operator reports InvalidSpec. */
  invalid?: boolean;
}

const host: Holder = {
  kind: "ComputeInstance",
  name: "host",
  spec: (place) => ({ label: `${wordOf[place]}-host`, region: "us-east", type: "g6-standard-1" }),
};

const zone: Holder = {
  kind: "Domain",
  name: "zone",
  spec: (place) => ({ domain: `${wordOf[place]}.test`, type: "master", soaEmail: "ada@example.test" }),
};

const bucket: Holder = {
  kind: "Bucket",
  name: "bucket",
  spec: (place) => ({ label: `${wordOf[place]}-bucket`, cluster: "us-east-1" }),
};

const instances = "/compute/instances";
const small = { region: "us-east", type: "g6-standard-1" };
const deployed = { ...small, image: "compute/debian12" };
const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const notAfter = "2026-12-31T00:00:00Z";
const record = { type: "A", target: "192.0.2.1" };
const contentRef = (name: string) => ({ contentSecretRef: { name, key: "token" } });
const object = ({ name }: Scene) => ({ bucketRef: { name: bucket.name }, objectKey: name });

const cast = [
  {
    what: "instance",
    kind: "ComputeInstance",
    path: instances,
    spec: ({ label }) => ({ label, ...deployed }),
    edits: [
      () => ({ tags: ["edited"] }),
      () => ({ powerState: "Offline" }),
      () => ({ image: byHand.image, allowDisruption: ["Rebuild"] }),
    ],
  },
  {
    what: "instance from a foreign image",
    kind: "ComputeInstance",
    path: instances,
    spec: ({ label }) => ({ label, ...small, image: byHand.image }),
  },
  {
    what: "instance in a foreign VLAN",
    kind: "ComputeInstance",
    path: instances,
    spec: ({ label }) => ({ label, ...deployed, interfaces: [{ purpose: "vlan", label: byHand.vlan }] }),
  },
  {
    what: "instance with a foreign user and script",
    kind: "ComputeInstance",
    path: instances,
    spec: ({ label }) => ({
      label,
      ...deployed,
      authorizedUsers: [byHand.user],
      stackScript: { id: byHand.stackScript },
    }),
  },
  {
    what: "disk from a foreign image",
    kind: "ComputeDisk",
    path: `${instances}/{}/disks`,
    holder: host,
    spec: ({ label }) => ({ instanceRef: { name: host.name }, label, sizeMB: 3_000, image: byHand.image }),
  },
  {
    what: "rebuild from a foreign image",
    kind: "ComputeAction",
    path: instances,
    holder: host,
    spec: () => ({
      instanceRef: { name: host.name },
      action: "Rebuild",
      image: byHand.image,
      passwordSecretRef: { name: ownSecret, key: "token" },
      notAfter,
    }),
  },
  {
    what: "rescue with a foreign volume",
    kind: "ComputeAction",
    path: instances,
    holder: host,
    spec: () => ({ instanceRef: { name: host.name }, action: "Rescue", rescueVolumeIDs: [String(byHand.volume)] }),
  },
  {
    what: "firewall",
    kind: "Firewall",
    path: "/networking/firewalls",
    spec: ({ label }) => ({ label, inboundPolicy: "DROP", outboundPolicy: "ACCEPT" }),
    edits: [
      () => ({ inboundPolicy: "ACCEPT" }),
      ({ foreign }) => ({ instanceRefs: [{ id: foreign.instance }] }),
      () => ({ instanceRefs: [] }),
    ],
  },
  {
    what: "domain",
    kind: "Domain",
    path: "/domains",
    spec: ({ label }) => ({ domain: `${label}.example`, type: "master", soaEmail: "ada@example.test" }),
    edits: [() => ({ description: "edited" })],
  },
  {
    what: "record of a named zone",
    kind: "DomainRecord",
    path: "/domains/{}/records",
    holder: zone,
    spec: ({ label }) => ({ domainRef: { name: zone.name }, name: label, ...record }),
    edits: [() => ({ target: "192.0.2.2" })],
  },
  {
    what: "record in a zone made by hand",
    kind: "DomainRecord",
    path: "/domains/{}/records",
    spec: ({ label, foreign }) => ({ domainRef: { id: foreign.domain }, name: label, ...record }),
    edits: [() => ({ target: "192.0.2.2" })],
  },
  {
    what: "zone made by hand",
    kind: "Domain",
    path: "/domains",
    spec: ({ foreign }) => ({
      domain: byHand.domain,
      type: "master",
      soaEmail: "eve@example.test",
      management: { adopt: { id: foreign.domain } },
    }),
  },
  {
    what: "disk of an instance made by hand",
    kind: "ComputeDisk",
    path: `${instances}/{}/disks`,
    spec: ({ label, foreign }) => ({ instanceRef: { id: foreign.instance }, label, sizeMB: 3_000 }),
    edits: [() => ({ sizeMB: 4_000 })],
  },
  {
    what: "instance made by hand",
    kind: "ComputeInstance",
    path: instances,
    spec: ({ foreign }) => ({
      label: `${handWord}-web`,
      region: "eu-west",
      type: "g6-standard-8",
      management: { adopt: { id: foreign.instance } },
    }),
  },
  {
    what: "disk",
    kind: "ComputeDisk",
    path: `${instances}/{}/disks`,
    holder: host,
    spec: ({ label }) => ({ instanceRef: { name: host.name }, label, sizeMB: 3_000 }),
    edits: [() => ({ sizeMB: 4_000 })],
  },
  {
    what: "foreign tag on nothing",
    kind: "Tag",
    path: "/tags",
    spec: () => ({ label: byHand.tag, instanceRefs: [], domainRefs: [] }),
    edits: [() => ({ instanceRefs: null }), () => ({ domainRefs: null })],
  },
  {
    what: "tag on nothing",
    kind: "Tag",
    path: "/tags",
    spec: ({ label }) => ({ label, instanceRefs: [], domainRefs: [] }),
  },
  {
    what: "tag on its own host",
    kind: "Tag",
    path: "/tags",
    holder: host,
    spec: ({ label }) => ({ label, instanceRefs: [{ name: host.name }] }),
    edits: [() => ({ instanceRefs: [] })],
  },
  {
    what: "beta program",
    kind: "BetaEnrollment",
    path: "/account/betas",
    spec: () => ({ program: "fast-disks" }),
  },
  {
    what: "SSH key",
    kind: "SSHKey",
    path: "/profile/sshkeys",
    spec: ({ label }) => ({ label, sshKey }),
    edits: [({ label }) => ({ label: `${label}-edited` })],
  },
  {
    what: "content from its own Secret",
    kind: "BucketObject",
    path: "/object-storage/buckets",
    holder: bucket,
    spec: (scene) => ({ ...object(scene), ...contentRef(ownSecret) }),
    edits: [() => contentRef(tokenSecret), () => contentRef(ownSecret)],
  },
  {
    what: "content from the Secret of a token",
    kind: "BucketObject",
    path: "/object-storage/buckets",
    holder: bucket,
    spec: (scene) => ({ ...object(scene), ...contentRef(tokenSecret), acl: "public-read" }),
  },
  {
    what: "address",
    kind: "IPAddress",
    path: "/networking/ips",
    holder: host,
    spec: () => ({ instanceRef: { name: host.name }, public: true }),
  },
  {
    what: "key to a foreign bucket",
    kind: "ObjectStorageKey",
    path: "/object-storage/keys",
    spec: ({ label }) => ({
      label,
      bucketAccess: [{ bucketRef: { id: byHand.bucket }, permissions: "read_write" }],
    }),
  },
  {
    what: "key",
    kind: "ObjectStorageKey",
    path: "/object-storage/keys",
    spec: ({ label }) => ({ label, bucketAccess: [] }),
    edits: [() => ({ rotation: 1 })],
  },
  {
    what: "instance with large user data",
    kind: "ComputeInstance",
    path: instances,
    spec: ({ label }) => ({ label, ...deployed, userDataSecretRef: { name: largeSecret, key: "token" } }),
  },
  {
    what: "a Secret whose name is a path",
    kind: "ComputeInstance",
    path: instances,
    spec: ({ label }) => ({ label, ...deployed, rootPasswordSecretRef: { name: "..", key: "token" } }),
    invalid: true,
  },
  {
    what: "an account that does not exist",
    kind: "Firewall",
    path: "/networking/firewalls",
    spec: ({ label, place }) => ({
      label,
      inboundPolicy: "DROP",
      outboundPolicy: "ACCEPT",
      accountRef: { name: "absent", ...(place !== "shop" && { namespace: namespaceOf.shop }) },
    }),
  },
] as const satisfies Wish[];

export const wishes: readonly Wish[] = cast;

export type What = (typeof cast)[number]["what"];

export function wishNamed(what: What): Wish {
  return wishes.find((wish) => wish.what === what)!;
}

/** Every kind in the lives of tenants. */
export const kindsOfTenants: ReadonlySet<string> = new Set([
  "CloudAccount",
  ...wishes.flatMap(({ kind, holder }) => (holder ? [kind, holder.kind] : [kind])),
]);
