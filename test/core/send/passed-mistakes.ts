/** Wrong manifests that the API server cannot know to be wrong: what people read in the condition `Ready` instead. */
import type { Reason } from "../../../src/core/kind/reasons.ts";

export interface PassedMistake {
  kind: string;
  because: string;
  spec: object;
  reason: Reason;
  /** Names the field and the value, and says what to do. */
  says: string;
}

const instanceRef = { name: "nobody" };
const bucketRef = { name: "nothing" };
const databaseRef = { name: "nothing" };
const accountRef = { name: "nobodys" };
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const later = "2099-01-01T00:00:00Z";

const missing = (field: string, kind: string, name: string): Pick<PassedMistake, "reason" | "says"> => ({
  reason: "WaitingForReference",
  says: `${field}.name: ${kind} ${name} does not exist in namespace`,
});
const noInstance = missing("spec.instanceRef", "ComputeInstance", "nobody");
const noBucket = missing("spec.bucketRef", "Bucket", "nothing");
const noDatabase = missing("spec.databaseRef", "ManagedMySQL", "nothing");
const noSecret = (field: string, name: string): Pick<PassedMistake, "reason" | "says"> => ({
  reason: "WaitingForSecret",
  says: `spec.${field}: Secret ${name} does not exist in namespace`,
});
const noAccount: Pick<PassedMistake, "reason" | "says"> = {
  reason: "WaitingForAccount",
  says: "spec.accountRef: CloudAccount nobodys does not exist in namespace",
};
const unknownInstance = "ComputeInstance 999999 does not exist in the account. Correct the ID";
const because = "what it names is not there";
const instance = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };

/** What mistakes refer to: one whose deletion somebody holds up, and one of another account. None of them is made. */
export const beside = [
  {
    name: "leaving",
    spec: { ...instance, rootPasswordSecretRef: { name: "nothing", key: "password" } },
    metadata: { finalizers: ["example.org/hold"] },
    deleted: true,
  },
  { name: "foreign", spec: { ...instance, accountRef }, metadata: {}, deleted: false },
];

