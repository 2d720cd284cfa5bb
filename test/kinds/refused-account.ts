/** Specs of settings and of what runs once that are refused; see `refused.ts`. */
import type { Refused } from "./refused.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const secret = { name: "answers" };
const asked = (...ids: number[]) => ids.map((questionID) => ({ questionID, answerSecretRef: secret }));
const of = { instanceRef: { name: "web-1" } };
const databaseRef = { name: "shop-db" };
const notAfter = "2099-01-01T00:00:00Z";

export const refusedAccount: Refused[] = [
  {
    kind: "Profile",
    because: "an email address has a domain",
    spec: { email: "ada@example" },
    says: "must be an email address",
  },
  {
    kind: "Profile",
    because: "a time zone is named, not counted",
    spec: { timezone: "+01:00" },
    says: "must be the name of a time zone",
  },
  {
    kind: "Profile",
    because: "the second factor is set up by a person, who would be locked out otherwise",
    spec: { twoFactorAuth: true },
    says: "can only be false",
  },
  {
    kind: "Profile",
    because: "the cloud cannot enable the list of addresses any more",
    spec: { ipWhitelistEnabled: true },
    says: "can only be false",
  },
  {
    kind: "Profile",
    because: "a key is not a file name",
    spec: { authorizedKeys: ["~/.ssh/id_ed25519.pub, as a file name"] },
    says: "must be a whole public key in OpenSSH form",
  },
  {
    kind: "Profile",
    because: "of one key twice the second says nothing",
    spec: { authorizedKeys: [key, key] },
    says: "uplicate",
  },
  {
    kind: "Profile",
    because: "the API has three ways to log in to the console",
    spec: { lishAuthMethod: "password" },
    says: "password_keys",
  },
  {
    kind: "ProfilePreferences",
    because: "preferences are an object",
    spec: { preferences: "dark" },
    says: "spec.preferences",
  },
  {
    kind: "ProfilePreferences",
    because: "a list has no names",
    spec: { preferences: ["dark"] },
    says: "spec.preferences",
  },
  { kind: "ProfilePreferences", because: "without preferences there is nothing to set", spec: {}, says: "preferences" },
  {
    kind: "SecurityQuestions",
    because: "the API wants exactly three answers",
    spec: { questions: asked(1, 2) },
    says: "spec.questions",
  },
  {
    kind: "SecurityQuestions",
    because: "a fourth answer is refused by the API",
    spec: { questions: asked(1, 2, 3, 4) },
    says: "spec.questions",
  },
  {
    kind: "SecurityQuestions",
    because: "one question is answered once",
    spec: { questions: asked(1, 2, 2) },
    says: "must be three different questions",
  },
  {
    kind: "SecurityQuestions",
    because: "questions are counted from one",
    spec: { questions: asked(0, 1, 2) },
    says: "questionID",
  },
  {
    kind: "SecurityQuestions",
    because: "an answer stands in a Secret, not in the spec",
    spec: { questions: [...asked(1, 2), { questionID: 3 }] },
    says: "answerSecretRef",
  },
  {
    kind: "ComputeSnapshot",
    because: "it is a snapshot of something",
    spec: { label: "nightly" },
    says: "instanceRef",
  },
  {
    kind: "ComputeSnapshot",
    because: "a reference is a name or an id",
    spec: { instanceRef: { name: "web-1", id: "1001" } },
    says: "exactly one of name and id",
  },
  {
    kind: "ComputeSnapshot",
    because: "an id is a number",
    spec: { instanceRef: { id: "web-1" } },
    says: "must be the number",
  },
  {
    kind: "ComputeSnapshot",
    because: "a label has a character at least",
    spec: { instanceRef: { name: "web-1" }, label: "" },
    says: "spec.label",
  },
  {
    kind: "ComputeSnapshot",
    because: "a label has a bound",
    spec: { instanceRef: { name: "web-1" }, label: "x".repeat(256) },
    says: "spec.label",
  },
  {
    kind: "UsageReport",
    because: "a month has a year",
    spec: { ...of, month: 1 },
    says: "year and month must be given",
  },
  {
    kind: "UsageReport",
    because: "a year has a month",
    spec: { ...of, year: 2026 },
    says: "year and month must be given",
  },
  { kind: "UsageReport", because: "months end with 12", spec: { ...of, year: 2026, month: 13 }, says: "spec.month" },
  { kind: "UsageReport", because: "months begin with 1", spec: { ...of, year: 2026, month: 0 }, says: "spec.month" },
  {
    kind: "UsageReport",
    because: "the API has figures from 2000 on",
    spec: { ...of, year: 1999, month: 1 },
    says: "spec.year",
  },
  { kind: "UsageReport", because: "…and up to 2037", spec: { ...of, year: 2038, month: 1 }, says: "spec.year" },
  {
    kind: "DatabaseAction",
    because: "a restore needs a backup",
    spec: { databaseRef, action: "Restore", notAfter },
    says: "action Restore needs spec.backupRef. No other action has spec.backupRef",
  },
  {
    kind: "DatabaseAction",
    because: "a patch takes no backup",
    spec: { databaseRef, action: "Patch", backupRef: { id: "12" } },
    says: "action Restore needs spec.backupRef. No other action has spec.backupRef",
  },
  {
    kind: "DatabaseAction",
    because: "a backup is named by its number",
    spec: { databaseRef, action: "Restore", backupRef: { id: "nightly" }, notAfter },
    says: "must be the number",
  },
  {
    kind: "DatabaseAction",
    because: "there are three actions",
    spec: { databaseRef, action: "Suspend" },
    says: "spec.action",
  },
  { kind: "DatabaseAction", because: "it acts on a database", spec: { action: "Patch" }, says: "databaseRef" },
];
