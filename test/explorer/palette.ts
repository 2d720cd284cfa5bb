/** What lives are made of: for each kind a spec, changes of it, and where its rows are. */
import type { JsonObject } from "../../src/api/types.ts";
import { secretOf } from "../world/collections.ts";
import { shown } from "./shown.ts";
import { asSent } from "./stored.ts";
import type { Shown } from "./shown.ts";

/** What holds the rows of others: one in each namespace, made before the life begins. */
export interface Holder {
  kind: string;
  name: string;
  spec: (namespace: string) => JsonObject;
}

export interface Swatch {
  kind: string;
  /** The collection of its rows; `{}` stands for the id of its holder. */
  path: string;
  below?: Holder;
  /** Another object that it refers to. */
  beside?: Holder | undefined;
  spec: (label: string) => JsonObject;
  edits: JsonObject[];
  /** Field of the spec that names the row, where it may be changed. */
  renames?: string;
  /** Fields of a row that name it. */
  key: string[];
  /** A row that somebody else made. */
  foreign: (label: string) => JsonObject;
  /** Field of a row that somebody may change behind the operator's back, with its new value. */
  tampered: JsonObject;
  /** Values longer than anybody expected. */
  long: JsonObject;
  /** Name of the Secret that is written for it; undefined: none is. */
  secret?: (spec: JsonObject, name: string) => string | undefined;
  /** What that Secret holds of the row, as the spec forms it; an empty text is not there. */
  holds?: (row: JsonObject, spec: JsonObject) => JsonObject;
  /** It is free, and several may have one name: it is made where none of that name was listed within a poll. */
  free?: boolean;
  /** It makes nothing, and acts on what its `id` names. */
  once?: boolean;
  /** Another one is created in the place of one that it made. */
  replaces?: boolean;
  /** What a row shows of a spec, where the spec says it: a pair of texts that are the same. */
  shows?: Shown;
}

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
/** What others make differs in what is fixed at creation: an exact twin could be told from nothing of ours. */
const theirs = { region: "eu-west", type: "g6-standard-8", image: "compute/debian12" };
const theirKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHRoZWlycy1rZXktdGhlaXJzLWtleS10aGVpcnMta2V5 eve@laptop";
const rules = { inbound: [], outbound: [], inbound_policy: "DROP", outbound_policy: "ACCEPT" };
const web = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
const rule = { action: "ACCEPT", protocol: "TCP", ports: "80", ipv4: ["0.0.0.0/0"] };
const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };

/** After every life. */
const notAfter = "2026-12-31T00:00:00Z";

/** Fits nowhere. */
const long = "x".repeat(300);

const zone: Holder = {
  kind: "Domain",
  name: "zone",
  spec: (namespace) => ({
    domain: namespace === "guest" ? "guest.test" : "zone.test",
    type: "master",
    soaEmail: "ada@zone.test",
  }),
};

const host: Holder = {
  kind: "ComputeInstance",
  name: "host",
  spec: (namespace) => ({ label: `host-${namespace}`, region: "us-east", type: "g6-standard-1" }),
};

const spare: Holder = {
  ...host,
  name: "spare",
  spec: (namespace) => ({ ...host.spec(namespace), label: `spare-${namespace}` }),
};

const server: Holder = {
  kind: "ManagedMySQL",
  name: "server",
  spec: (namespace) => ({ label: `server-${namespace}`, ...database }),
};

const instance: Swatch = {
  kind: "ComputeInstance",
  path: "/compute/instances",
  spec: (label) => ({ label, ...web }),
  edits: [
    { type: "g6-standard-2", allowDisruption: ["Resize"] },
    { image: "compute/ubuntu24.04", allowDisruption: ["Rebuild"] },
    { tags: ["edited"] },
    { powerState: "Offline" },
    { backups: { enabled: true } },
    { backups: { enabled: false } },
  ],
  renames: "label",
  key: ["label"],
  foreign: (label) => ({ label, ...theirs, status: "running" }),
  tampered: { label: "tampered" },
  long: { ipv6: long, host_uuid: long },
  shows: shown.instance,
};