export const passedMistakes: PassedMistake[] = [
  { kind: "ComputeDisk", because, spec: { instanceRef, sizeMB: 1024 }, ...noInstance },
  {
    kind: "ComputeDisk",
    because: "no instance has this id",
    spec: { instanceRef: { id: "999999" }, sizeMB: 1024 },
    reason: "InvalidSpec",
    says: `spec.instanceRef.id: ${unknownInstance}`,
  },
  { kind: "ComputeConfig", because, spec: { instanceRef, devices: {} }, ...noInstance },
  { kind: "ComputeAction", because, spec: { instanceRef, action: "Reboot" }, ...noInstance },
  { kind: "ComputeSnapshot", because, spec: { instanceRef }, ...noInstance },
  {
    kind: "UsageReport",
    because,
    spec: { instanceRef, year: 2026, month: 1, notAfter: later, ttlSecondsAfterFinished: 60 },
    ...noInstance,
  },
  {
    kind: "ComputeInstance",
    because: "the instance to clone is not there",
    spec: { region: "us-east", type: "g6-standard-1", source: { clone: { instanceRef } } },
    ...missing("spec.source.clone.instanceRef", "ComputeInstance", "nobody"),
  },
  {
    kind: "ComputeInstance",
    because: "the Secret of its password is not there",
    spec: {
      region: "us-east",
      type: "g6-standard-1",
      image: "compute/debian12",
      rootPasswordSecretRef: { name: "nothing", key: "password" },
    },
    ...noSecret("rootPasswordSecretRef", "nothing"),
  },
  {
    kind: "ComputeInstance",
    because: "the Secret of its password holds the token of the account",
    spec: {
      region: "us-east",
      type: "g6-standard-1",
      image: "compute/debian12",
      rootPasswordSecretRef: { name: "cloud-token", key: "password" },
    },
    reason: "InvalidSpec",
    says: "spec.rootPasswordSecretRef: Secret cloud-token holds the token of CloudAccount default",
  },
  {
    kind: "Image",
    because: "the disk is not there",
    spec: { source: { diskRef: { name: "nothing" } } },
    ...missing("spec.source.diskRef", "ComputeDisk", "nothing"),
  },
  {
    kind: "Firewall",
    because: "of two instances the second is not there",
    spec: { inboundPolicy: "DROP", outboundPolicy: "DROP", instanceRefs: [{ name: "nobody" }] },
    ...missing("spec.instanceRefs[0]", "ComputeInstance", "nobody"),
  },
  {
    kind: "Firewall",
    because: "the instance is being deleted",
    spec: { inboundPolicy: "DROP", outboundPolicy: "DROP", instanceRefs: [{ name: "leaving" }] },
    reason: "WaitingForReference",
    says: "spec.instanceRefs[0].name: ComputeInstance leaving is being deleted. Create it again, or correct",
  },
  {
    kind: "Firewall",
    because: "the instance is of another account",
    spec: { inboundPolicy: "DROP", outboundPolicy: "DROP", instanceRefs: [{ name: "foreign" }] },
    reason: "WaitingForReference",
    says: "spec.instanceRefs[0].name: ComputeInstance foreign uses CloudAccount ",
  },
  {
    kind: "Firewall",
    because: "no instance has this id",
    spec: { inboundPolicy: "DROP", outboundPolicy: "DROP", instanceRefs: [{ id: "999999" }] },
    reason: "InvalidSpec",
    says: `spec.instanceRefs[0].id: ${unknownInstance}`,
  },
  { kind: "IPAddress", because, spec: { instanceRef, public: true }, ...noInstance },
  { kind: "IPAssignment", because, spec: { instanceRef, address: "198.18.0.2" }, ...noInstance },
  { kind: "IPSharing", because, spec: { instanceRef, addresses: ["198.18.0.2"] }, ...noInstance },
  { kind: "IPv6Range", because, spec: { instanceRef, prefixLength: 64 }, ...noInstance },
  {
    kind: "ReverseDNS",
    because,
    spec: { addressRef: { kind: "ComputeInstance", ...instanceRef, address: "Public" }, hostname: "mail.example.org" },
    ...missing("spec.addressRef", "ComputeInstance", "nobody"),
  },
  {
    kind: "Domain",
    because: "the domain to clone is not there",
    spec: {
      domain: "copy.example.org",
      type: "master",
      soaEmail: "dns@example.org",
      source: { clone: { domainRef: { name: "nothing" } } },
    },
    ...missing("spec.source.clone.domainRef", "Domain", "nothing"),
  },
  {
    kind: "DomainRecord",
    because,
    spec: { domainRef: { name: "nothing" }, type: "A", name: "www", target: "192.0.2.10" },
    ...missing("spec.domainRef", "Domain", "nothing"),
  },
  {
    kind: "Tag",
    because,
    spec: { label: "mistaken", instanceRefs: [{ name: "nobody" }] },
    ...missing("spec.instanceRefs[0]", "ComputeInstance", "nobody"),
  },
  { kind: "BucketCertificate", because, spec: { bucketRef, secretRef: { name: "tls" } }, ...noBucket },
  {
    kind: "BucketObject",
    because,
    spec: { bucketRef, objectKey: "robots.txt", contentSecretRef: { name: "robots" } },
    ...noBucket,
  },
  { kind: "PresignedURL", because, spec: { bucketRef, objectKey: "a.pdf", method: "GET" }, ...noBucket },
  {
    kind: "ObjectStorageKey",
    because,
    spec: { bucketAccess: [{ bucketRef, permissions: "read_only" }] },
    ...missing("spec.bucketAccess[0].bucketRef", "Bucket", "nothing"),
  },
  { kind: "DatabaseBackup", because, spec: { databaseRef }, ...noDatabase },
  { kind: "DatabaseAction", because, spec: { databaseRef, action: "Patch" }, ...noDatabase },
  {
    kind: "PhoneVerification",
    because: "no account is called so",
    spec: { phoneNumber: "+436601234567", isoCode: "AT", accountRef, codeSecretRef: { name: "code" } },
    ...noAccount,
  },
  {
    kind: "SecurityQuestions",
    because: "the answers are not there",
    spec: {
      questions: [1, 2, 3].map((questionID) => ({ questionID, answerSecretRef: { name: "nothing", key: "a" } })),
    },
    reason: "WaitingForSecret",
    says: "spec.questions[0].answerSecretRef: key a of Secret nothing does not exist",
  },
  { kind: "SSHKey", because: "no account is called so", spec: { sshKey: key, accountRef }, ...noAccount },
  { kind: "Profile", because: "no account is called so", spec: { timezone: "GMT", accountRef }, ...noAccount },
  {
    kind: "ProfilePreferences",
    because: "no account is called so",
    spec: { preferences: { theme: "dark" }, accountRef },
    ...noAccount,
  },
  {
    kind: "AccessPolicy",
    because: "no account is called so",
    spec: { devices: { maxAgeDays: 30 }, accountRef },
    ...noAccount,
  },
  { kind: "Inventory", because: "no account is called so", spec: { everyMinutes: 60, accountRef }, ...noAccount },
  {
    kind: "AccountAction",
    because: "the operator does not permit what it asks for",
    spec: { action: "CancelObjectStorage", confirmAccount: "demo", notAfter: later },
    reason: "NotPermitted",
    says: "with the chart value settings.allowAccountActions",
  },
  {
    kind: "AccountAction",
    because: "besides, it names another account",
    spec: { action: "CancelObjectStorage", confirmAccount: "somebody-else", notAfter: later },
    reason: "NotPermitted",
    says: 'the setting allowAccountActions. Besides, spec.confirmAccount: "somebody-else" is not the account of this token',
  },
  {
    kind: "CloudAccount",
    because: "no Secret is called so",
    spec: { tokenSecretRef: { name: "nothing" } },
    reason: "TokenMissing",
    says: "spec.tokenSecretRef: Secret nothing does not exist in namespace",
  },
  {
    kind: "CloudAccount",
    because: "no endpoint is called so",
    spec: { tokenSecretRef: { name: "cloud-token" }, endpoint: "elsewhere" },
    reason: "UnknownEndpoint",
    says: 'spec.endpoint: "elsewhere" is not an endpoint of the operator. The account is not connected. Use one of: default',
  },
];
