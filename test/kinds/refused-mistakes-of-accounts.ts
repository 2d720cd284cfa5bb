/** Mistakes that people make in specs of accounts, profiles, databases and storage: part of all-refused.ts. */
import { mistakes, ofManagement } from "./refused-mistakes.ts";
import type { Refused } from "./refused.ts";

const token = { tokenSecretRef: { name: "cloud-token" } };
const ed25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh";
const preferences = { theme: "dark" };
const answer = (questionID: unknown, answerSecretRef: unknown = { name: "answer" }) => ({
  questions: [
    { questionID, answerSecretRef },
    { questionID: 2, answerSecretRef: { name: "b" } },
    { questionID: 3, answerSecretRef: { name: "c" } },
  ],
});

const accounts: Refused[] = [
  ...mistakes("CloudAccount", [
    ["a Secret is named", {}, "spec.tokenSecretRef"],
    ["a token is in no manifest", { tokenSecretRef: "0123456789abcdef" }, "spec.tokenSecretRef"],
    ["a Secret has a name", { tokenSecretRef: {} }, "spec.tokenSecretRef.name"],
    ["seconds begin at one", { ...token, pollSeconds: 0 }, "spec.pollSeconds"],
    ["an hour is the most", { ...token, pollSeconds: 3_601 }, "spec.pollSeconds"],
    ["seconds have no unit", { ...token, pollSeconds: "60s" }, "spec.pollSeconds"],
    ["seconds are whole", { ...token, pollSeconds: 1.5 }, "spec.pollSeconds"],
    ["who shares says with whom", { ...token, sharing: {} }, "spec.sharing.namespaces"],
    ["namespaces are a list", { ...token, sharing: { namespaces: "*" } }, "spec.sharing.namespaces"],
    ["an identity is not empty", { ...token, expectedAccount: "" }, "spec.expectedAccount"],
    ["an identity is a text", { ...token, expectedAccount: 12 }, "spec.expectedAccount"],
    ["no is no boolean", { ...token, reportObserved: "no" }, "spec.reportObserved"],
  ]),
  ...mistakes("Profile", [
    ["an address has a domain", { email: "ada" }, "must be an email address"],
    ["an address has no spaces", { email: "a b@example.org" }, "must be an email address"],
    ["a method has another name", { lishAuthMethod: "keys" }, "spec.lishAuthMethod"],
    ["methods are in small letters", { lishAuthMethod: "Disabled" }, "spec.lishAuthMethod"],
    ["keys are a list", { authorizedKeys: ed25519 }, "spec.authorizedKeys"],
    ["a key is given once", { authorizedKeys: [ed25519, ed25519] }, "spec.authorizedKeys"],
    ["a zone has a name", { timezone: "Vienna time" }, "must be the name of a time zone"],
    ["off is no boolean", { twoFactorAuth: "off" }, "spec.twoFactorAuth"],
  ]),
  ...mistakes("ProfilePreferences", [
    ["an account has a good name", { preferences, accountRef: { name: "" } }, "spec.accountRef.name"],
    ["an account has one name", { preferences, accountRef: { name: ["default"] } }, "spec.accountRef.name"],
    ["management is an object", { preferences, management: "Observe" }, "spec.management"],
    ["a number is no object", { preferences: 3 }, "spec.preferences"],
    ["yes is no object", { preferences: true }, "spec.preferences"],
    ["policies have capitals", { preferences, management: { policy: "observe" } }, "spec.management.policy"],
    ["drift is not fixed", { preferences, management: { driftPolicy: "Fix" } }, "spec.management.driftPolicy"],
    [
      "nothing is retained",
      { preferences, management: { deletionPolicy: "Retain" } },
      "spec.management.deletionPolicy",
    ],
    ["yes is no boolean", { preferences, management: { protect: "yes" } }, "spec.management.protect"],
    ["an account has a name", { preferences, accountRef: {} }, "spec.accountRef.name"],
    ...ofManagement({ preferences }),
  ]),
  ...mistakes("SecurityQuestions", [
    ["nothing is answered", {}, "spec.questions"],
    ["an answer is in no manifest", { questions: "Rex" }, "spec.questions"],
    ["no question is the zeroth", answer(0), "questionID"],
    ["a question has a number", answer("first pet"), "questionID"],
    ["a number is whole", answer(1.5), "questionID"],
    ["an answer is in a Secret", answer(1, "Rex"), "answerSecretRef"],
    ["a Secret has a name", answer(1, {}), "answerSecretRef"],
    ["the API has fewer", answer(1_000_001), "questionID"],
    ...ofManagement(answer(1)),
  ]),
  ...mistakes("SSHKey", [
    ["a key is given", {}, "spec.sshKey"],
    ["a path is no key", { sshKey: "~/.ssh/id_ed25519.pub" }, "spec.sshKey"],
    ["one key is one object", { sshKey: `${ed25519}\n${ed25519}` }, "spec.sshKey"],
    ["a key is a text", { sshKey: [ed25519] }, "spec.sshKey"],
    ["the type is too old", { sshKey: "ssh-dss AAAAB3NzaC1kc3MAAACBAJ" }, "spec.sshKey"],
    ["a certificate request is none", { sshKey: "---- BEGIN SSH2 PUBLIC KEY ----\nAAAA" }, "spec.sshKey"],
    ["a label has at most 64 characters", { sshKey: ed25519, label: "a".repeat(65) }, "spec.label"],
    ...ofManagement({ sshKey: ed25519 }),
  ]),
];

