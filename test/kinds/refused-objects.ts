/** Objects whose name or whole spec the API server refuses, with the message. The parser of the operator sees only specs. */
const vm = { region: "us-east", type: "g6-standard-1" };

export const refusedObjects: { kind: string; name: string; spec: object; says: string }[] = [
  {
    kind: "Firewall",
    name: "web--1",
    spec: { inboundPolicy: "DROP", outboundPolicy: "DROP" },
    says: "metadata.name: Invalid value: has two dashes in a row; a label has single dashes. Set spec.label",
  },
  { kind: "ComputeInstance", name: "ab", spec: vm, says: "has 2 characters; a label has 3 to 64. Set spec.label" },
  {
    kind: "ComputeInstance",
    name: "a".repeat(65),
    spec: vm,
    says: "metadata.name: Invalid value: has 65 characters; a label has 3 to 64. Set spec.label",
  },
  {
    kind: "ManagedMySQL",
    name: "a".repeat(33),
    spec: { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" },
    says: "has 33 characters; a label has 3 to 32. Set spec.label",
  },
  {
    kind: "ObjectStorageKey",
    name: "named-twice",
    spec: { secretName: "a", connectionSecret: { name: "b" } },
    says: "spec.secretName is the short form of spec.connectionSecret.name",
  },
  {
    kind: "ObjectStorageKey",
    name: "a".repeat(51),
    spec: {},
    says: "has 51 characters; a label has 1 to 50. Set spec.label",
  },
  {
    kind: "ObjectStorageKey",
    name: "a".repeat(239),
    spec: { label: "key" },
    says: "has 239 characters; the name of the published Secret has room for 238. Set spec.connectionSecret.name",
  },
  {
    kind: "ComputeSnapshot",
    name: "replacing",
    spec: { instanceRef: { name: "web-1" }, replacePrevious: true },
    says: "spec.replacePrevious needs spec.notAfter: the time",
  },
  {
    kind: "DatabaseAction",
    name: "reset",
    spec: { databaseRef: { name: "shop-db" }, action: "ResetCredentials" },
    says: "needs spec.notAfter: the time",
  },
  ...[undefined, "tomorrow", "2099-01-01"].map((notAfter) => ({
    kind: "AccountAction",
    name: "end",
    spec: { action: "CancelObjectStorage", confirmAccount: "demo", ...(notAfter && { notAfter }) },
    says: "spec.notAfter",
  })),
  {
    kind: "DatabaseBackup",
    name: "a".repeat(31),
    spec: { databaseRef: { name: "shop-db" } },
    says: "characters; a label has 1 to 30. Set spec.label",
  },
  {
    kind: "Tag",
    name: "ab",
    spec: {},
    says: "metadata.name: Invalid value: has 2 characters; a label has 3 to 50. Set spec.label",
  },
  { kind: "Tag", name: "cpo-shop", spec: {}, says: "is reserved for the tags of operator installations" },
  {
    kind: "Bucket",
    name: "ab",
    spec: { cluster: "us-east-1" },
    says: "has 2 characters; a label has 3 to 63. Set spec.label",
  },
  {
    kind: "ComputeInstance",
    name: "a".repeat(240),
    spec: { label: "web", region: "us-east", type: "g6-standard-1", image: "compute/debian12" },
    says: "characters; the name of the Secret with the password has room for 239. Set spec.rootPasswordSecretRef",
  },
];
