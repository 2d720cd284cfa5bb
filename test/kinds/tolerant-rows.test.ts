import { expect, test } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import { kinds, mirrors } from "../../src/kinds/registry.ts";
import { calls, live } from "./live.ts";

const instance = { id: 7, label: "web-1", region: "us-east", type: "g6-standard-1", status: "a new state" };
const database = { id: 7, label: "db", region: "us-east", type: "g6", cluster_size: 1, status: "a new state" };

/** The least that a row must have: its id, what names it, what it was made with, and the state that decides what may be done. */
const least: Record<string, JsonObject> = {
  AccessPolicy: { uid: 7, username: "ada" },
  AccountAction: { uid: 7, username: "ada" },
  BetaEnrollment: { id: "fast-disks" },
  Bucket: { label: "media", cluster: "us-east-1" },
  BucketCertificate: { ssl: true },
  BucketObject: { data: [{ name: "robots.txt" }] },
  ComputeAction: instance,
  ComputeConfig: { id: 7, label: "boot" },
  ComputeDisk: { id: 7, label: "data", size: 1, status: "a new state" },
  ComputeInstance: instance,
  ComputeSnapshot: instance,
  DatabaseAction: database,
  DatabaseBackup: { id: 7, label: "before-upgrade" },
  Domain: { id: 7, domain: "example.org", type: "a new type" },
  DomainRecord: { id: 7, type: "HTTPS" },
  Firewall: { id: 7, label: "edge", status: "a new state" },
  Image: { id: "private/7", label: "golden", status: "a new state" },
  IPAddress: { address: "192.0.2.1" },
  IPAssignment: { address: "192.0.2.1" },
  IPSharing: instance,
  IPv6Range: { range: "2001:db8::" },
  ManagedMySQL: database,
  ObjectStorageKey: { id: 7, label: "backups", access_key: "AK1" },
  PhoneVerification: { uid: 7, username: "ada" },
  PresignedURL: { label: "media", cluster: "us-east-1" },
  Profile: { uid: 7, username: "ada" },
  ReverseDNS: { address: "192.0.2.1" },
  SecurityQuestions: { security_questions: [] },
  Tag: { label: "shop" },
  UsageReport: instance,
  SSHKey: { id: 7, label: "laptop", ssh_key: "ssh-ed25519 AAAA" },
};

test.for(kinds.map((kind) => ({ kind, name: kind.kind })))(
  "a row of $name with just what is needed, words that are not known, and null elsewhere, is read and reported",
  ({ kind, name }) => {
    const needed = least[name] ?? {};
    const optional = Object.keys(kind.wire.shape).filter((field) => !(field in needed));
    for (const rest of [{}, Object.fromEntries(optional.map((field) => [field, null]))]) {
      const wire = { ...needed, ...rest, unheardOf: { nested: [1] } };
      const spec = kind.examples[0]?.spec ?? {};
      const seen = live(kind, { spec, wire, refs: { domainRef: { id: "1" }, instanceRef: { id: "1" } } });
      const row = kind.wire.parse(wire) as JsonObject;
      for (const field of Object.values(kind.fields)) expect(() => field.observed?.(row)).not.toThrow();
      expect(kind.status.safeParse(kind.report(seen, {})).error).toBeUndefined();
    }
  },
);

test.for(mirrors.map((mirror) => ({ mirror, name: mirror.kind })))(
  "a row of $name with its id alone, null elsewhere and words that are not known is shown",
  ({ mirror }) => {
    const rows = [{}, ...["label", "status", "class", "price", "capabilities"].map((field) => ({ [field]: null }))];
    for (const rest of rows) {
      const status = mirror.reportOf({ id: "a/new-one", ...rest, unheardOf: { nested: [1] } }, [{ plan: null }, {}]);
      expect(mirror.status.safeParse(status).error).toBeUndefined();
    }
    expect(mirror.status.safeParse(mirror.shown?.status).error).toBeUndefined();
  },
);

const firewall = kinds.find(({ kind }) => kind === "Firewall");
const known = { action: "ACCEPT", protocol: "TCP", ports: "80", addresses: { ipv4: ["0.0.0.0/0"] } };
const spec = {
  inboundPolicy: "DROP",
  outboundPolicy: "ACCEPT",
  inbound: [{ action: "ACCEPT", protocol: "TCP", ports: "80", ipv4: ["0.0.0.0/0"] }],
  outbound: [],
};
const row = (rules: JsonObject | null) => ({ id: 7, label: "edge", status: "enabled", rules });
const policies = { inbound_policy: "DROP", outbound_policy: "ACCEPT" };

test.for<{ why: string; rules: JsonObject | null; same: boolean }>([
  { why: "null is no rules", rules: { ...policies, inbound: [known], outbound: null }, same: true },
  {
    why: "a rule without an action",
    rules: { ...policies, inbound: [known, { mode: "new" }], outbound: [] },
    same: false,
  },
  { why: "a rule that is a text", rules: { ...policies, inbound: [known], outbound: ["allow all"] }, same: false },
  { why: "a null among rules", rules: { ...policies, inbound: [known, null], outbound: [] }, same: false },
  {
    why: "an action of a new word",
    rules: { ...policies, inbound: [{ ...known, action: "REJECT" }], outbound: [] },
    same: false,
  },
  {
    why: "a policy that is null",
    rules: { ...policies, inbound_policy: null, inbound: [known], outbound: [] },
    same: false,
  },
  { why: "no rules at all", rules: null, same: false },
])("a firewall with rules of an unknown form is read, and they are a difference: $why", ({ rules, same }) => {
  if (!firewall) throw new Error("no kind Firewall");
  expect(calls(firewall, "rules", { spec, wire: row(rules) })).toHaveLength(same ? 0 : 1);
});
