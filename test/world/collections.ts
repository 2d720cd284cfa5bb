/** The collections of the cloud as a table: what a new row is made of, what may be set, what refuses. */
import type { Json, JsonObject } from "../../src/api/types.ts";

export interface CollectionRule {
  /** Matches the path of the collection. */
  path: RegExp;
  required: string[];
  /** Belongs to a user instead of an account. */
  personal?: boolean;
  /** The same for all accounts; `public`: also without a token. */
  catalog?: "public" | "private";
  /** A second row with the same value of this field is refused. */
  unique?: string;
  /** Also where another account has it. */
  uniqueEverywhere?: boolean;
  /** A second POST answers with what is there. */
  returnsExisting?: boolean;
  identify?: (fields: JsonObject) => string;
  /** Segments of an id in a path: two where it is identified by its fields, unless given. */
  idParts?: number;
  /** How the service stores what was sent. */
  stored?: (fields: JsonObject) => JsonObject;
  /** Fields of a new row besides what was sent. */
  defaults: (body: JsonObject, id: number) => JsonObject;
  /** What only the response to the creation shows; the row has it hidden. */
  shownOnce?: (row: JsonObject) => JsonObject;
  /** Its path answers what it holds. */
  holds?: boolean;
  /** A POST is answered with `{}`. */
  answersNothing?: boolean;
  /** When a new row appears, if not at once. */
  appearsAfterMs?: (growing: Growing) => number;
  /** What a new row becomes by itself. */
  grows?: (body: JsonObject, growing: Growing) => { afterMs: number; fields: JsonObject };
  /** Fields that a PUT may set. */
  settable: string[];
  /** The states in which it may be changed, and deleted; any if not given. */
  changeableIn?: string[];
  deletableIn?: string[];
  /** Type of its entity in events. */
  entity?: string;
  beside?: () => JsonObject;
}

/** How long new things take to be ready, milliseconds. */
export interface Growing {
  instanceMs: number;
  databaseMs: number;
  backupMs: number;
}

/** No access key is given twice. */
let accessKeys = 1_000;

/** The secret that belongs to an access key. */
export function secretOf(accessKey: string): string {
  return `s3cret-of-${accessKey}`;
}

export const defaultGrowing: Growing = { instanceMs: 40_000, databaseMs: 20 * 60_000, backupMs: 2 * 60_000 };

const catalogRule = (path: RegExp, catalog: "public" | "private"): CollectionRule => ({
  path,
  catalog,
  required: [],
  identify: ({ id }) => text(id),
  defaults: () => ({}),
  settable: [],
});

