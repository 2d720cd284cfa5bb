/** Specs of the kinds of addresses and of ComputeConfig that are refused, each for one reason; see refused.ts. */
import type { Refused } from "./refused.ts";

const routed = { instanceRef: { name: "web" }, prefixLength: 64 };
const target = { routeTarget: "2001:db8::f03c:1", prefixLength: 64 };

const ipv6Range: Omit<Refused, "kind">[] = [
  { because: "nothing says where it is routed to", spec: { prefixLength: 64 }, says: "exactly one of instanceRef and" },
  { because: "two things say it", spec: { ...routed, ...target }, says: "exactly one of instanceRef and routeTarget" },
  { because: "the prefix length is missing", spec: { instanceRef: { name: "web" } }, says: "spec.prefixLength" },
  { because: "there are no blocks of /48", spec: { ...routed, prefixLength: 48 }, says: "spec.prefixLength" },
  { because: "a prefix length is a number", spec: { ...routed, prefixLength: "64" }, says: "spec.prefixLength" },
  {
    because: "an instance without an object is meant by its address",
    spec: { ...routed, instanceRef: { id: "1001" } },
    says: "must name a ComputeInstance",
  },
  { because: "the target is IPv4", spec: { ...target, routeTarget: "192.0.2.1" }, says: "must be an IPv6 address" },
  {
    because: "the target has a prefix length",
    spec: { ...target, routeTarget: "2001:db8::f03c:1/128" },
    says: "must be an IPv6 address",
  },
  { because: "the target is a name", spec: { ...target, routeTarget: "web" }, says: "must be an IPv6 address" },
  {
    because: "what is adopted is named without its prefix length",
    spec: { ...routed, management: { adopt: { id: "2001:db8::/64" } } },
    says: "must be the address of the range",
  },
];

const ipAddress: Omit<Refused, "kind">[] = [
  { because: "no instance is named", spec: { public: true }, says: "spec.instanceRef" },
  { because: "nothing says whether it is public", spec: { instanceRef: { name: "web" } }, says: "spec.public" },
  { because: "yes is no boolean", spec: { instanceRef: { name: "web" }, public: "yes" }, says: "spec.public" },
  {
    because: "an instance has a name or an id",
    spec: { instanceRef: { name: "web", id: "1001" }, public: true },
    says: "exactly one of name and id",
  },
  {
    because: "an instance's id is a number",
    spec: { instanceRef: { id: "web" }, public: true },
    says: "must be the number that the cloud API shows",
  },
  {
    because: "an address is adopted, and no number",
    spec: { instanceRef: { name: "web" }, public: true, management: { adopt: { id: "1001" } } },
    says: "must be an IPv4 address",
  },
  {
    because: "an IPv6 address is none of these",
    spec: { instanceRef: { name: "web" }, public: true, management: { adopt: { id: "2001:db8::1" } } },
    says: "must be an IPv4 address",
  },
];

const moved = { address: "192.0.2.1", instanceRef: { name: "web" } };
const ipAssignment: Omit<Refused, "kind">[] = [
  { because: "no address is named", spec: { instanceRef: { name: "web" } }, says: "spec.address" },
  { because: "no instance is named", spec: { address: "192.0.2.1" }, says: "spec.instanceRef" },
  {
    because: "an IPv6 range is moved by IPv6Range",
    spec: { ...moved, address: "2001:db8::/64" },
    says: "must be an IPv4",
  },
  { because: "a SLAAC address stays", spec: { ...moved, address: "2001:db8::1" }, says: "must be an IPv4 address" },
  { because: "an address has no prefix length", spec: { ...moved, address: "192.0.2.1/32" }, says: "must be an IPv4" },
  { because: "an address has no leading zeros", spec: { ...moved, address: "192.0.2.01" }, says: "must be an IPv4" },
  {
    because: "nothing is exchanged for itself",
    spec: { ...moved, exchangeFor: "192.0.2.1" },
    says: "exchangeFor must be another address",
  },
  { because: "a name is no address", spec: { ...moved, exchangeFor: "web" }, says: "must be an IPv4 address" },
  {
    because: "a setting is not adopted",
    spec: { ...moved, instanceRef: { name: "web", id: "1" } },
    says: "exactly one of name and id",
  },
];

