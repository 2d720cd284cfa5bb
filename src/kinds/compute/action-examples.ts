const instanceRef = { name: "web-1" };
const unmanaged = { id: "4711" };
const needs = [{ kind: "ComputeInstance", example: "web-1" }];

export const actionExamples = [
  {
    name: "reboot",
    doc: "Reboots an instance.",
    spec: { instanceRef, action: "Reboot" as const },
    needs,
  },
  {
    name: "reset-password",
    doc: "Sets the root password of an instance that is off, and not after the time given.",
    spec: {
      instanceRef,
      action: "ResetPassword" as const,
      passwordSecretRef: { name: "new-password" },
      notAfter: "2099-01-01T00:00:00Z",
    },
    needs,
    secrets: { "new-password": { password: "Corr3ct-horse-battery" } },
  },
  {
    name: "rescue",
    doc: "Boots a rescue system that has two disks of an instance as sda and sdb, for repairs.",
    spec: { instanceRef, action: "Rescue" as const, rescueDiskIDs: ["2001", "2002"] },
    needs,
  },
  {
    name: "upgrade",
    doc: "Moves an instance of a deprecated type to the type's successor, which is free. It is restarted if it runs.",
    spec: { instanceRef, action: "Upgrade" as const, allowAutoDiskResize: false, notAfter: "2099-01-01T00:00:00Z" },
    needs,
  },
  {
    name: "rebuild",
    doc: "Deploys an image on an instance that no object manages: its disks are deleted.",
    spec: {
      instanceRef: unmanaged,
      action: "Rebuild" as const,
      image: "compute/debian12",
      passwordSecretRef: { name: "new-password" },
      notAfter: "2099-01-01T00:00:00Z",
      ttlSecondsAfterFinished: 604_800,
    },
    secrets: { "new-password": { password: "Corr3ct-horse-battery" } },
    shownOnly: true,
  },
  {
    name: "resize",
    doc: "Changes the type of such an instance, and leaves its disk as it is.",
    spec: {
      instanceRef: unmanaged,
      action: "Resize" as const,
      type: "g6-standard-2",
      allowAutoDiskResize: false,
      notAfter: "2099-01-01T00:00:00Z",
    },
    shownOnly: true,
  },
  {
    name: "migrate",
    doc: "Moves such an instance to another region, onto the latest hardware of its type.",
    spec: {
      instanceRef: unmanaged,
      action: "Migrate" as const,
      region: "us-west",
      upgrade: true,
      notAfter: "2099-01-01T00:00:00Z",
    },
    shownOnly: true,
  },
  {
    name: "restore",
    doc: "Puts an instance back to one of its backups; its present disks are deleted first.",
    spec: {
      instanceRef,
      action: "RestoreBackup" as const,
      backupID: "123456",
      overwrite: true,
      notAfter: "2099-01-01T00:00:00Z",
    },
    needs,
    shownOnly: true,
  },
  {
    name: "clone-disk",
    doc: "Copies a disk within its instance.",
    spec: { instanceRef, action: "CloneDisk" as const, diskID: "2001" },
    needs,
    shownOnly: true,
  },
];