export const collectionRules: CollectionRule[] = [
  catalogRule(/^\/(regions|compute\/(kernels|types)|databases\/engines|object-storage\/clusters)$/, "public"),
  catalogRule(/^\/betas$/, "private"),
  {
    ...catalogRule(/^\/regions\/availability$/, "public"),
    identify: ({ region, plan }) => `${text(region)}/${text(plan)}`,
  },
  {
    path: /^\/profile\/sshkeys$/,
    required: ["label", "ssh_key"],
    personal: true,
    defaults: () => ({}),
    settable: ["label"],
  },
  {
    path: /^\/profile\/(apps|devices|logins)$/,
    required: [],
    personal: true,
    defaults: () => ({}),
    settable: [],
  },
  {
    path: /^\/tags$/,
    required: ["label"],
    identify: ({ label }) => text(label),
    idParts: 1,
    holds: true,
    defaults: () => ({}),
    settable: [],
  },
  {
    path: /^\/networking\/ipv6\/ranges$/,
    required: ["prefix_length"],
    unique: "route_target",
    identify: ({ range }) => text(range),
    idParts: 1,
    stored: ({ prefix_length: prefix, ...fields }) => ({ ...fields, prefix: prefix ?? null }),
    defaults: (_body, id) => ({ range: `2001:db8:${id}::`, region: "us-east", is_bgp: false }),
    settable: [],
  },
  {
    path: /^\/account\/betas$/,
    required: ["id"],
    unique: "id",
    identify: ({ id }) => text(id),
    idParts: 1,
    answersNothing: true,
    stored: ({ created, ...fields }) => ({ ...fields, enrolled: created ?? null }),
    defaults: ({ id }) => ({ label: text(id), description: null, started: "2025-01-01T00:00:00", ended: null }),
    settable: [],
  },
  {
    path: /^\/databases\/mysql\/instances\/\d+\/backups$/,
    required: ["label"],
    answersNothing: true,
    appearsAfterMs: ({ backupMs }) => backupMs,
    defaults: () => ({ type: "snapshot" }),
    settable: [],
  },
  {
    path: /^\/networking\/firewalls$/,
    required: ["rules"],
    unique: "label",
    defaults: (_body, id) => ({
      label: `firewall${id}`,
      status: "enabled",
      tags: [],
      updated: "2026-01-01T00:00:00",
    }),
    settable: ["label", "status", "tags"],
    entity: "firewall",
  },
  {
    path: /^\/networking\/firewalls\/\d+\/devices$/,
    required: ["id", "type"],
    defaults: () => ({}),
    settable: [],
  },
  {
    path: /^\/compute\/instances$/,
    required: ["region", "type"],
    defaults: instanceDefaults,
    grows: ({ booted, image }, { instanceMs }) => ({
      afterMs: instanceMs,
      fields: { status: booted === false || image === undefined ? "offline" : "running" },
    }),
    settable: ["label", "tags", "watchdog_enabled", "alerts"],
    changeableIn: ["running", "offline"],
    deletableIn: ["running", "offline", "provisioning", "booting", "rebooting", "shutting_down", "stopped"],
    entity: "compute",
    beside: () => ({
      configs: [{ id: 1, label: "default", interfaces: [] }],
      ips: { ipv4: { shared: [] }, ipv6: {} },
    }),
  },
  {
    path: /^\/compute\/instances\/\d+\/disks$/,
    required: ["size"],
    defaults: (_body, id) => ({
      label: `disk${id}`,
      filesystem: "ext4",
      status: "ready",
      updated: "2026-01-01T00:00:00",
    }),
    settable: ["label", "filesystem"],
  },
  {
    path: /^\/networking\/ips$/,
    required: [],
    identify: ({ address }) => text(address),
    idParts: 1,
    defaults: (_body, id) => ({
      address: `198.18.${Math.floor(id / 250) % 256}.${2 + (id % 250)}`,
      gateway: "192.0.2.1",
      subnet_mask: "255.255.255.0",
      prefix: 24,
      type: "ipv4",
      public: true,
      rdns: null,
      compute_id: null,
      region: "us-east",
    }),
    settable: ["rdns"],
  },
  {
    path: /^\/domains$/,
    required: ["domain", "type"],
    unique: "domain",
    uniqueEverywhere: true,
    defaults: () => ({
      status: "active",
      soa_email: null,
      description: "",
      group: "",
      master_ips: [],
      axfr_ips: [],
      ttl_sec: 0,
      refresh_sec: 0,
      retry_sec: 0,
      expire_sec: 0,
      tags: [],
    }),
    settable: [
      "domain",
      "type",
      "soa_email",
      "description",
      "group",
      "master_ips",
      "axfr_ips",
      "status",
      "tags",
      "ttl_sec",
      "refresh_sec",
      "retry_sec",
      "expire_sec",
    ],
    entity: "domain",
  },
  {
    path: /^\/domains\/\d+\/records$/,
    required: ["type"],
    defaults: ({ type, service, protocol }) => ({
      name: "",
      target: "",
      priority: 0,
      weight: 0,
      port: 0,
      service: null,
      protocol: null,
      tag: null,
      ttl_sec: 0,
      ...(type === "SRV" && { name: `_${text(service)}._${text(protocol)}` }),
    }),
    settable: ["name", "target", "priority", "weight", "port", "service", "protocol", "tag", "ttl_sec"],
  },
  {
    path: /^\/object-storage\/buckets$/,
    required: ["label", "cluster"],
    returnsExisting: true,
    unique: "label",
    uniqueEverywhere: true,
    identify: ({ cluster, region, label }) => `${text(cluster || region)}/${text(label)}`,
    stored: placed,
    defaults: ({ label, cluster }) => ({
      hostname: `${text(label)}.${text(cluster)}.objects.test`,
      size: 0,
      objects: 0,
    }),
    settable: [],
    beside: () => ({ access: { acl: "private", cors_enabled: false }, contents: [] }),
  },
  {
    path: /^\/images$/,
    required: [],
    identify: ({ id }) => text(id),
    idParts: 2,
    entity: "image",
    defaults: ({ label, upload }, id) => ({
      id: `private/${15_000 + id}`,
      label: label ?? "disk",
      description: null,
      is_public: false,
      size: 0,
      status: upload === true ? "pending_upload" : "creating",
    }),
    grows: ({ upload }) => ({ afterMs: upload === true ? 24 * 3_600_000 : 30_000, fields: { status: "available" } }),
    settable: ["label", "description"],
  },
  {
    path: /^\/object-storage\/keys$/,
    entity: "obj_access_key",
    required: [],
    defaults: ({ bucket_access: access }) => ({
      label: "",
      access_key: `AK${(accessKeys += 1)}`,
      secret_key: "[REDACTED]",
      limited: access !== undefined,
      bucket_access: access ?? null,
    }),
    shownOnce: ({ access_key: key }) => ({ secret_key: secretOf(text(key)) }),
    settable: ["label"],
  },
  {
    path: /^\/databases\/mysql\/instances$/,
    required: ["label", "region", "type", "engine"],
    unique: "label",
    defaults: ({ label, engine }) => ({
      cluster_size: 1,
      status: "provisioning",
      ssl_connection: true,
      allow_list: [],
      port: 3306,
      version: text(engine).replace("mysql/", ""),
      hosts: { primary: `${text(label)}.db.test`, secondary: null },
      updates: { frequency: "weekly", day_of_week: 7, hour_of_day: 0, duration: 3, week_of_month: null },
    }),
    grows: (_body, { databaseMs }) => ({ afterMs: databaseMs, fields: { status: "active" } }),
    settable: ["label", "allow_list", "updates"],
    changeableIn: ["active"],
    deletableIn: ["active", "failed", "degraded"],
  },
];

