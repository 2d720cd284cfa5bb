const needs = [{ kind: "ComputeInstance", example: "empty" }];
const empty = { instanceRef: { name: "empty" } };

export const diskExamples = [
  {
    name: "data",
    doc: "An empty disk for data.",
    spec: { ...empty, sizeMB: 1024 },
    changes: { label: { label: "archive" }, sizeMB: { sizeMB: 2048 }, filesystem: { filesystem: "ext3" as const } },
    needs,
  },
  {
    name: "system",
    doc: "A disk with an image. The operator generates the root password and stores it in the Secret system-root-password.",
    spec: { ...empty, sizeMB: 8192, image: "compute/debian12" },
    changes: { label: { label: "system-2026" }, sizeMB: { sizeMB: 9216 } },
    needs,
  },
  {
    name: "scripted-system",
    doc: "A disk with all settings for an image: label, file system, password, keys, users, and a StackScript with answers.",
    spec: {
      ...empty,
      label: "system-2026",
      sizeMB: 8192,
      filesystem: "ext4" as const,
      image: "compute/debian12",
      rootPasswordSecretRef: { name: "system-root" },
      authorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop"],
      authorizedUsers: ["ada"],
      stackScript: { id: 2, dataSecretRef: { name: "system-answers" } },
    },
    needs,
    secrets: {
      "system-root": { password: "Corr3ct-horse" },
      "system-answers": { data: '{"hostname": "scripted.example.org"}' },
    },
  },
];
