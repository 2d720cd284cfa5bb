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
    name: "boot-rescue-profile",
    doc: "Boots an instance with another configuration profile.",
    spec: { instanceRef, action: "Reboot" as const, configID: "3001" },
    needs,
    shownOnly: true,
  },
  {
    name: "copy-data",
    doc: "Copies a disk and a configuration profile to another instance.",
    spec: {
      instanceRef,
      action: "Clone" as const,
      clone: { instanceRef: { name: "web-2" }, diskIDs: ["2001"], configIDs: ["3001"] },
    },
    needs,
    shownOnly: true,
  },
  {
    name: "reset-password",
    doc: "Sets the root password of an instance that is off, with a deadline.",
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
    doc: "Boots a rescue system for repairs, with two disks of the instance as sda and sdb.",
    spec: { instanceRef, action: "Rescue" as const, rescueDiskIDs: ["2001", "2002"] },
    needs,
  },
  {
    name: "rescue-with-volume",
    doc: "Boots a rescue system with a disk and a volume.",
    spec: { instanceRef, action: "Rescue" as const, rescueDiskIDs: ["2001"], rescueVolumeIDs: ["9001"] },
    needs,
    shownOnly: true,
  },
  {
    name: "upgrade",
    doc: "Moves an instance of a deprecated type to the successor type, for free. A running instance restarts.",
    spec: { instanceRef, action: "Upgrade" as const, allowAutoDiskResize: false, notAfter: "2099-01-01T00:00:00Z" },
    needs,
  },
  {
    name: "rebuild",
    doc: "Deploys an image on an instance that no object manages. The rebuild deletes all disks of the instance.",
    spec: {
      instanceRef: unmanaged,
      action: "Rebuild" as const,
      image: "compute/debian12",
      passwordSecretRef: { name: "new-password" },
      rebuild: {
        type: "g6-standard-2",
        authorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop"],
        authorizedUsers: ["ada"],
        stackScript: { id: 2, dataSecretRef: { name: "script-answers" } },
        userDataSecretRef: { name: "user-data" },
        booted: false,
      },
      notAfter: "2099-01-01T00:00:00Z",
      ttlSecondsAfterFinished: 604_800,
    },
    secrets: {
      "new-password": { password: "Corr3ct-horse-battery" },
      "script-answers": { data: '{"hostname": "scripted.example.org"}' },
      "user-data": { "user-data": "#cloud-config\npackages: [nginx]\n" },
    },
    shownOnly: true,
  },
  {
    name: "resize",
    doc: "Changes the type of an instance that no object manages, and does not resize the disk.",
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
    doc: "Moves an instance that no object manages to another region, onto the latest hardware of its type.",
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
    doc: "Restores a backup to another instance, and first deletes the disks of that instance. Without `restoreToRef`, the backup replaces its own instance.",
    spec: {
      instanceRef,
      action: "RestoreBackup" as const,
      backupID: "123456",
      restoreToRef: { name: "web-2" },
      overwrite: true,
      notAfter: "2099-01-01T00:00:00Z",
    },
    needs,
    shownOnly: true,
  },
  {
    name: "clone-disk",
    doc: "Copies a disk to a new disk of the same instance.",
    spec: { instanceRef, action: "CloneDisk" as const, diskID: "2001" },
    needs,
    shownOnly: true,
  },
];
