const instanceRef = { name: "web-1" };
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
];
