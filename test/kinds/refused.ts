import { refusedDatabases } from "./refused-databases.ts";
import { refusedNetworking } from "./refused-networking.ts";
import { refusedStorage } from "./refused-objectstorage.ts";

/** Specs that are refused, each for one reason; `says` stands in what kubectl shows and in what the parser says. */
export interface Refused {
  kind: string;
  because: string;
  spec: Record<string, unknown>;
  says: string;
}

const fw = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };
const tcp = { action: "ACCEPT", protocol: "TCP", ipv4: ["0.0.0.0/0"] };
const withRule = (rule: Record<string, unknown>) => ({ ...fw, inbound: [{ ...tcp, ...rule }] });
const vm = { region: "us-east", type: "g6-standard-1" };
const deployed = { ...vm, image: "compute/debian12" };
const master = { domain: "example.org", type: "master", soaEmail: "dns@example.org" };
const record = { domainRef: { name: "example-org" } };
const srv = {
  ...record,
  type: "SRV",
  target: "a.example.net",
  service: "sip",
  protocol: "tcp",
  port: 1,
  priority: 1,
  weight: 1,
};
const without = (spec: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => name !== field));
const some = (length: number, of: (n: number) => string) => Array.from({ length }, (_, n) => of(n));

const firewall: Omit<Refused, "kind">[] = [
  { because: "a policy is missing", spec: { inboundPolicy: "DROP" }, says: "spec.outboundPolicy" },
  { because: "a policy is unknown", spec: { ...fw, inboundPolicy: "REJECT" }, says: "spec.inboundPolicy" },
  {
    because: "the label has two dashes in a row",
    spec: { ...fw, label: "a--b" },
    says: "none of the last three twice in a row",
  },
  {
    because: "the label ends with a period",
    spec: { ...fw, label: "web." },
    says: "must begin and end with a letter or digit",
  },
  { because: "the label is too short", spec: { ...fw, label: "ab" }, says: "spec.label" },
  { because: "ports have a leading zero", spec: withRule({ ports: "080" }), says: "ports must be a port (1 to 65535" },
  { because: "port 0 does not exist", spec: withRule({ ports: "0" }), says: "ports must be a port (1 to 65535" },
  { because: "a port is above 65535", spec: withRule({ ports: "65536" }), says: "ports must be a port (1 to 65535" },
  {
    because: "a space stands before the comma",
    spec: withRule({ ports: "80 ,443" }),
    says: "ports must be a port (1 to 65535",
  },
  { because: "ports are a word", spec: withRule({ ports: "http" }), says: "ports must be a port (1 to 65535" },
  {
    because: "a range ends before it starts",
    spec: withRule({ ports: "80, 9000-8000" }),
    says: "end of a range must be greater",
  },
  {
    because: "a range ends where it starts",
    spec: withRule({ ports: "80-80" }),
    says: "end of a range must be greater",
  },
  {
    because: "sixteen ports are one too many",
    spec: withRule({ ports: Array.from({ length: 16 }, (_, n) => n + 1).join(",") }),
    says: "at most 15 pieces",
  },
  {
    because: "a range counts as two of fifteen",
    spec: withRule({ ports: "1-2,3-4,5-6,7-8,9-10,11-12,13-14,15-16" }),
    says: "at most 15 pieces",
  },
  {
    because: "ICMP has no ports",
    spec: withRule({ protocol: "ICMP", ports: "80" }),
    says: "ports is only for protocol TCP or UDP. Remove the field, or change protocol",
  },
  {
    because: "a rule has no addresses",
    spec: { ...fw, outbound: [without(tcp, "ipv4")] },
    says: "at least one of ipv4, ipv6 and",
  },
  {
    because: "the lists of addresses of a rule are empty",
    spec: withRule({ ipv4: [], ipv6: [] }),
    says: "at least one of ipv4, ipv6 and",
  },
  {
    because: "an address has no prefix",
    spec: withRule({ ipv4: ["192.0.2.1"] }),
    says: "has no prefix length. To mean this one address, write 192.0.2.1/32",
  },
  {
    because: "an IPv6 address has no prefix",
    spec: withRule({ ipv6: ["2001:db8::1"] }),
    says: "has no prefix length. To mean this one address, write 2001:db8::1/128",
  },
  {
    because: "an IPv6 network stands among IPv4",
    spec: withRule({ ipv4: ["2001:db8::/64"] }),
    says: "must be an IPv4 network in CIDR form, such as 192.0.2.0/24. One address is 192.0.2.1/32",
  },
  {
    because: "an IPv4 network stands among IPv6",
    spec: withRule({ ipv6: ["192.0.2.0/24"] }),
    says: "must be an IPv6 network in CIDR form, such as 2001:db8::/64. One address is 2001:db8::1/128",
  },
  {
    because: "a prefix is too long",
    spec: withRule({ ipv4: ["192.0.2.0/33"] }),
    says: "must be an IPv4 network in CIDR form",
  },
  {
    because: "a rule lists 256 networks",
    spec: withRule({ ipv4: some(200, (n) => `10.0.${n}.0/24`), ipv6: some(56, (n) => `2001:db8:${n}::/48`) }),
    says: "at most 255 networks together",
  },
  {
    because: "there are 26 rules together",
    spec: { ...fw, inbound: Array.from({ length: 13 }, () => tcp), outbound: Array.from({ length: 13 }, () => tcp) },
    says: "at most 25 rules together",
  },
  {
    because: "a reference has name and id",
    spec: { ...fw, instanceRefs: [{ name: "a", id: "1" }] },
    says: "exactly one of name and id",
  },
  ...["01001", "0", "+1", "1e3", " 1", "./1", "..", "10000000000000000000"].map((id) => ({
    because: `${JSON.stringify(id)} is no spelling of an id that the cloud API shows`,
    spec: { ...fw, instanceRefs: [{ id }] },
    says: "without leading zeros, such as 1001",
  })),
  {
    because: "an instance is named twice",
    spec: { ...fw, instanceRefs: [{ name: "a" }, { id: "1" }, { name: "a" }] },
    says: "uplicate",
  },
  { because: "an id is given twice", spec: { ...fw, instanceRefs: [{ id: "1" }, { id: "1" }] }, says: "uplicate" },
  {
    because: "what is adopted has one spelling, too",
    spec: { ...fw, management: { adopt: { id: "01001" } } },
    says: "without leading zeros, such as 1001",
  },
];

