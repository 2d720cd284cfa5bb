/** Specs of what belongs to an instance that are refused: part of all-refused.ts. */
import type { Refused } from "./refused.ts";

const instanceRef = { name: "web-1" };
const disk = { instanceRef, sizeMB: 1024 };
const host = { instanceRef, hostname: "mail.example.org" };
const reboot = { instanceRef, action: "Reboot" };
const of = (kind: string, rows: Omit<Refused, "kind">[]): Refused[] => rows.map((row) => ({ kind, ...row }));

export const refusedMachines: Refused[] = [
  ...of("ComputeDisk", [
    { because: "an instance is missing", spec: { sizeMB: 1024 }, says: "spec.instanceRef" },
    { because: "a size is missing", spec: { instanceRef }, says: "spec.sizeMB" },
    { because: "a disk has a size", spec: { ...disk, sizeMB: 0 }, says: "spec.sizeMB" },
    { because: "no disk is that large", spec: { ...disk, sizeMB: 16_777_217 }, says: "spec.sizeMB" },
    { because: "half a megabyte is none", spec: { ...disk, sizeMB: 0.5 }, says: "spec.sizeMB" },
    { because: "a size is a number", spec: { ...disk, sizeMB: "1024" }, says: "spec.sizeMB" },
    { because: "a label is not empty", spec: { ...disk, label: "" }, says: "spec.label" },
    { because: "a label is short", spec: { ...disk, label: "a".repeat(49) }, says: "spec.label" },
    {
      because: "the file system is none of the API's",
      spec: { ...disk, filesystem: "btrfs" },
      says: "spec.filesystem",
    },
    { because: "a reference names something", spec: { ...disk, instanceRef: {} }, says: "exactly one of name and id" },
  ]),
  ...of("ReverseDNS", [
    { because: "a name is missing", spec: { instanceRef }, says: "spec.hostname" },
    { because: "whose name is not said", spec: { hostname: "mail.example.org" }, says: "exactly one of instanceRef" },
    { because: "two say whose", spec: { ...host, address: "192.0.2.7" }, says: "exactly one of instanceRef" },
    { because: "an address is no name", spec: { hostname: "m.example.org", address: "mail" }, says: "spec.address" },
    {
      because: "a range is no address",
      spec: { hostname: "m.example.org", address: "192.0.2.0/24" },
      says: "spec.address",
    },
    { because: "a name has no spaces", spec: { ...host, hostname: "mail example.org" }, says: "spec.hostname" },
    { because: "a name is not empty", spec: { ...host, hostname: "" }, says: "spec.hostname" },
    { because: "a name is no address", spec: { ...host, hostname: "https://example.org" }, says: "spec.hostname" },
    { because: "a reference names something", spec: { ...host, instanceRef: {} }, says: "exactly one of name and id" },
  ]),
  ...of("ComputeAction", [
    { because: "an instance is missing", spec: { action: "Reboot" }, says: "spec.instanceRef" },
    { because: "an action is missing", spec: { instanceRef }, says: "spec.action" },
    { because: "the action is none of the API's", spec: { ...reboot, action: "Explode" }, says: "spec.action" },
    { because: "actions have capitals", spec: { ...reboot, action: "reboot" }, says: "spec.action" },
    {
      because: "a reference names something",
      spec: { ...reboot, instanceRef: {} },
      says: "exactly one of name and id",
    },
    {
      because: "a time is a number",
      spec: { ...reboot, ttlSecondsAfterFinished: -1 },
      says: "spec.ttlSecondsAfterFinished",
    },
  ]),
];
