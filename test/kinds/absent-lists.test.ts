/**
 * Every list and map of every spec: an absent list means "not managed", and an empty list means "none".
 *
 * The test finds the lists in the schemas, so that a new list fails here until the table has a row for it.
 */
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import type { JsonObject } from "../../src/api/types.ts";
import { withOtherEntries } from "../../src/core/kind/added-entries.ts";
import { differencesIn } from "../../src/core/kind/fields.ts";
import type { Kind } from "../../src/core/kind/owned.ts";
import type { SchemaMarks } from "../../src/core/kind/schema.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { live } from "./live.ts";

interface ListSchema {
  def: { type: string; innerType?: ListSchema; element?: ListSchema; shape?: Record<string, ListSchema> };
  meta: () => SchemaMarks | undefined;
  description?: string | undefined;
}

interface List {
  path: string;
  /** True if the cloud or the API server permits no change, or if the field is required. */
  isFixed: boolean;
  description: string;
}

function listsIn(schema: ListSchema, path: string, outer: Partial<List> = {}): List[] {
  const { type, innerType, element, shape } = schema.def;
  const marks = schema.meta() ?? {};
  const isFixed = outer.isFixed === true || marks.immutable === true;
  const description = outer.description || schema.description || "";
  if (innerType) return listsIn(innerType, path, { isFixed, description });
  if (type === "array" || type === "record" || marks.freeForm) return [{ path, isFixed, description }];
  return Object.entries(element ? {} : (shape ?? {})).flatMap(([name, member]) =>
    listsIn(member, `${path}.${name}`, {
      isFixed: isFixed || member.def.type === "array" || member.def.type === "record",
    }),
  );
}

function isFreeForm(schema: ListSchema): boolean {
  return schema.meta()?.freeForm === true;
}

function listsOf({ spec }: { spec: z.ZodObject }): List[] {
  const { management: _, accountRef: __, ...own } = spec.shape;
  return Object.entries(own).flatMap(([name, member]) => {
    const schema = member as unknown as ListSchema;
    const isRequired = schema.def.type !== "optional";
    return listsIn(schema, name, { isFixed: isRequired && (schema.def.type !== "object" || isFreeForm(schema)) });
  });
}

/** Lists without a counterpart in a cloud object. */
const elsewhere: Record<string, string> = {
  "AccessPolicy apps.notOwn": "facts about apps: without an entry, fewer apps are revoked",
  "AccessPolicy keepLogins": "logins that the status keeps",
  "ComputeInstance allowDisruption": "permissions: without an entry, the operator does less",
  "Image connectionSecret.template": "a Secret of the operator",
  "Image connectionSecret.labels": "a Secret of the operator",
  "ManagedMySQL connectionSecret.template": "a Secret of the operator",
  "ManagedMySQL connectionSecret.labels": "a Secret of the operator",
  "ObjectStorageKey connectionSecret.template": "a Secret of the operator",
  "ObjectStorageKey connectionSecret.labels": "a Secret of the operator",
  "PresignedURL connectionSecret.template": "a Secret of the operator",
  "PresignedURL connectionSecret.labels": "a Secret of the operator",
  "CloudAccount sharing.existing": "permissions: without an entry, the operator does less",
  "CloudAccount sharing.accountWide": "permissions: without an entry, the operator does less",
};

interface Case {
  /** The cloud object has entries in the list. */
  wire: JsonObject;
  /** Responses of the reads of the steps, by step. */
  reads?: Record<string, unknown>;
  /** The spec without the list. */
  spec?: JsonObject;
  refs?: Record<string, unknown>;
  applied?: Record<string, string>;
  /** How an empty list differs: the fields and steps that change. `refused`: the schema permits no empty list. */
  empty: string[] | "refused";
}

const policies = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
const rule = { action: "ACCEPT", protocol: "TCP", ports: "22", addresses: { ipv4: ["203.0.113.0/24"] } };
const wall = {
  id: 7,
  label: "web-1",
  status: "enabled",
  tags: ["shop"],
  rules: { inbound: [rule], inbound_policy: "DROP", outbound: [rule], outbound_policy: "ACCEPT" },
};
const machine = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
const vm = { id: 7, label: "web-1", status: "running", ...machine, tags: ["shop"], ipv4: [], backups: {}, alerts: {} };
const zone = { id: 7, domain: "example.org", type: "slave", master_ips: ["192.0.2.1"], axfr_ips: ["192.0.2.2"] };
const secondary = { domain: "example.org", type: "slave" };
const carriers = ["compute", "domain", "volume", "nodebalancer"].map((type) => ({
  type,
  data: { id: 5, tags: ["t"] },
}));
const tagged = { wire: { label: "web-1" }, reads: { objects: carriers }, applied: { compute: "5", domain: "5" } };
const profile = { uid: 7, username: "ada", authorized_keys: ["ssh-ed25519 AAAA"], restricted: false };
const app = { id: 11, label: "Dashboard", scopes: "domains:read_only", created: "2026-01-01T00:00:00" };
const interfaces = [{ purpose: "vlan", label: "inner" }];
const profiles = [{ id: 1, interfaces }];

const mysql = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
const database = {
  id: 7,
  label: "web-1",
  status: "active",
  ...mysql,
  cluster_size: 1,
  allow_list: ["198.51.100.1/32", "198.51.100.2/32"],
};

