/** What lives are made of: for each kind a spec, changes of it, and where its rows are. */
import type { JsonObject } from "../../src/api/types.ts";
import { shown } from "./shown.ts";
import type { Shown } from "./shown.ts";

export interface Swatch {
  kind: string;
  /** The collection of its rows; those of records are below their domain. */
  path: string;
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

/** Fits nowhere. */
const long = "x".repeat(300);

export const zone = { name: "zone", spec: { domain: "zone.test", type: "master", soaEmail: "ada@zone.test" } };

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

export const palette: Swatch[] = [
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
    path: "records",
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
    ],
    renames: "label",
    key: ["label"],
    foreign: (label) => ({ label, ...database, region: "eu-west", status: "active" }),
    tampered: { allow_list: ["0.0.0.0/0"] },
    long: { version: long, status: "active" },
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

/** The kind whose rows a collection holds; undefined for what no kind is of its own, such as devices. */
export function kindOfPath(path: string): string | undefined {
  if (/^\/domains\/\d+\/records$/.test(path)) return "DomainRecord";
  return palette.find((swatch) => swatch.path === path)?.kind;
}

/** The fields of a row that name it. */
export function keyOfRow(path: string, fields: JsonObject): string {
  const kind = kindOfPath(path);
  const { key = [] } = palette.find((swatch) => swatch.kind === kind) ?? {};
  return JSON.stringify(key.map((field) => fields[field] ?? null));
}
