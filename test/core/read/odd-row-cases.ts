/** An object of each kind whose row is shown in odd forms: its spec manages as many fields as there are. */
import type { Json } from "../../../src/api/types.ts";
import { firstPair } from "../../../src/kinds/objectstorage/certificate-examples.ts";
import type { CloudRow } from "../../world/rows.ts";
import type { World } from "../../world/world.ts";
import { idOf, madeMs, paths } from "../support.ts";

export interface OddCase {
  name: string;
  /** What is shown beside the row, by the last part of its path. */
  beside?: Record<string, Json>;
  prepare: (world: World) => void;
  /** Path of its collection, or of that of the row which is shown in odd forms. */
  path: (world: World) => string;
  /** The id of that row; its own if not given. */
  id?: string;
  /** Its requests are answered with nothing, so that they are sent a few times. */
  repeats?: true;
  /** How long after it was odd it is Ready again, where that takes a resync of its own. */
  recoversMs?: number;
  /** What is shown instead of a row of a list. */
  row?: (world: World) => CloudRow;
  settleMs: number;
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const instance = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
const domain = { domain: "example.org", type: "master", soaEmail: "ada@example.org" };

function one(kind: keyof typeof paths, name: string, spec: object, beside: Record<string, Json> = {}): OddCase {
  return {
    name,
    beside,
    prepare: ({ cluster }) => void cluster.create(kind, name, spec),
    path: () => paths[kind],
    settleMs: kind === "ManagedMySQL" ? madeMs : 120_000,
  };
}

function record(name: string, spec: object): OddCase {
  return {
    name,
    prepare({ cluster }) {
      cluster.create("Domain", "zone", domain);
      cluster.create("DomainRecord", name, { domainRef: { name: "zone" }, ...spec });
    },
    path: (world) => `/domains/${idOf(world, "Domain", "zone")}/records`,
    settleMs: 120_000,
  };
}

/** Something of a bucket, with what shows it. */
function ofBucket(kind: string, spec: object, secret: Record<string, string>, beside: Record<string, Json>): OddCase {
  return {
    name: "own",
    beside,
    prepare({ cluster }) {
      cluster.create("Bucket", "media", { cluster: "us-east-1" });
      cluster.secret("content", secret);
      cluster.create(kind, "own", { bucketRef: { name: "media" }, ...spec });
    },
    path: () => paths.Bucket,
    id: "us-east-1/media",
    settleMs: 120_000,
  };
}

/** The profile of the token's user, which is in no list. */
function profileIn({ cloud }: World): CloudRow {
  const user = cloud.user("ada");
  const { uid, username, restricted } = user;
  user.profile = {
    uid,
    username,
    restricted,
    email: "ada@example.org",
    verified_phone_number: user.phone.verified ?? null,
  };
  const row = {
    beside: {},
    get fields() {
      return user.profile;
    },
    set fields(shown) {
      if (shown) user.profile = shown;
    },
  };
  return row as unknown as CloudRow;
}

const config = {
  id: 1,
  label: "boot",
  comments: "boots the shop",
  devices: { sda: { disk_id: null, volume_id: 7 }, sdb: null },
  helpers: { devtmpfs_automount: true, distro: true, modules_dep: true, network: true, updatedb_disabled: true },
  interfaces: [{ purpose: "vlan", label: "shop", ipam_address: "10.0.0.3/24" }],
  kernel: "compute/grub2",
  memory_limit: 512,
  root_device: "/dev/sda",
  run_level: "single",
  virt_mode: "paravirt",
  created: "2026-01-01T00:00:00",
};

export const cases: Record<string, OddCase> = {
  SSHKey: one("SSHKey", "laptop", { sshKey: publicKey }),
  Firewall: one("Firewall", "edge", {
    enabled: true,
    inboundPolicy: "DROP",
    outboundPolicy: "ACCEPT",
    outbound: [],
    inbound: [
      { action: "ACCEPT", protocol: "TCP", ports: "80, 443", ipv4: ["0.0.0.0/0"], ipv6: ["::/0"], label: "web" },
    ],
    tags: ["edge"],
  }),
  ComputeInstance: one(
    "ComputeInstance",
    "web",
    {
      ...instance,
      alerts: { cpu: 180, io: 20000 },
      backups: { enabled: true, schedule: { day: "Sunday", window: "W4" } },
      watchdogEnabled: true,
      tags: ["web"],
      powerState: "Running",
      interfaces: [{ purpose: "public" }],
      allowDisruption: ["Resize", "Migrate", "Rebuild"],
      reportAttachments: true,
    },
    {
      volumes: [{ id: 7, label: "data", size: 20, filesystem_path: "/dev/disk/by-id/data", status: "active" }],
      nodebalancers: [{ id: 8, label: "front", hostname: "front.example.org" }],
      configs: [
        { id: 1, label: "default", interfaces: [{ id: 2, purpose: "public", label: null, ipam_address: null }] },
      ],
    },
  ),
  ComputeDisk: {
    name: "data",
    prepare({ cluster }) {
      cluster.create("ComputeInstance", "web", instance);
      cluster.create("ComputeDisk", "data", { instanceRef: { name: "web" }, sizeMB: 1024, filesystem: "ext4" });
    },
    path: (world) => `${paths.ComputeInstance}/${idOf(world, "ComputeInstance", "web")}/disks`,
    settleMs: 120_000,
  },
  Domain: one("Domain", "zone", {
    ...domain,
    description: "the shop",
    group: "shop",
    axfrIPs: ["192.0.2.53"],
    ttlSeconds: 300,
    enabled: true,
    tags: ["shop"],
  }),
  DomainRecord: record("sip", {
    type: "SRV",
    service: "sip",
    protocol: "tcp",
    target: "sip.example.net",
    port: 5060,
    priority: 10,
    weight: 5,
    ttlSeconds: 300,
  }),
  Bucket: one(
    "Bucket",
    "media",
    { cluster: "us-east-1", acl: "private", corsEnabled: false },
    {
      access: { acl: "private", acl_xml: "", cors_enabled: false, cors_xml: "" },
    },
  ),
  ManagedMySQL: one(
    "ManagedMySQL",
    "shop",
    {
      ...database,
      allowList: ["192.0.2.0/24"],
      maintenance: { frequency: "weekly", dayOfWeek: 3, hourOfDay: 4, durationHours: 1 },
    },
    {
      credentials: { username: "admin", password: "s3cret-of-the-database" },
      ssl: { ca_certificate: Buffer.from("certificate").toString("base64") },
    },
  ),
  BetaEnrollment: {
    name: "join",
    prepare: ({ cluster }) => void cluster.create("BetaEnrollment", "join", { program: "fast-disks" }),
    path: () => "/account/betas",
    settleMs: 120_000,
  },
  DatabaseBackup: {
    name: "before-upgrade",
    prepare({ cluster, cloud }) {
      Object.assign(cloud.settings, { databaseMs: 1_000, backupMs: 1_000 });
      cluster.create("ManagedMySQL", "shop", database);
      cluster.create("DatabaseBackup", "before-upgrade", { databaseRef: { name: "shop" } });
    },
    path: (world) => `${paths.ManagedMySQL}/${idOf(world, "ManagedMySQL", "shop")}/backups`,
    settleMs: madeMs,
  },
  Tag: {
    name: "shop",
    prepare: ({ cluster }) => void cluster.create("Tag", "shop", {}),
    path: () => "/tags",
    settleMs: 120_000,
  },
  IPSharing: {
    name: "failover",
    beside: {
      ips: {
        ipv4: { public: [], shared: [{ address: "192.0.2.10" }] },
        ipv6: { slaac: { address: "2001:db8::1" }, global: [{ range: "2001:db8:1::", route_target: "2001:db8::1" }] },
      },
    },
    prepare({ cluster, cloud }) {
      const instance = cloud.add(paths.ComputeInstance, { label: "web", region: "us-east", type: "g6-standard-1" });
      instance.beside["ips"] = { ipv4: {}, ipv6: {} };
      cluster.create("IPSharing", "failover", { instanceRef: { id: instance.id }, addresses: ["192.0.2.10"] });
    },
    path: () => paths.ComputeInstance,
    settleMs: 120_000,
  },
  Image: {
    name: "golden",
    prepare: ({ cluster }) =>
      void cluster.create("Image", "golden", { description: "of 2026", source: { diskRef: { id: "7" } } }),
    path: () => "/images",
    settleMs: 300_000,
  },
  ObjectStorageKey: {
    name: "reader",
    prepare: ({ cluster }) => void cluster.create("ObjectStorageKey", "reader", {}),
    path: () => "/object-storage/keys",
    settleMs: 120_000,
  },
  ReverseDNS: {
    name: "mail",
    prepare({ cluster, cloud }) {
      cloud.add("/networking/ips", { address: "192.0.2.10" });
      cluster.create("ReverseDNS", "mail", { address: "192.0.2.10", hostname: "mail.example.org" });
    },
    path: () => "/networking/ips",
    settleMs: 120_000,
  },
  IPAddress: {
    name: "second",
    prepare({ cluster, cloud }) {
      const instance = cloud.add(paths.ComputeInstance, { label: "web", region: "us-east", type: "g6-standard-1" });
      cloud.add("/networking/ips", { address: "192.0.2.10", compute_id: Number(instance.id) });
      const spec = { instanceRef: { id: instance.id }, public: true };
      cluster.create("IPAddress", "second", spec, { management: { adopt: { id: "192.0.2.10" } } });
    },
    path: () => "/networking/ips",
    repeats: true,
    settleMs: 120_000,
  },
  ComputeConfig: {
    name: "boot",
    prepare({ cluster, cloud }) {
      const instance = cloud.add(paths.ComputeInstance, { label: "web", region: "us-east", type: "g6-standard-1" });
      instance.beside["configs"] = [{ ...config }];
      cluster.create(
        "ComputeConfig",
        "boot",
        {
          instanceRef: { id: instance.id },
          comments: "boots the shop",
          devices: { sda: { volumeID: 7 } },
          helpers: { devtmpfsAutomount: true, distro: true, modulesDep: true, network: true, updatedbDisabled: true },
          interfaces: [{ purpose: "vlan", label: "shop", ipamAddress: "10.0.0.3/24" }],
          kernel: "compute/grub2",
          memoryLimitMB: 512,
          rootDevice: "/dev/sda",
          runLevel: "single",
          virtMode: "paravirt",
        },
        { management: { adopt: { id: "1" } } },
      );
    },
    path: () => paths.ComputeInstance,
    id: "1001",
    beside: { configs: [config] },
    settleMs: 120_000,
  },
  BucketCertificate: ofBucket("BucketCertificate", { secretRef: { name: "content" } }, firstPair, {
    ssl: { ssl: true },
  }),
  BucketObject: {
    ...ofBucket(
      "BucketObject",
      { objectKey: "robots.txt", contentSecretRef: { name: "content" }, acl: "private" },
      { content: "allow" },
      {
        "object-list": {
          data: [{ name: "robots.txt", etag: "b394126a0e52e75f1e3d535d0fb0d33c", size: 5 }],
          is_truncated: false,
        },
        "object-acl": { acl: "private", acl_xml: "" },
      },
    ),
    recoversMs: 1_800_000,
  },
  PresignedURL: ofBucket("PresignedURL", { objectKey: "robots.txt", method: "GET" }, {}, {}),
  PhoneVerification: {
    name: "mobile",
    prepare(world) {
      const spec = { phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: { name: "phone-code" } };
      world.cluster.create("PhoneVerification", "mobile", spec);
      const { codes } = world.cloud.user("ada").phone;
      world.clock.schedule(60_000, () => void world.cluster.secret("phone-code", { code: codes.at(-1) ?? "" }));
    },
    path: () => "/profile",
    row: profileIn,
    settleMs: 120_000,
  },
  AccountAction: {
    name: "cancel",
    prepare: ({ cluster }) =>
      void cluster.create("AccountAction", "cancel", {
        action: "CancelObjectStorage",
        confirmAccount: "ada",
        notAfter: "2099-01-01T00:00:00Z",
      }),
    path: () => "/profile",
    row: profileIn,
    settleMs: 120_000,
  },
};
