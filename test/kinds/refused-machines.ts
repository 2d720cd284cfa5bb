/** Specs of what belongs to an instance that are refused: part of all-refused.ts. */
import type { Refused } from "./refused.ts";

const instanceRef = { name: "web-1" };
const disk = { instanceRef, sizeMB: 1024 };
const addressRef = { kind: "ComputeInstance", ...instanceRef, address: "Public" };
const host = { addressRef, hostname: "mail.example.org" };
const ofImage: Record<string, unknown> = {
  rootPasswordSecretRef: { name: "root" },
  authorizedKeys: [`ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"a".repeat(43)} ada`],
  authorizedUsers: ["ada"],
  stackScript: { id: 2 },
};
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
    { because: "an id is a number", spec: { ...disk, instanceRef: { id: "01" } }, says: "id must be the number" },
    ...["rootPasswordSecretRef", "authorizedKeys", "authorizedUsers", "stackScript"].map((field) => ({
      because: `${field} is for an image`,
      spec: { ...disk, [field]: ofImage[field] },
      says: `spec.${field} needs spec.image`,
    })),
  ]),
  ...of("ReverseDNS", [
    { because: "a name is missing", spec: { addressRef }, says: "spec.hostname" },
    {
      because: "whose name is not said",
      spec: { hostname: "mail.example.org" },
      says: "exactly one of address and addressRef must be given",
    },
    {
      because: "two say whose",
      spec: { ...host, address: "192.0.2.7" },
      says: "exactly one of address and addressRef must be given",
    },
    { because: "an address is no name", spec: { hostname: "m.example.org", address: "mail" }, says: "spec.address" },
    {
      because: "a range is no address",
      spec: { hostname: "m.example.org", address: "192.0.2.0/24" },
      says: "spec.address",
    },
    { because: "a name has no spaces", spec: { ...host, hostname: "mail example.org" }, says: "spec.hostname" },
    { because: "a name is not empty", spec: { ...host, hostname: "" }, says: "spec.hostname" },
    { because: "a name is no address", spec: { ...host, hostname: "https://example.org" }, says: "spec.hostname" },
    {
      because: "a reference names something",
      spec: { ...host, addressRef: { kind: "ComputeInstance", address: "Public" } },
      says: "spec.addressRef.name",
    },
  ]),
  ...of("ComputeAction", [
    { because: "an instance is missing", spec: { action: "Reboot" }, says: "spec.instanceRef" },
    { because: "an action is missing", spec: { instanceRef }, says: "spec.action" },
    { because: "the action is none of the API's", spec: { ...reboot, action: "Explode" }, says: "spec.action" },
    {
      because: "a shutdown boots nothing",
      spec: { ...reboot, action: "Shutdown", configID: "1" },
      says: "spec.configID is only for action Boot or Reboot",
    },
    {
      because: "a reboot deploys nothing",
      spec: { ...reboot, rebuild: { booted: false } },
      says: "spec.rebuild is only for action Rebuild",
    },
    {
      because: "a copy goes somewhere",
      spec: { ...reboot, action: "Clone" },
      says: "action Clone needs spec.clone. No other action has spec.clone",
    },
    {
      because: "nothing is copied to itself",
      spec: { ...reboot, action: "Clone", clone: { instanceRef: reboot.instanceRef } },
      says: "clone.instanceRef must be another instance than instanceRef",
    },
    {
      because: "nothing is copied to itself, named by its id",
      spec: { instanceRef: { id: "7" }, action: "Clone", clone: { instanceRef: { id: "7" } } },
      says: "clone.instanceRef must be another instance than instanceRef",
    },
    {
      because: "a reboot restores nothing",
      spec: { ...reboot, restoreToRef: { name: "web-2" } },
      says: "spec.restoreToRef is only for action RestoreBackup",
    },
    {
      because: "a rescue system has seven devices",
      spec: {
        ...reboot,
        action: "Rescue",
        rescueDiskIDs: ["1", "2", "3", "4"],
        rescueVolumeIDs: ["1", "2", "3", "4"],
      },
      says: "rescueDiskIDs and rescueVolumeIDs may hold at most 7 entries together",
    },
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