/** Those of the first lives. */
const first: Swatch[] = [
  {
    kind: "SSHKey",
    path: "/profile/sshkeys",
    spec: (label) => ({ label, sshKey }),
    edits: [{ label: "edited" }],
    renames: "label",
    key: ["label", "ssh_key"],
    foreign: (label) => ({ label, ssh_key: theirKey }),
    tampered: { label: "tampered" },
    long: {},
  },
  instance,
  {
    kind: "Firewall",
    path: "/networking/firewalls",
    spec: (label) => ({ label, inboundPolicy: "DROP", outboundPolicy: "ACCEPT" }),
    edits: [{ inbound: [rule] }, { enabled: false }, { tags: ["edited"] }, { inboundPolicy: "ACCEPT" }],
    renames: "label",
    key: ["label"],
    foreign: (label) => ({ label, rules }),
    tampered: { status: "disabled", rules: { ...rules, inbound_policy: "ACCEPT" } },
    long: { status: long },
    shows: shown.firewall,
  },
  {
    kind: "Domain",
    path: "/domains",
    spec: (label) => ({ domain: `${label}.test`, type: "master", soaEmail: "ada@zone.test" }),
    edits: [{ description: "edited" }, { ttlSeconds: 300 }],
    key: ["domain"],
    foreign: (label) => ({ domain: `${label}.test`, type: "master", soa_email: "eve@zone.test" }),
    tampered: { soa_email: "eve@zone.test" },
    long: { status: long },
    shows: shown.domain,
  },
  {
    kind: "DomainRecord",
    path: "/domains/{}/records",
    below: zone,
    spec: (label) => ({ domainRef: { name: zone.name }, type: "A", name: label, target: "192.0.2.1" }),
    edits: [{ target: "192.0.2.2" }, { ttlSeconds: 300 }],
    renames: "name",
    key: ["type", "name", "target"],
    foreign: (label) => ({ type: "A", name: label, target: "192.0.2.7" }),
    tampered: { target: "192.0.2.9" },
    long: { tag: long },
    shows: shown.record,
  },
  {
    kind: "Bucket",
    path: "/object-storage/buckets",
    spec: (label) => ({ label, cluster: "us-east-1" }),
    edits: [{ acl: "public-read" }, { acl: "private", corsEnabled: true }, { forceEmpty: true }],
    key: ["cluster", "label"],
    foreign: (label) => ({ label, cluster: "us-east-1" }),
    tampered: { hostname: "elsewhere.test" },
    long: { hostname: long },
    shows: shown.bucket,
  },
  {
    kind: "ManagedMySQL",
    path: "/databases/mysql/instances",
    spec: (label) => ({ label, ...database }),
    edits: [
      { allowList: ["192.0.2.0/24"] },
      { allowList: [] },
      { connectionSecretName: "moved" },
      { connectionSecretName: null },
      {
        connectionSecret: {
          keys: { host: "DB_HOST" },
          template: { dsn: "{{ .host }}:{{ .port }}" },
          labels: { app: "web" },
        },
      },
      { connectionSecret: null },
    ],
    renames: "label",
    key: ["label"],
    foreign: (label) => ({ label, ...database, region: "eu-west", status: "active" }),
    tampered: { allow_list: ["0.0.0.0/0"] },
    long: { version: long, status: "active" },
    secret: (spec, name) => textOf(spec["connectionSecretName"]) ?? `${name}-connection`,
    holds: ({ hosts, port }, { connectionSecret: form }) => {
      const { primary = "" } = (hosts ?? {}) as { primary?: string };
      return form
        ? { DB_HOST: primary, dsn: `${primary}:${textOf(port) ?? Number(port ?? 3306)}`, host: "" }
        : { host: primary, DB_HOST: "", dsn: "" };
    },
    shows: shown.database,
  },
  {
    ...instance,
    spec: (label) => ({ label, ...web, userDataSecretRef: { name: "user-data" } }),
  },
  {
    ...instance,
    spec: (label) => ({
      label,
      region: web.region,
      type: web.type,
      source: { clone: { instanceRef: { name: "s0" } } },
    }),
  },
];