const shared = { instanceRef: { name: "web" }, addresses: ["192.0.2.1"] };
const nothing = "at least one address must be given";
const ipSharing: Omit<Refused, "kind">[] = [
  { because: "no instance is named", spec: { addresses: ["192.0.2.1"] }, says: "spec.instanceRef" },
  { because: "nothing is shared", spec: { instanceRef: { name: "web" } }, says: nothing },
  { because: "an empty list shares nothing", spec: { ...shared, addresses: [] }, says: nothing },
  {
    because: "two empty lists share nothing",
    spec: { ...shared, addresses: [], addressRefs: [] },
    says: nothing,
  },
  {
    because: "an instance has a name or an id",
    spec: { ...shared, instanceRef: { name: "web", id: "1001" } },
    says: "exactly one of name and id",
  },
  {
    because: "an instance's id is a number",
    spec: { ...shared, instanceRef: { id: "web" } },
    says: "must be the number that the cloud API shows",
  },
  { because: "a name is no address", spec: { ...shared, addresses: ["web"] }, says: "must be an IP address" },
  {
    because: "a range is named without its prefix length",
    spec: { ...shared, addresses: ["2001:db8::/64"] },
    says: "must be an IP address",
  },
  { because: "no leading zeros", spec: { ...shared, addresses: ["192.0.2.01"] }, says: "must be an IP address" },
  { because: "addresses are a list", spec: { ...shared, addresses: "192.0.2.1" }, says: "spec.addresses" },
  {
    because: "an address is given once",
    spec: { ...shared, addresses: ["192.0.2.1", "192.0.2.1"] },
    says: "spec.addresses",
  },
  {
    because: "a hundred addresses are enough",
    spec: { ...shared, addresses: Array.from({ length: 101 }, (_, n) => `192.0.2.${n}`) },
    says: "spec.addresses",
  },
  {
    because: "an IPAddress has a name",
    spec: { ...shared, addressRefs: [{ kind: "IPAddress", name: "", address: "Public" }] },
    says: "spec.addressRefs",
  },
  { because: "an IPv6Range is named", spec: { ...shared, addressRefs: [{ kind: "IPv6Range" }] }, says: "addressRefs" },
  {
    because: "references are objects",
    spec: { ...shared, addressRefs: ["containers"] },
    says: "spec.addressRefs",
  },
];

const boots = { instanceRef: { name: "web" }, devices: {} };
const helpers = { devtmpfsAutomount: true, distro: true, modulesDep: true, network: true, updatedbDisabled: true };
const computeConfig: Omit<Refused, "kind">[] = [
  { because: "no instance is named", spec: { devices: {} }, says: "spec.instanceRef" },
  { because: "the devices are missing", spec: { instanceRef: { name: "web" } }, says: "spec.devices" },
  {
    because: "a slot holds a disk or a volume",
    spec: { ...boots, devices: { sda: { diskRef: { name: "data" }, volumeID: 1 } } },
    says: "exactly one of diskRef and volumeID",
  },
  { because: "a slot holds something", spec: { ...boots, devices: { sdb: {} } }, says: "exactly one of diskRef and" },
  {
    because: "a volume's id is positive",
    spec: { ...boots, devices: { sdh: { volumeID: 0 } } },
    says: "spec.devices.sdh.volumeID",
  },
  {
    because: "a disk has a name or an id",
    spec: { ...boots, devices: { sda: { diskRef: {} } } },
    says: "exactly one of name and id",
  },
  { because: "the label is too long", spec: { ...boots, label: "a".repeat(49) }, says: "spec.label" },
  { because: "the label is empty", spec: { ...boots, label: "" }, says: "spec.label" },
  {
    because: "helpers are said all or not at all",
    spec: { ...boots, helpers: { network: true } },
    says: "spec.helpers.distro",
  },
  {
    because: "a helper is a boolean",
    spec: { ...boots, helpers: { ...helpers, network: 1 } },
    says: "spec.helpers.network",
  },
  { because: "no run level 3", spec: { ...boots, runLevel: "3" }, says: "spec.runLevel" },
  { because: "no third mode", spec: { ...boots, virtMode: "kvm" }, says: "spec.virtMode" },
  { because: "memory is not negative", spec: { ...boots, memoryLimitMB: -1 }, says: "spec.memoryLimitMB" },
  { because: "the root device is a path", spec: { ...boots, rootDevice: "sda" }, says: "must be the path of a device" },
  {
    because: "a VLAN has a name",
    spec: { ...boots, interfaces: [{ purpose: "vlan" }] },
    says: "purpose vlan needs label",
  },
  {
    because: "the list of interfaces is empty",
    spec: { ...boots, interfaces: [] },
    says: "interfaces must have at least one entry; leave the field out",
  },
  {
    because: "at most three interfaces",
    spec: { ...boots, interfaces: [1, 2, 3, 4].map(() => ({ purpose: "public" })) },
    says: "spec.interfaces",
  },
];

export const refusedNetworking: Record<string, Omit<Refused, "kind">[]> = {
  IPv6Range: ipv6Range,
  IPAddress: ipAddress,
  IPAssignment: ipAssignment,
  IPSharing: ipSharing,
  ComputeConfig: computeConfig,
};
