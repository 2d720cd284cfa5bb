const databaseRef = { name: "shop-db" };
const needs = [{ kind: "ManagedMySQL", example: "shop-db" }];
const notAfter = "2099-01-01T00:00:00Z";

export const databaseActionExamples = [
  {
    name: "patch",
    doc: "Applies pending security updates.",
    spec: { databaseRef, action: "Patch" as const },
    needs,
  },
  {
    name: "reset-credentials",
    doc: "Creates a new password, if the action can start before a deadline.",
    spec: { databaseRef, action: "ResetCredentials" as const, notAfter, ttlSecondsAfterFinished: 604_800 },
    needs,
  },
  {
    name: "restore",
    doc: "Restores a backup, if the action can start before a deadline.",
    spec: { databaseRef, action: "Restore" as const, backupRef: { name: "before-upgrade" }, notAfter },
    needs: [...needs, { kind: "DatabaseBackup", example: "before-upgrade" }],
  },
  {
    name: "restore-automatic",
    doc: "Restores an automatic backup of the cloud.",
    spec: { databaseRef, action: "Restore" as const, backupRef: { id: "123456" }, notAfter },
    needs,
    shownOnly: true,
  },
];