/** Newer regions have no clusters; an older one is as good a name for its only cluster. */
function placed({ cluster, ...rest }: JsonObject): JsonObject {
  const place = text(cluster);
  if (place === "us-east") return { ...rest, cluster: "us-east-1", region: place };
  const region = place.replace(/-\d+$/, "");
  return { ...rest, region, cluster: region === place || region === "us-iad" ? "" : place };
}

function instanceDefaults(body: JsonObject, id: number): JsonObject {
  return {
    label: `compute${id}`,
    image: null,
    status: "provisioning",
    tags: [],
    watchdog_enabled: true,
    ipv4: [`198.51.100.${id % 250}`],
    ipv6: "2001:db8::1/128",
    specs: { vcpus: 1, memory: 2048, disk: 51200, transfer: 2000, gpus: 0 },
    alerts: { cpu: 90, io: 10000, network_in: 10, network_out: 10, transfer_quota: 80 },
    backups: { enabled: body["backups_enabled"] === true, available: false, schedule: { day: null, window: null } },
    host_uuid: "3a3ddd59d9a78bb8de041391075df44de62bfec8",
  };
}

export interface InstanceAction {
  from?: string[];
  during: string;
  afterMs: number;
  becomes: (body: JsonObject, row: JsonObject) => JsonObject;
}

/** POST to an instance's action. */
export const instanceActions: Record<string, InstanceAction> = {
  boot: { from: ["offline"], during: "booting", afterMs: 10_000, becomes: () => ({ status: "running" }) },
  reboot: { from: ["running"], during: "rebooting", afterMs: 10_000, becomes: () => ({ status: "running" }) },
  shutdown: { from: ["running"], during: "shutting_down", afterMs: 10_000, becomes: () => ({ status: "offline" }) },
  rescue: { during: "rebooting", afterMs: 10_000, becomes: () => ({ status: "running" }) },
  mutate: {
    during: "migrating",
    afterMs: 30_000,
    becomes: (_, row) => settled(row, { type: successorOf(row["type"]) }),
  },
  resize: { during: "resizing", afterMs: 30_000, becomes: ({ type }, row) => settled(row, { type }) },
  migrate: { during: "migrating", afterMs: 30_000, becomes: ({ region }, row) => settled(row, { region }) },
  rebuild: {
    during: "rebuilding",
    afterMs: 30_000,
    becomes: ({ image, booted }) => ({ image: image ?? null, status: booted === false ? "offline" : "running" }),
  },
};

/** What happens to the instance that a backup is restored to. */
export const restoring: InstanceAction = {
  during: "restoring",
  afterMs: 60_000,
  becomes: (_, row) => settled(row, {}),
};

/** …and to the one that is copied to another one. */
export const cloning: InstanceAction = { during: "cloning", afterMs: 60_000, becomes: (_, row) => settled(row, {}) };

/** Types of the generation before are deprecated. */
function successorOf(type: Json | undefined): string {
  return text(type).replace(/^g5-/, "g6-");
}

function settled({ status }: JsonObject, changed: Record<string, Json | undefined>): JsonObject {
  return { ...(JSON.parse(JSON.stringify(changed)) as JsonObject), status: status ?? "running" };
}

/** A value of the wire as text. */
export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