const cases: Record<string, Case> = {
  "AccessPolicy apps.allow": {
    wire: profile,
    reads: { apps: [app], devices: [] },
    spec: { apps: { maxAgeDays: 3650 } },
    empty: ["apps"],
  },
  "ComputeConfig interfaces": {
    wire: { id: 7, label: "web-1", interfaces, devices: {} },
    spec: { devices: {}, instanceRef: { id: "9" } },
    refs: { instanceRef: { id: "9" } },
    empty: "refused",
  },
  "ComputeInstance interfaces": { wire: vm, spec: machine, reads: { interfaces: profiles }, empty: "refused" },
  "ComputeInstance tags": { wire: vm, spec: machine, empty: ["tags"] },
  "Domain masterIPs": { wire: zone, spec: secondary, empty: "refused" },
  "Domain axfrIPs": { wire: zone, spec: secondary, empty: ["axfr_ips"] },
  "Domain tags": { wire: { ...zone, tags: ["shop"] }, spec: secondary, empty: ["tags"] },
  "Firewall inbound": { wire: wall, spec: policies, empty: ["rules"] },
  "Firewall outbound": { wire: wall, spec: policies, empty: ["rules"] },
  "Firewall instanceRefs": {
    wire: wall,
    spec: policies,
    reads: { devices: [{ id: 1, entity: { id: 11, type: "compute" } }] },
    empty: ["devices"],
  },
  "Firewall tags": { wire: wall, spec: policies, empty: ["tags"] },
  "IPSharing addresses": {
    wire: vm,
    spec: { instanceRef: { id: "7" } },
    refs: { instanceRef: { id: "7" }, addressRefs: [{ id: "1", value: "198.51.100.1" }] },
    reads: { share: { ipv4: { shared: [{ address: "198.51.100.1" }, { address: "198.51.100.2" }] } } },
    empty: ["share"],
  },
  "IPSharing addressRefs": {
    wire: vm,
    spec: { instanceRef: { id: "7" } },
    reads: { share: { ipv4: { shared: [{ address: "198.51.100.1" }, { address: "198.51.100.2" }] } } },
    applied: { shared: "198.51.100.1" },
    empty: "refused",
  },
  "ManagedMySQL allowList": {
    wire: database,
    spec: { ...mysql, allowRefs: [] },
    refs: { allowRefs: [{ id: "1", value: "198.51.100.1" }] },
    empty: ["allow_list"],
  },
  "ManagedMySQL allowRefs": {
    wire: database,
    spec: mysql,
    applied: { "added to allow_list": "198.51.100.1/32" },
    empty: ["allow_list"],
  },
  "Profile authorizedKeys": { wire: profile, empty: ["authorized_keys"] },
  "Tag instanceRefs": { ...tagged, empty: ["objects"] },
  "Tag domainRefs": { ...tagged, empty: ["objects"] },
  // The cloud API cannot remove the tag from a volume or a NodeBalancer.
  "Tag volumeIDs": { ...tagged, empty: [] },
  "Tag nodeBalancerIDs": { ...tagged, empty: [] },
};

const every = [...kinds, cloudAccount];
const lists = every.flatMap((kind) =>
  listsOf(kind).map(({ path, isFixed, description }) => {
    return { kind, path, isFixed, description, title: `${kind.kind} ${path}` };
  }),
);
const managed = lists.filter(({ title, isFixed }) => !isFixed && elsewhere[title] === undefined);

it("the tables have each list, and nothing else", () => {
  const known = [...Object.keys(cases), ...Object.keys(elsewhere)].toSorted();
  expect(lists.flatMap(({ title, isFixed }) => (isFixed ? [] : title)).toSorted()).toEqual(known);
});

describe.each(managed.filter(({ title }) => cases[title]))("$title", ({ kind, path, title, description }) => {
  const { spec = {}, empty, ...row } = cases[title]!;

  it("absent: the operator changes nothing", () => {
    expect(changesOf(kind as Kind, { spec, ...row })).toEqual([]);
  });

  it("empty: the operator removes the entries, or the API server refuses the list", () => {
    const wanted = withEmpty(spec, path);
    const isAccepted = (kind as Kind).spec.safeParse(wanted).success;
    const refs = path.endsWith("Refs") ? { ...row.refs, [path]: [] } : row.refs;
    const changes = changesOf(kind as Kind, { ...row, spec: wanted, ...(refs && { refs }) });
    expect(empty === "refused" ? isAccepted : changes).toEqual(empty === "refused" ? false : empty);
  });

  it("the description says both", () => {
    expect(description).toMatch(/If absent, /);
    expect(description).toMatch(empty === "refused" ? /At least one/ : /[Ee]mpty list/);
  });
});

function withEmpty(spec: JsonObject, path: string): JsonObject {
  const [name = "", member] = path.split(".");
  return { ...spec, [name]: member === undefined ? [] : { ...(spec[name] as JsonObject), [member]: [] } };
}

/** Returns the fields and steps that the operator would change. */
function changesOf(kind: Kind, { wire, reads = {}, ...parts }: Omit<Case, "empty"> & { spec: JsonObject }): string[] {
  const of = { ...parts, wire };
  const wanted = Object.assign(live(kind, of), { managerOf: () => undefined });
  const row = kind.wire.parse(wire) as JsonObject;
  const fields = withOtherEntries(kind, wanted, row, parts.applied, differencesIn(kind, wanted, row));
  const steps = Object.entries(kind.steps ?? {}).filter(([name, step]) => {
    const isRead = step.read === undefined || step.read(wanted) !== undefined;
    return step.calls(wanted, (isRead ? reads[name] : undefined) as never).length > 0;
  });
  return [...fields.map(({ field }) => field), ...steps.map(([name]) => name)];
}
