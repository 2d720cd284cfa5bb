/** Specs of kinds whose creation is answered with nothing that are refused, each for one reason; see refused.ts. */
import type { Refused } from "./refused.ts";

const databaseRef = { name: "shop-db" };
const joined = { program: "fast-disks" };

const databaseBackup: Omit<Refused, "kind">[] = [
  { because: "no database is named", spec: {}, says: "spec.databaseRef" },
  { because: "a database is an object", spec: { databaseRef: "shop-db" }, says: "spec.databaseRef" },
  { because: "a reference names something", spec: { databaseRef: {} }, says: "exactly one of name and id" },
  {
    because: "a database has a name or an id",
    spec: { databaseRef: { name: "shop-db", id: "1" } },
    says: "exactly one of name and id",
  },
  {
    because: "a database's id is a number",
    spec: { databaseRef: { id: "shop-db" } },
    says: "must be the number that the cloud API shows",
  },
  { because: "a name has a bound", spec: { databaseRef: { name: "x".repeat(254) } }, says: "spec.databaseRef.name" },
  { because: "a label is not empty", spec: { databaseRef, label: "" }, says: "spec.label" },
  { because: "a label has a bound", spec: { databaseRef, label: "x".repeat(31) }, says: "spec.label" },
  { because: "a label is a text", spec: { databaseRef, label: 7 }, says: "spec.label" },
  { because: "there are two sorts of nodes", spec: { databaseRef, target: "replica" }, says: "spec.target" },
  { because: "one target is given", spec: { databaseRef, target: ["primary"] }, says: "spec.target" },
  {
    because: "what is adopted is named by its number",
    spec: { databaseRef, management: { adopt: { id: "before-upgrade" } } },
    says: "must be the number that the cloud API shows",
  },
  {
    because: "what is adopted is named in one way",
    spec: { databaseRef, management: { adopt: { id: "1", filter: { label: "a" } } } },
    says: "exactly one of filter and id",
  },
  {
    because: "a backup that is missing is reported or made anew",
    spec: { databaseRef, management: { missingPolicy: "Ignore" } },
    says: "spec.management.missingPolicy",
  },
  {
    because: "it is deleted or orphaned",
    spec: { databaseRef, management: { deletionPolicy: "Keep" } },
    says: "spec.management.deletionPolicy",
  },
];

const betaEnrollment: Omit<Refused, "kind">[] = [
  { because: "no program is named", spec: {}, says: "spec.program" },
  { because: "a program has a name", spec: { program: "" }, says: "spec.program" },
  { because: "a program is a text", spec: { program: 7 }, says: "spec.program" },
  { because: "one program is joined", spec: { program: ["fast-disks"] }, says: "spec.program" },
  { because: "a program is no boolean", spec: { program: true }, says: "spec.program" },
  { because: "an identifier has a bound", spec: { program: "x".repeat(65) }, says: "spec.program" },
  { because: "an identifier is one word", spec: { program: "Fast disks" }, says: "spec.program" },
  { because: "an identifier is no path", spec: { program: "betas/fast-disks" }, says: "spec.program" },
  { because: "an identifier leads nowhere else", spec: { program: ".." }, says: "spec.program" },
  { because: "an identifier begins with a letter or digit", spec: { program: "-fast" }, says: "spec.program" },
  { because: "an identifier has no query", spec: { program: "fast?x=1" }, says: "spec.program" },
  {
    because: "what is adopted is a program",
    spec: { ...joined, management: { adopt: { id: "fast disks" } } },
    says: "must be the identifier of the program",
  },
  {
    because: "what is adopted is named in one way",
    spec: { ...joined, management: { adopt: {} } },
    says: "exactly one of filter and id",
  },
  {
    because: "there are four policies",
    spec: { ...joined, management: { policy: "Enroll" } },
    says: "spec.management.policy",
  },
  {
    because: "what is missing is made again or reported",
    spec: { ...joined, management: { missingPolicy: "Leave" } },
    says: "spec.management.missingPolicy",
  },
];

/** …by kind. */
const rows = { DatabaseBackup: databaseBackup, BetaEnrollment: betaEnrollment };

export const refusedAccepted: Refused[] = Object.entries(rows).flatMap(([kind, all]) =>
  all.map((one) => Object.assign({ kind }, one)),
);
