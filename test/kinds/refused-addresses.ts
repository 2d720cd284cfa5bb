/** Specs with references to addresses that are refused, each for one reason; see refused.ts. */
import type { Refused } from "./refused.ts";

const web = { kind: "ComputeInstance", name: "web", address: "Public" };
const aRecord = { domainRef: { name: "zone" }, type: "A", name: "www" };

const domainRecord: Omit<Refused, "kind">[] = [
  {
    because: "a record needs a target",
    spec: aRecord,
    says: "exactly one of target and targetRef must be given",
  },
  {
    because: "a record has one target",
    spec: { ...aRecord, target: "192.0.2.1", targetRef: web },
    says: "exactly one of target and targetRef must be given",
  },
  {
    because: "an A record needs an IPv4 address",
    spec: { ...aRecord, targetRef: { ...web, address: "IPv6" } },
    says: "targetRef of an A record must have address: Public or Private",
  },
  {
    because: "an AAAA record needs an IPv6 address",
    spec: { ...aRecord, type: "AAAA", targetRef: web },
    says: "targetRef of an A record must have address: Public or Private, of an AAAA record address: IPv6",
  },
  {
    because: "a TXT record has no address",
    spec: { ...aRecord, type: "TXT", targetRef: web },
    says: "Records of other types have target instead",
  },
  {
    because: "an IPAddress is an IPv4 address",
    spec: { ...aRecord, type: "AAAA", targetRef: { kind: "IPAddress", name: "second", address: "IPv6" } },
    says: "address must be Public or Private for an IPAddress",
  },
  {
    because: "an IPv6Range has no IPv4 address",
    spec: { ...aRecord, targetRef: { kind: "IPv6Range", name: "range", address: "Public" } },
    says: "and IPv6 for an IPv6Range",
  },
  {
    because: "a Firewall has no address",
    spec: { ...aRecord, targetRef: { ...web, kind: "Firewall" } },
    says: "spec.targetRef.kind",
  },
  {
    because: "a name alone does not say which kind",
    spec: { ...aRecord, targetRef: { name: "web", address: "Public" } },
    says: "spec.targetRef.kind",
  },
  {
    because: "an instance has several addresses",
    spec: { ...aRecord, targetRef: { kind: "ComputeInstance", name: "web" } },
    says: "spec.targetRef.address",
  },
];

const rule = { action: "ACCEPT", protocol: "TCP", ports: "22" };
const policies = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };

const firewall: Omit<Refused, "kind">[] = [
  {
    because: "an inbound rule needs an address on the other side",
    spec: { ...policies, inbound: [rule] },
    says: "at least one of ipv4, ipv6 and fromRefs must be given",
  },
  {
    because: "an outbound rule needs an address on the other side",
    spec: { ...policies, outbound: [rule] },
    says: "at least one of ipv4, ipv6 and toRefs must be given",
  },
  {
    because: "a list of references is not empty",
    spec: { ...policies, inbound: [{ ...rule, ipv4: ["0.0.0.0/0"], fromRefs: [] }] },
    says: "fromRefs",
  },
  {
    because: "an IPAddress is an IPv4 address",
    spec: { ...policies, inbound: [{ ...rule, fromRefs: [{ kind: "IPAddress", name: "second", address: "IPv6" }] }] },
    says: "address must be Public or Private for an IPAddress",
  },
  {
    because: "references count as networks",
    spec: {
      ...policies,
      inbound: [{ ...rule, ipv4: Array.from({ length: 255 }, (_, at) => `192.0.2.${at}/32`), fromRefs: [web] }],
    },
    says: "ipv4, ipv6 and fromRefs may hold at most 255 networks together",
  },
];

const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };

const managedMySQL: Omit<Refused, "kind">[] = [
  {
    because: "an IPv6Range has no private address",
    spec: { ...database, allowRefs: [{ kind: "IPv6Range", name: "range", address: "Private" }] },
    says: "and IPv6 for an IPv6Range",
  },
];

const withName = { hostname: "mail.example.org" };
const hasNone = "addressRef must mean an address with a reverse name";

const reverseDNS: Omit<Refused, "kind">[] = [
  {
    because: "a private address has no reverse name",
    spec: { ...withName, addressRef: { ...web, address: "Private" } },
    says: hasNone,
  },
  {
    because: "a range has no reverse name",
    spec: { ...withName, addressRef: { kind: "IPv6Range", name: "range", address: "IPv6" } },
    says: hasNone,
  },
];

const ipSharing: Omit<Refused, "kind">[] = [
  {
    because: "a SLAAC address stays with its instance",
    spec: { instanceRef: { name: "spare" }, addressRefs: [{ ...web, address: "IPv6" }] },
    says: "The SLAAC address of a ComputeInstance cannot be shared",
  },
  {
    because: "an instance has its own addresses already",
    spec: { instanceRef: { name: "web" }, addressRefs: [web] },
    says: "addressRefs must refer to addresses of another instance than instanceRef",
  },
];

export const refusedAddresses: Refused[] = Object.entries({
  DomainRecord: domainRecord,
  Firewall: firewall,
  IPSharing: ipSharing,
  ManagedMySQL: managedMySQL,
  ReverseDNS: reverseDNS,
}).flatMap(([kind, rows]) => rows.map((row) => Object.assign(row, { kind })));