const instance: Omit<Refused, "kind">[] = [
  { because: "the region is missing", spec: { type: "g6-standard-1" }, says: "spec.region" },
  {
    because: "at most one of image and source may be given",
    spec: { ...deployed, source: { backup: { id: "1" } } },
    says: "at most one of image and source may be given",
  },
  {
    because: "a source is a backup or a clone",
    spec: { ...vm, source: { backup: { id: "1" }, clone: { instanceRef: { id: "2" } } } },
    says: "exactly one of backup and clone",
  },
  {
    because: "user data need an image",
    spec: { ...vm, userDataSecretRef: { name: "a" } },
    says: "spec.userDataSecretRef needs spec.image or spec.source.clone",
  },
  {
    because: "a root password needs an image",
    spec: { ...vm, rootPasswordSecretRef: { name: "a" } },
    says: "spec.rootPasswordSecretRef needs spec.image. Remove the field, or set spec.image",
  },
  {
    because: "a script needs an image",
    spec: { ...vm, stackScript: { id: 1 } },
    says: "spec.stackScript needs spec.image. Remove the field, or set spec.image",
  },
  {
    because: "a swap disk needs an image",
    spec: { ...vm, swapSizeMB: 512 },
    says: "spec.swapSizeMB needs spec.image. Remove the field, or set spec.image",
  },
  {
    because: "four interfaces are one too many",
    spec: { ...deployed, interfaces: Array.from({ length: 4 }, () => ({ purpose: "public" })) },
    says: "spec.interfaces",
  },
  {
    because: "a VLAN has a label",
    spec: { ...deployed, interfaces: [{ purpose: "vlan" }] },
    says: "purpose vlan needs label",
  },
  {
    because: "the public interface has no label",
    spec: { ...deployed, interfaces: [{ purpose: "public", label: "a" }] },
    says: "purpose vlan needs label. No other purpose has label",
  },
  {
    because: "the public interface has no address of ours",
    spec: { ...deployed, interfaces: [{ purpose: "public", ipamAddress: "10.0.0.1/24" }] },
    says: "ipamAddress is only for purpose vlan",
  },
  {
    because: "a VLAN's name has an underscore",
    spec: { ...deployed, interfaces: [{ purpose: "vlan", label: "a_b" }] },
    says: "only letters, digits and dashes",
  },
  {
    because: "a schedule needs backups",
    spec: { ...deployed, backups: { enabled: false, schedule: { day: "Sunday", window: "W0" } } },
    says: "schedule needs enabled: true",
  },
  {
    because: "a window is two hours",
    spec: { ...deployed, backups: { enabled: true, schedule: { day: "Sunday", window: "W1" } } },
    says: "spec.backups.schedule.window",
  },
  { because: "the power state is unknown", spec: { ...deployed, powerState: "Paused" }, says: "spec.powerState" },
];

