const web = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };

export const instanceExamples = [
  {
    name: "web-1",
    doc: "The simplest instance: region, type and image. The operator generates the root password and stores it in the Secret web-1-root-password.",
    spec: web,
    changes: {
      label: { label: "web-one" },
      type: { type: "g6-standard-2", allowDisruption: ["Resize" as const] },
      region: { region: "us-west", allowDisruption: ["Migrate" as const] },
      image: { image: "compute/ubuntu24.04", allowDisruption: ["Rebuild" as const] },
      powerState: { powerState: "Offline" as const },
    },
    sample: true,
  },
  {
    name: "web-2",
    doc: "A second instance, with a tag.",
    spec: { ...web, tags: ["web"] },
    changes: { tags: { tags: ["shop", "web"] } },
    sample: true,
  },
  {
    name: "worker",
    doc: "An instance with most fields: password and user data from Secrets, a VLAN, backups and alerts.",
    spec: {
      ...web,
      label: "worker_1.shop",
      rootPasswordSecretRef: { name: "worker-root" },
      userDataSecretRef: { name: "worker-init", key: "cloud-config" },
      authorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop"],
      swapSizeMB: 1024,
      privateIP: true,
      interfaces: [
        { purpose: "public" as const },
        { purpose: "vlan" as const, label: "shop-backend", ipamAddress: "10.0.0.1/24" },
      ],
      backups: { enabled: true, schedule: { day: "Sunday" as const, window: "W4" as const } },
      alerts: { cpu: 180, io: 20000, networkIn: 10, networkOut: 20, transferQuota: 80 },
      watchdogEnabled: true,
      tags: ["shop", "worker"],
      powerState: "Running" as const,
      reportAttachments: true,
    },
    changes: {
      interfaces: {
        interfaces: [
          { purpose: "public" as const },
          { purpose: "vlan" as const, label: "shop-backend", ipamAddress: "10.0.0.2/24" },
        ],
      },
      backups: { backups: { enabled: true, schedule: { day: "Monday" as const, window: "W6" as const } } },
      "backups.enabled": { backups: { enabled: false } },
      alerts: { alerts: { cpu: 0 } },
      watchdogEnabled: { watchdogEnabled: false },
      tags: { tags: ["worker"] },
      powerState: { powerState: "Offline" as const },
    },
    secrets: {
      "worker-root": { password: "Corr3ct-horse" },
      "worker-init": { "cloud-config": "#cloud-config\npackages: [nginx]\n" },
    },
  },
  {
    name: "scripted",
    doc: "An instance with a StackScript. The instance stays off until you change powerState to Running.",
    spec: {
      ...web,
      stackScript: { id: 2, dataSecretRef: { name: "scripted-answers" } },
      authorizedUsers: ["ada"],
      powerState: "Offline" as const,
    },
    changes: { powerState: { powerState: "Running" as const } },
    secrets: { "scripted-answers": { data: '{"hostname": "scripted.example.org"}' } },
  },
  {
    name: "empty",
    doc: "An instance without an image, for your own disks and configuration profiles. The instance stays off.",
    spec: { region: "us-east", type: "g6-standard-1" },
    changes: { label: { label: "empty-shell" } },
  },
  {
    name: "copied",
    doc: "A copy of another instance.",
    spec: {
      region: "us-east",
      type: "g6-standard-1",
      source: { clone: { instanceRef: { name: "web-1" } } },
      backups: { enabled: false },
    },
    changes: { label: { label: "copy-of-web" } },
    needs: [{ kind: "ComputeInstance", example: "web-1" }],
  },
  {
    name: "resizable",
    doc: "An instance that can be resized: a change of `type` stops the instance for some minutes. The disks keep their size.",
    spec: { ...web, allowDisruption: ["Resize" as const], allowAutoDiskResize: false },
    shownOnly: true,
  },
];
