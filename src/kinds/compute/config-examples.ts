const disk = { kind: "ComputeDisk", example: "data" };
const instance = { kind: "ComputeInstance", example: "empty" };

export const configExamples = [
  {
    name: "plain",
    doc: "A configuration profile with one disk.",
    spec: { instanceRef: { name: "empty" }, devices: { sda: { diskRef: { name: "data" } } } },
    changes: { label: { label: "plain-boot" }, devices: { devices: {} } },
    needs: [instance, disk],
  },
  {
    name: "rescue",
    doc: "A configuration profile with all fields.",
    spec: {
      instanceRef: { name: "empty" },
      label: "rescue shell",
      comments: "boots into a shell",
      devices: { sda: { diskRef: { name: "data" } }, sdb: { diskRef: { name: "more" } } },
      helpers: { devtmpfsAutomount: true, distro: true, modulesDep: true, network: true, updatedbDisabled: true },
      interfaces: [
        { purpose: "public" as const },
        { purpose: "vlan" as const, label: "shop-backend", ipamAddress: "10.0.0.3/24" },
      ],
      kernel: "compute/grub2",
      memoryLimitMB: 512,
      rootDevice: "/dev/sda",
      runLevel: "single" as const,
      virtMode: "paravirt" as const,
    },
    changes: {
      comments: { comments: "boots into a rescue shell" },
      devices: { devices: { sda: { diskRef: { name: "more" } } } },
      helpers: {
        helpers: { devtmpfsAutomount: false, distro: false, modulesDep: true, network: false, updatedbDisabled: true },
      },
      interfaces: { interfaces: [{ purpose: "public" as const }] },
      kernel: { kernel: "compute/latest-64bit" },
      memoryLimitMB: { memoryLimitMB: 0 },
      rootDevice: { rootDevice: "/dev/sdb" },
      runLevel: { runLevel: "default" as const },
      virtMode: { virtMode: "fullvirt" as const },
    },
    needs: [instance, disk, { ...disk, name: "more" }],
  },
];
