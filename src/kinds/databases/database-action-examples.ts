const databaseRef = { name: "shop-db" };
const needs = [{ kind: "ManagedMySQL", example: "shop-db" }];
const notAfter = "2099-01-01T00:00:00Z";

export const databaseActionExamples = [
  {
    name: "patch",
    doc: "Applies the security updates that wait.",
    spec: { databaseRef, action: "Patch" as const },
    needs,
  },
  {
    name: "reset-credentials",
    doc: "Makes a new password, and not after the time given.",
    spec: { databaseRef, action: "ResetCredentials" as const, notAfter, ttlSecondsAfterFinished: 604_800 },
    needs,
  },
  {
    name: "restore",
    doc: "Puts the database back to a backup, and not after the time given.",
    spec: { databaseRef, action: "Restore" as const, backupRef: { name: "before-upgrade" }, notAfter },
    needs: [...needs, { kind: "DatabaseBackup", example: "before-upgrade" }],
  },
  {
    name: "restore-automatic",
    doc: "Puts the database back to a backup that the cloud has made by itself.",
    spec: { databaseRef, action: "Restore" as const, backupRef: { id: "123456" }, notAfter },
    needs,
    shownOnly: true,
  },
];
