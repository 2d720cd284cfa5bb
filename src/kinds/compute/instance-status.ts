/** Row of an instance, and the status of a ComputeInstance. Part 2, sections 2.1, 2.3 and 2.8. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { readable, whole } from "../wire.ts";
import { optionalText } from "../text.ts";

const text = z.string().nullish();
const flag = z.boolean().nullish();
const figure = whole().nullish();

export const instanceWire = z.object({
  id: whole(),
  label: z.string(),
  region: z.string(),
  type: z.string(),
  image: text,
  status: z.string(),
  ipv4: z.array(z.string()).nullish(),
  ipv6: text,
  specs: z.object({ vcpus: figure, memory: figure, disk: figure, transfer: figure, gpus: figure }).nullish(),
  alerts: z
    .object({ cpu: figure, io: figure, network_in: figure, network_out: figure, transfer_quota: figure })
    .nullish(),
  backups: z
    .object({ enabled: flag, available: flag, schedule: z.object({ day: text, window: text }).nullish() })
    .nullish(),
  watchdog_enabled: flag,
  tags: z.array(z.string()).nullish(),
  host_uuid: text,
  created: text,
});

export type InstanceRow = z.output<typeof instanceWire>;

/** Common properties of kinds that run once on an instance. */
export const onInstance = {
  wire: instanceWire,
  listPath: () => "/compute/instances",
  eventEntity: "compute",
};

const short = z.string().max(64);
const attachment = {
  id: z.string().max(32).describe("Identifier in the API."),
  label: short.describe("Label in the API."),
};

export const instanceStatus = z.object({
  state: short.describe("State in the API's words, such as running or offline.").optional(),
  region: short.describe("Current region.").optional(),
  type: short.describe("Current type.").optional(),
  image: optionalText(128, "Deployed image."),
  ipv4: z.array(short).max(256).meta({ listType: "atomic" }).describe("IPv4 addresses, public and private.").optional(),
  ipv6: short.describe("IPv6 address with prefix length.").optional(),
  specs: z
    .object({
      vcpus: z.int().describe("Virtual CPUs."),
      memoryMB: z.int().describe("RAM of the type."),
      diskMB: z.int().describe("Disk space in MB."),
      transferGB: z.int().describe("Monthly network transfer in GB."),
      gpus: z.int().describe("Number of GPUs."),
    })
    .describe("Resources of the type.")
    .optional(),
  currentBackups: z
    .object({
      enabled: z.boolean().describe("Whether the cloud makes backups."),
      available: z.boolean().describe("Whether a backup is available for a restore.").optional(),
      day: short.describe("Day of the weekly backup. Scheduling while the cloud chooses a day.").optional(),
      window: short.describe("Two-hour window of the backups. Scheduling while the cloud chooses a window.").optional(),
    })
    .describe("Backup settings in the cloud.")
    .optional(),
  rootPasswordSecretName: optionalText(253, "Name of the Secret with the root password for a deployed image."),
  hostUUID: short.describe("Physical host of the instance.").optional(),
  volumes: z
    .array(
      z.object({
        ...attachment,
        sizeGB: z.int().describe("Capacity of the volume."),
        filesystemPath: optionalText(253, "Device path in the instance."),
      }),
    )
    .max(256)
    .meta({ listType: "atomic" })
    .describe("Attached volumes. Present with spec.reportAttachments.")
    .optional(),
  nodeBalancers: z
    .array(z.object({ ...attachment, hostname: optionalText(253, "Host name of the NodeBalancer.") }))
    .max(256)
    .meta({ listType: "atomic" })
    .describe("NodeBalancers that send traffic to the instance. Present with spec.reportAttachments.")
    .optional(),
  created: optionalTime("Creation time in the cloud."),
});

type Report = z.input<typeof instanceStatus>;

/** Returns the status fields from the row. */
export function reportRow(row: InstanceRow): Report {
  return {
    state: row.status,
    region: row.region,
    type: row.type,
    image: row.image || undefined,
    ipv4: row.ipv4 ?? [],
    ipv6: row.ipv6 || undefined,
    specs: row.specs ? reportSpecs(row.specs) : undefined,
    currentBackups: row.backups ? reportBackups(row.backups) : undefined,
    hostUUID: row.host_uuid || undefined,
    created: rfc3339(row.created),
  };
}

function reportSpecs({ vcpus, memory, disk, transfer, gpus }: NonNullable<InstanceRow["specs"]>): Report["specs"] {
  // If the cloud API omits a figure, the status shows 0.
  return { vcpus: vcpus ?? 0, memoryMB: memory ?? 0, diskMB: disk ?? 0, transferGB: transfer ?? 0, gpus: gpus ?? 0 };
}

function reportBackups({
  enabled,
  available,
  schedule,
}: NonNullable<InstanceRow["backups"]>): Report["currentBackups"] {
  const { day, window } = schedule ?? {};
  return {
    enabled: enabled ?? false,
    available: available ?? undefined,
    day: day || undefined,
    window: window || undefined,
  };
}

const optional = text.transform((value) => value ?? undefined);
const attached = { id: whole().transform(String), label: text.transform((label) => label ?? "") };
const nodeBalancer = z.object({ ...attached, hostname: optional });
const volume = z
  .object({ ...attached, size: whole(), filesystem_path: optional })
  .transform(({ size: sizeGB, filesystem_path: filesystemPath, ...shown }) => ({ ...shown, sizeGB, filesystemPath }));

/** Returns the status fields from the lists of attached objects, if the operator read the lists. */
export function reportAttachments({ volumes, nodeBalancers }: Record<string, Json | undefined>): Report {
  return {
    ...(volumes && { volumes: readable(volume, volumes) }),
    ...(nodeBalancers && { nodeBalancers: readable(nodeBalancer, nodeBalancers) }),
  };
}
