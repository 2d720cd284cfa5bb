/** Mistakes that people make in specs of instances, addresses and domains: part of all-refused.ts. */
import type { Refused } from "./refused.ts";

/** What is wrong, the spec, and what is said of it. */
export type Mistake = [because: string, spec: Record<string, unknown>, says: string];

export function mistakes(kind: string, rows: Mistake[]): Refused[] {
  return rows.map(([because, spec, says]) => ({ kind, because, spec, says }));
}

/** The same in every kind that is given a policy. */
export function ofManagement(spec: Record<string, unknown>): Mistake[] {
  return [
    ["no policy is called so", { ...spec, management: { policy: "Ignore" } }, "spec.management.policy"],
    ["an account is an object", { ...spec, accountRef: "default" }, "spec.accountRef"],
  ];
}

const instanceRef = { name: "web-1" };
const disk = { instanceRef, sizeMB: 1024 };
const addressRef = { kind: "ComputeInstance", ...instanceRef, address: "Public" };
const host = { addressRef, hostname: "mail.example.org" };
const notAfter = "2099-01-01T00:00:00Z";
const passwordSecretRef = { name: "root" };
const noId = "must be the number that the cloud API shows";
const oneOf = "exactly one of name and id";

const machines: Refused[] = [
  ...mistakes("ComputeDisk", [
    ["a reference is an object", { ...disk, instanceRef: "web-1" }, "spec.instanceRef"],
    ["a size has no unit", { ...disk, sizeMB: "1G" }, "spec.sizeMB"],
    ["a file system is in small letters", { ...disk, filesystem: "Ext4" }, "spec.filesystem"],
    ["a name is no id", { ...disk, instanceRef: { id: "web-1" } }, noId],
    ...ofManagement(disk),
  ]),
  ...mistakes("ComputeAction", [
    ["an image is missing", { instanceRef, action: "Rebuild", passwordSecretRef, notAfter }, "spec"],
    ["a type is missing", { instanceRef, action: "Resize", notAfter }, "spec"],
    ["a backup is missing", { instanceRef, action: "RestoreBackup", notAfter }, "spec"],
    ["a password is missing", { instanceRef, action: "ResetPassword" }, "spec"],
    ["a disk is missing", { instanceRef, action: "CloneDisk" }, "spec"],
    ["a reboot changes no type", { instanceRef, action: "Reboot", type: "g6-standard-2" }, "spec"],
    ["a boot deploys no image", { instanceRef, action: "Boot", image: "compute/debian12" }, "spec"],
    ["a reference is an object", { instanceRef: "web-1", action: "Reboot" }, "spec.instanceRef"],
    ["a device is no disk's id", { instanceRef, action: "Rescue", rescueDiskIDs: ["sda"] }, "spec.rescueDiskIDs"],
  ]),
  ...mistakes("ComputeSnapshot", [
    ["nothing is named", {}, "spec.instanceRef"],
    ["a reference is an object", { instanceRef: "web-1" }, "spec.instanceRef"],
    ["name and id are two", { instanceRef: { name: "web-1", id: "1" } }, oneOf],
    ["one instance is meant", { instanceRef: ["web-1"] }, "spec.instanceRef"],
    ["yes is no boolean", { instanceRef, replacePrevious: "yes" }, "spec.replacePrevious"],
    ["a time has no unit", { instanceRef, ttlSecondsAfterFinished: "1h" }, "spec.ttlSecondsAfterFinished"],
    ["a year is the most", { instanceRef, ttlSecondsAfterFinished: 31_536_001 }, "spec.ttlSecondsAfterFinished"],
    ["a time is a text", { instanceRef, notAfter: 1 }, "spec.notAfter"],
    ...ofManagement({ instanceRef }),
  ]),
  ...mistakes("UsageReport", [
    ["a reference is an object", { instanceRef: "web-1" }, "spec.instanceRef"],
    ["name and id are two", { instanceRef: { name: "a", id: "1" } }, oneOf],
    ["a name is no id", { instanceRef: { id: "web-1" } }, noId],
    ["a year has four digits", { instanceRef, year: 26, month: 1 }, "spec.year"],
    ["a year is a number", { instanceRef, year: "2026", month: 1 }, "spec.year"],
    ["months are numbered", { instanceRef, year: 2026, month: "January" }, "spec.month"],
    ["a month is whole", { instanceRef, year: 2026, month: 1.5 }, "spec.month"],
    ["a time has no unit", { instanceRef, ttlSecondsAfterFinished: "7d" }, "spec.ttlSecondsAfterFinished"],
    ["an account is an object", { instanceRef, accountRef: "default" }, "spec.accountRef"],
  ]),
];