const databaseRef = { name: "shop-db" };
const notAfter = "2099-01-01T00:00:00Z";
const restore = { databaseRef, action: "Restore", notAfter };
const patch = { databaseRef, action: "Patch" };
const bucket = { cluster: "us-east-1" };
const access = (bucketRef: unknown, permissions?: string) => ({
  bucketAccess: [{ bucketRef, ...(permissions && { permissions }) }],
});

const storage: Refused[] = [
  ...mistakes("DatabaseAction", [
    ["a year is the most", { ...patch, ttlSecondsAfterFinished: 31_536_001 }, "spec.ttlSecondsAfterFinished"],
    ["an action is named", { databaseRef }, "spec.action"],
    ["actions have capitals", { ...patch, action: "patch" }, "spec.action"],
    ["a database has no boot", { ...patch, action: "Reboot" }, "spec.action"],
    ["a backup is an object", { ...restore, backupRef: "1" }, "spec.backupRef"],
    ["a backup is named", { ...restore, backupRef: {} }, "exactly one of name and id"],
    ["name and id are two", { ...restore, backupRef: { name: "a", id: "1" } }, "exactly one of name and id"],
    ["a name is no id", { ...patch, databaseRef: { id: "shop-db" } }, "must be the number that the cloud API shows"],
    ["a reference is an object", { ...patch, databaseRef: "shop-db" }, "spec.databaseRef"],
    ["a time has no unit", { ...patch, ttlSecondsAfterFinished: "1h" }, "spec.ttlSecondsAfterFinished"],
  ]),
  ...mistakes("Bucket", [
    ["there is no such access", { ...bucket, acl: "public" }, "spec.acl"],
    ["accesses are in small letters", { ...bucket, acl: "Private" }, "spec.acl"],
    ["yes is no boolean", { ...bucket, corsEnabled: "yes" }, "spec.corsEnabled"],
    ["one is no boolean", { ...bucket, forceEmpty: 1 }, "spec.forceEmpty"],
    ...ofManagement(bucket),
  ]),
  ...mistakes("ObjectStorageKey", [
    ["what it may do is not said", access({ name: "media" }), "permissions"],
    ["an underscore joins the words", access({ name: "media" }, "read-only"), "permissions"],
    ["a bucket is an object", access("media", "read_only"), "bucketRef"],
    ["a bucket is named", access({}, "read_only"), "exactly one of name and id"],
    ["accesses are a list", { bucketAccess: "media" }, "spec.bucketAccess"],
    ["rotations count up", { rotation: -1 }, "spec.rotation"],
    ["rotations are counted", { rotation: "1" }, "spec.rotation"],
    ...ofManagement({}),
  ]),
];

export const refusedMistakesOfAccounts: Refused[] = [...accounts, ...storage];