const domain: Omit<Refused, "kind">[] = [
  {
    because: "a master needs a mail address",
    spec: without(master, "soaEmail"),
    says: "type master needs spec.soaEmail: the mail address of the administrator, such as dns@example.org",
  },
  {
    because: "a mail address has an @",
    spec: { ...master, soaEmail: "dns.example.org" },
    says: "must be a mail address",
  },
  {
    because: "a slave needs masters",
    spec: { domain: "example.org", type: "slave", masterIPs: [] },
    says: "type slave needs spec.masterIPs: the addresses of the primary name servers",
  },
  {
    because: "a label has 64 characters",
    spec: { ...master, domain: `${"a".repeat(64)}.org` },
    says: "must be a domain name in lower case",
  },
  {
    because: "a domain is in lower case",
    spec: { ...master, domain: "Example.org" },
    says: "must be a domain name in lower case",
  },
  { because: "a time would be rounded", spec: { ...master, ttlSeconds: 60 }, says: "spec.ttlSeconds" },
  {
    because: "a master is an address",
    spec: { ...master, masterIPs: ["ns1.example.net"] },
    says: "must be an IP address",
  },
  {
    because: "the addresses are too long together",
    spec: { ...master, axfrIPs: Array.from({ length: 80 }, (_, n) => `198.51.100.${n + 100}`) },
    says: "at most 1000 characters together",
  },
  {
    because: "import and clone exclude each other",
    spec: { ...master, source: { import: { remoteNameserver: "a" }, clone: { domainRef: { id: "1" } } } },
    says: "exactly one of import and clone",
  },
];

const domainRecord: Omit<Refused, "kind">[] = [
  { because: "PTR is not created by hand", spec: { ...record, type: "PTR", target: "a" }, says: "spec.type" },
  {
    because: "an A record has an IPv4 address",
    spec: { ...record, type: "A", target: "2001:db8::1" },
    says: "target of an A record",
  },
  {
    because: "the caller's address means nothing here",
    spec: { ...record, type: "A", target: "[remote_addr]" },
    says: "target of an A record",
  },
  {
    because: "an AAAA record has an IPv6 address",
    spec: { ...record, type: "AAAA", target: "192.0.2.1" },
    says: "target of an AAAA record",
  },
  {
    because: "an MX record has a host name",
    spec: { ...record, type: "MX", target: "not a host" },
    says: "must be a host name",
  },
  {
    because: "a CAA value has no trailing period",
    spec: { ...record, type: "CAA", tag: "issue", target: "ca.example." },
    says: "must not end with a period",
  },
  {
    because: "a CAA record has a tag",
    spec: { ...record, type: "CAA", target: "ca.example" },
    says: "type CAA needs spec.tag: issue, issuewild or iodef",
  },
  {
    because: "only CAA has a tag",
    spec: { ...record, type: "TXT", target: "a", tag: "issue" },
    says: "No other type has spec.tag",
  },
  ...["service", "protocol", "port", "weight", "priority"].map((field) => ({
    because: `an SRV record has a ${field}`,
    spec: without(srv, field),
    says: `type SRV needs spec.${field}`,
  })),
  {
    because: "the cloud builds the name of an SRV record",
    spec: { ...srv, name: "_sip._tcp" },
    says: "spec.name is not for type SRV: the cloud API builds the name from spec.service and spec.protocol",
  },
  {
    because: "the cloud API adds the underscore",
    spec: { ...srv, service: "_sip" },
    says: "the cloud API adds the underscore",
  },
  {
    because: "only SRV has a port",
    spec: { ...record, type: "A", target: "192.0.2.1", port: 80 },
    says: "type SRV needs spec.port: a number from 0 to 65535. No other type has spec.port",
  },
  {
    because: "an A record has no priority",
    spec: { ...record, type: "A", target: "192.0.2.1", priority: 1 },
    says: "spec.priority is only for type MX or SRV. Remove the field, or change spec.type",
  },
  {
    because: "a priority ends at 255",
    spec: { ...record, type: "MX", target: "a.example.net", priority: 256 },
    says: "spec.priority",
  },
  {
    because: "a time would be rounded",
    spec: { ...record, type: "TXT", target: "a", ttlSeconds: 301 },
    says: "spec.ttlSeconds",
  },
  {
    because: "a name is a host's",
    spec: { ...record, type: "TXT", target: "a", name: "www.." },
    says: "must be a host name",
  },
];

const bucket: Omit<Refused, "kind">[] = [
  { because: "the cluster is missing", spec: {}, says: "spec.cluster" },
  { because: "custom cannot be asked for", spec: { cluster: "us-east-1", acl: "custom" }, says: "spec.acl" },
  {
    because: "a label is in lower case",
    spec: { cluster: "us-east-1", label: "Media" },
    says: "only lower case letters",
  },
  ...["1001", "us-east-1//media", "../media", "us-east-1/Media", "us-east-1/..", "us-east-1/a/b"].map((id) => ({
    because: `${JSON.stringify(id)} is no cluster and label`,
    spec: { cluster: "us-east-1", management: { adopt: { id } } },
    says: "must be the cluster (or region) and the label of a bucket, such as us-east-1/media",
  })),
  { because: "a cluster's id has no slash", spec: { cluster: "us/east" }, says: "must be the id of a cluster" },
];

export const refused: Refused[] = Object.entries({
  Firewall: firewall,
  ComputeInstance: instance,
  Domain: domain,
  DomainRecord: domainRecord,
  Bucket: bucket,
  ...refusedNetworking,
  ...refusedStorage,
  ...refusedDatabases,
}).flatMap(([kind, rows]) => rows.map((row): Refused => ({ kind, ...row })));