/** Those that came later: what stands for data, for access and for money. */
const later: Swatch[] = [
  {
    kind: "ComputeDisk",
    path: "/compute/instances/{}/disks",
    below: host,
    spec: (label) => ({ instanceRef: { name: host.name }, label, sizeMB: 1_024 }),
    edits: [{ sizeMB: 2_048 }, { sizeMB: 1_024 }, { filesystem: "ext3" }],
    renames: "label",
    key: ["label"],
    foreign: (label) => ({ label, size: 512, filesystem: "raw", status: "ready" }),
    tampered: { label: "tampered" },
    long: { status: long },
    free: true,
    shows: shown.disk,
  },
  {
    kind: "ObjectStorageKey",
    path: "/object-storage/keys",
    // The former key goes before the life ends.
    spec: (label) => ({ label, gracePeriodSeconds: 60 }),
    edits: [
      { rotation: 1 },
      { rotation: 2 },
      { secretName: "moved" },
      { secretName: null },
      { connectionSecret: { keys: { AWS_ACCESS_KEY_ID: "accessKey" } } },
      { connectionSecret: null },
    ],
    renames: "label",
    key: ["label"],
    // A person creates the same key: only an event tells the two apart.
    foreign: (label) => ({ label }),
    tampered: { label: "tampered" },
    long: {},
    secret: (spec, name) => textOf(spec["secretName"]) ?? `${name}-s3-credentials`,
    holds: ({ access_key: key }, { connectionSecret: form }) => ({
      [form ? "accessKey" : "AWS_ACCESS_KEY_ID"]: key ?? "",
      [form ? "AWS_ACCESS_KEY_ID" : "accessKey"]: "",
      AWS_SECRET_ACCESS_KEY: secretOf(textOf(key) ?? ""),
    }),
    free: true,
    replaces: true,
  },
  {
    kind: "Image",
    path: "/images",
    spec: (label) => ({ label, source: { handOff: { region: "us-east" } } }),
    edits: [{ description: "edited" }, { description: null }],
    renames: "label",
    key: ["label"],
    foreign: (label) => ({ label, is_public: false, status: "available", size: 1 }),
    tampered: { description: "tampered" },
    long: { status: long },
    replaces: true,
    shows: shown.image,
  },
  {
    kind: "DatabaseBackup",
    path: "/databases/mysql/instances/{}/backups",
    below: server,
    spec: (label) => ({ databaseRef: { name: server.name }, label }),
    edits: [{ management: { deletionPolicy: "Delete" } }],
    key: ["label"],
    foreign: (label) => ({ label, type: "auto" }),
    tampered: { type: "auto" },
    long: { type: long },
  },
];

/** Runs one time each on an instance that they share. */
const runs: Swatch[] = [
  { action: "Rebuild", image: "compute/ubuntu24.04", passwordSecretRef: { name: "root-password" }, notAfter },
  { action: "Migrate", region: "eu-west", notAfter },
  { action: "Boot" },
  { action: "RestoreBackup", backupID: "12", restoreToRef: { name: spare.name }, overwrite: true, notAfter },
  { action: "Clone", clone: { instanceRef: { name: spare.name } } },
].map((spec) => ({
  kind: "ComputeAction",
  path: instance.path,
  below: host,
  beside: ["RestoreBackup", "Clone"].includes(spec.action) ? spare : undefined,
  spec: () => ({ instanceRef: { name: host.name }, ...spec }),
  edits: [{ ttlSecondsAfterFinished: 60 }, { ttlSecondsAfterFinished: null }],
  key: ["label"],
  foreign: instance.foreign,
  tampered: {},
  long: {},
  once: true,
}));

/** Sets what its holder has beside its row. */
const sharing: Swatch = {
  kind: "IPSharing",
  path: instance.path,
  below: host,
  spec: () => ({ instanceRef: { name: host.name }, addresses: ["192.0.2.10"] }),
  edits: [{ addresses: ["192.0.2.10", "192.0.2.11"] }, { addresses: ["192.0.2.12"] }],
  key: ["label"],
  foreign: instance.foreign,
  tampered: {},
  long: {},
  once: true,
};

export const palette: Swatch[] = [...first, ...later, ...runs, sharing];

/** All that a life has. */
export const kindsOfLives: ReadonlySet<string> = new Set([
  "CloudAccount",
  ...palette.flatMap(({ kind, below }) => (below ? [kind, below.kind] : [kind])),
]);

/** Numbers in the palette. */
export const casts = {
  first: first.map((_, index) => index),
  later: [...later, ...runs].map((_, index) => first.length + index),
  /** What is in or on another cloud object, which is given away. */
  held: palette.flatMap(({ below }, index) => (below ? [index] : [])),
};

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

const patterns = palette.map(({ kind, path }) => ({
  kind,
  pattern: new RegExp(`^${path.replace("{}", String.raw`\d+`)}$`),
}));

/** The kind whose rows a collection holds; undefined for what no kind is of its own, such as devices. */
export function kindOfPath(path: string): string | undefined {
  return patterns.find(({ pattern }) => pattern.test(path))?.kind;
}

/** The fields of a row that name it. */
export function keyOfRow(path: string, fields: JsonObject): string {
  const kind = kindOfPath(path);
  const { key = [] } = palette.find((swatch) => swatch.kind === kind) ?? {};
  const values = key.map((field) => fields[field] ?? null);
  return JSON.stringify(values.map((value) => (typeof value === "string" ? asSent(value) : value)));
}