const address = { instanceRef, public: true };
const moved = { address: "192.0.2.1", instanceRef };
const range = { instanceRef, prefixLength: 64 };
const target = { routeTarget: "2001:db8::1", prefixLength: 64 };

const networking: Refused[] = [
  ...mistakes("ReverseDNS", [
    ["an address is no host name", { ...host, hostname: "192.0.2.1" }, "spec.hostname"],
    ["a name has a domain", { ...host, hostname: "mail" }, "spec.hostname"],
    ["a name stands for one host", { ...host, hostname: "*.example.org" }, "spec.hostname"],
    ["an octet ends at 255", { address: "192.0.2.300", hostname: "m.example.org" }, "spec.address"],
    ["a label has at most 63 characters", { ...host, hostname: `${"a".repeat(64)}.example.org` }, "spec.hostname"],
    ["a Firewall has no address", { ...host, addressRef: { ...addressRef, kind: "Firewall" } }, "spec.addressRef.kind"],
    ...ofManagement(host),
  ]),
  ...mistakes("IPAddress", [
    ["a reference is an object", { ...address, instanceRef: "web-1" }, "spec.instanceRef"],
    ["a reference names something", { ...address, instanceRef: {} }, oneOf],
    ["an id is a text", { ...address, instanceRef: { id: 1001 } }, "spec.instanceRef.id"],
    ["an address is of one instance", { ...address, instanceRef: ["web-1"] }, "spec.instanceRef"],
    ["a name is not empty", { ...address, instanceRef: { name: "" } }, "spec.instanceRef.name"],
    ["what is adopted is named", { ...address, management: { adopt: {} } }, "exactly one of filter and id"],
    ...ofManagement(address),
  ]),
  ...mistakes("IPAssignment", [
    ["an octet ends at 255", { ...moved, address: "192.0.2.256" }, "spec.address"],
    ["an address has four octets", { ...moved, address: "192.0.2" }, "spec.address"],
    ["one address is moved", { ...moved, address: ["192.0.2.1"] }, "spec.address"],
    ["a name is no id", { ...moved, instanceRef: { id: "web" } }, noId],
    ["only IPv4 is exchanged", { ...moved, exchangeFor: "2001:db8::1" }, "spec.exchangeFor"],
    ...ofManagement(moved),
  ]),
  ...mistakes("IPv6Range", [
    ["a length has no slash", { ...range, prefixLength: "/64" }, "spec.prefixLength"],
    ["one address is no range", { ...range, prefixLength: 128 }, "spec.prefixLength"],
    ["a pool is another thing", { ...range, prefixLength: 116 }, "spec.prefixLength"],
    ["digits end at f", { ...target, routeTarget: "2001:db8::g" }, "spec.routeTarget"],
    ["a reference is an object", { ...range, instanceRef: "web-1" }, "spec.instanceRef"],
    ...ofManagement(range),
  ]),
];

const zone = { domain: "example.org", type: "master", soaEmail: "dns@example.org" };

const domains: Refused[] = mistakes("Domain", [
  ["an address is no domain", { ...zone, domain: "192.0.2.1" }, "spec.domain"],
  ["a URL is no domain", { ...zone, domain: "https://example.org" }, "spec.domain"],
  ["a zone has one name", { ...zone, domain: "*.example.org" }, "spec.domain"],
  ["a type is called master", { ...zone, type: "primary" }, "spec.type"],
  ["seconds have no unit", { ...zone, ttlSeconds: "1h" }, "spec.ttlSeconds"],
  ["the API knows certain times", { ...zone, refreshSeconds: 900 }, "spec.refreshSeconds"],
  ["a network is no name server", { ...zone, axfrIPs: ["10.0.0.0/8"] }, "spec.axfrIPs"],
  ["records come from somewhere", { ...zone, source: {} }, "exactly one of import and clone"],
  ...ofManagement(zone),
]);

export const refusedMistakes: Refused[] = [...machines, ...networking, ...domains];
