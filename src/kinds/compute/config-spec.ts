/** Spec of a configuration profile, and the form in request bodies: part 2, sections 2.4 and 2.5. */
import * as z from "zod";
import { asValue, cloudName } from "../../core/kind/leaf-class.ts";
import type { JsonObject } from "../../api/types.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import type { ObjectReferenceTo, Resolved } from "../../core/kind/reference.ts";
import { exactlyOneOf } from "../../core/kind/rules.ts";
import type { NamedReference } from "../../core/kind/schema.ts";
import { from, identifier, immutable, initially, referenceTo, rule } from "../../core/kind/schema.ts";
import { whole } from "../wire.ts";
import { interfaceList } from "./interfaces.ts";
import type { NetworkInterface } from "./interfaces.ts";
import { optionalText } from "../text.ts";

const slots = ["sda", "sdb", "sdc", "sdd", "sde", "sdf", "sdg", "sdh"] as const;
type Slot = (typeof slots)[number];

const device = exactlyOneOf(
  z.object({
    diskRef: referenceTo("ComputeDisk", undefined, { within: { field: "instanceRef", list: "disks" } })
      .describe("Disk of the instance.")
      .optional(),
    volumeID: cloudName("Volume", z.int().min(1)).describe("Identifier of an attached volume.").optional(),
  }),
  ["diskRef", "volumeID"],
);
const slot = device.describe("Either a disk or a volume. If absent, the slot is empty.").optional();

const devices = z
  .object({ sda: slot, sdb: slot, sdc: slot, sdd: slot, sde: slot, sdf: slot, sdg: slot, sdh: slot })
  .describe("Block devices of the instance.");

const helper = (does: string) => z.boolean().describe(does);

const allHelpers = { devtmpfsAutomount: true, distro: true, modulesDep: true, network: true, updatedbDisabled: true };

const helpers = z
  .object({
    devtmpfsAutomount: helper("Populates /dev early during boot."),
    distro: helper("Adapts the boot configuration of the distribution."),
    modulesDep: helper("Creates a modules dependency file for the kernel."),
    network: helper("Configures the network in the guest."),
    updatedbDisabled: helper("Disables updatedb, which reads the whole disk."),
  })
  .describe("Adaptations of the guest before a boot. If absent, the cloud chooses.");

export const configSpec = z.object({
  instanceRef: immutable(referenceTo("ComputeInstance")),
  label: asValue(z.string().min(1).max(48))
    .describe("Label in the API. Defaults to the name of the object.")
    .optional(),
  comments: optionalText(65_535, "Free text."),
  devices,
  helpers: initially(allHelpers, helpers).optional(),
  interfaces: interfaceList.optional(),
  kernel: initially(
    "compute/latest-64bit",
    from("Kernel", identifier(z.string().min(1).max(128))).describe(
      "Kernel to boot, such as compute/grub2. Defaults to compute/latest-64bit.",
    ),
  ).optional(),
  memoryLimitMB: initially(
    0,
    z.int().min(0).max(16_777_216).describe("Memory limit of the guest in MB. 0 means all memory of the instance."),
  ).optional(),
  rootDevice: rule(asValue(z.string().min(1).max(128)).describe("Device of the root file system, such as /dev/sda."), {
    cel: "self.startsWith('/dev/')",
    check: (path) => path.startsWith("/dev/"),
    message: "must be the path of a device, such as /dev/sda",
  }).optional(),
  runLevel: initially(
    "default",
    z.enum(["default", "single", "binbash"]).describe("Mode in which the guest boots."),
  ).optional(),
  virtMode: initially(
    "paravirt",
    z.enum(["paravirt", "fullvirt"]).describe("Virtualization mode of the guest."),
  ).optional(),
});

type Spec = z.output<typeof configSpec>;

/** Each slot may refer to a disk. */
export const deviceReferences = Object.fromEntries(
  slots.map((name) => [
    `devices.${name}.diskRef`,
    { kind: "ComputeDisk", from: (spec: Spec) => spec.devices[name]?.diskRef },
  ]),
) as Record<`devices.${Slot}.diskRef`, ObjectReferenceTo<Spec> & { from: (spec: Spec) => NamedReference | undefined }>;

export const wireDevices = z.record(
  z.string(),
  z.object({ disk_id: whole().nullish(), volume_id: whole().nullish() }).nullish(),
);

/** Returns the slots of a row that are not empty. */
export function filled(devices: z.output<typeof wireDevices>): JsonObject {
  return Object.fromEntries(
    Object.entries(devices).flatMap(([name, one]): [string, JsonObject][] => {
      if (one?.disk_id) return [[name, { disk_id: one.disk_id }]];
      return one?.volume_id ? [[name, { volume_id: one.volume_id }]] : [];
    }),
  );
}

/** Returns the desired slots that are not empty. */
export function devicesOf(
  wanted: Spec["devices"],
  refs: Record<`devices.${Slot}.diskRef`, Resolved | undefined>,
): JsonObject {
  const filled = slots.flatMap((name): [string, JsonObject][] => {
    const disk = refs[`devices.${name}.diskRef`];
    const volume = wanted[name]?.volumeID;
    if (disk) return [[name, { disk_id: Number(disk.id) }]];
    return volume === undefined ? [] : [[name, { volume_id: volume }]];
  });
  return Object.fromEntries(filled);
}

export function helpersBody(of: NonNullable<Spec["helpers"]>): JsonObject {
  const { devtmpfsAutomount, distro, modulesDep, network, updatedbDisabled } = of;
  return {
    devtmpfs_automount: devtmpfsAutomount,
    distro,
    modules_dep: modulesDep,
    network,
    updatedb_disabled: updatedbDisabled,
  };
}

/** Returns the desired interfaces. Throws `Invalid` if the ComputeInstance sets interfaces, too: interfaces have one owner. */
export function interfacesOf(
  wanted: NetworkInterface[] | undefined,
  instance: Resolved | undefined,
): NetworkInterface[] | undefined {
  if (wanted !== undefined && instance?.spec?.["interfaces"] !== undefined)
    throw new Invalid(
      "spec.interfaces",
      `ComputeInstance ${instance.name} sets the interfaces in its own spec.interfaces. The operator changes nothing. Remove the field from one of the two`,
    );
  return wanted;
}
