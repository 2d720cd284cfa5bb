/** What is read of an instance, and what is reported of it. Part 2, sections 2.1, 2.3 and 2.8. */
import * as z from "zod";
import { bootedStatus } from "./restart.ts";
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

/** What runs once on an instance acts on a row of this list. */
export const onInstance = {
  wire: instanceWire,
  at: () => "/compute/instances",
  eventEntity: "compute",
};

const short = z.string().max(64);
const attachment = { id: z.string().max(32).describe("Identifier in the API."), label: short.describe("Its label.") };

export const instanceStatus = z.object({
  ...bootedStatus,
  state: short.describe("State in the API's words, such as running or offline.").optional(),
  region: short.describe("Region where it is.").optional(),
  type: short.describe("Type that it has.").optional(),
  image: optionalText(128, "Image that it was deployed from."),
  ipv4: z.array(short).max(256).meta({ listType: "atomic" }).describe("IPv4 addresses, public and private.").optional(),
  ipv6: short.describe("IPv6 address, with its prefix length.").optional(),
  specs: z
    .object({
      vcpus: z.int().describe("Virtual CPUs."),
      memoryMB: z.int().describe("Memory in MB."),
      diskMB: z.int().describe("Disk space in MB."),
      transferGB: z.int().describe("Network transfer of a month, in GB."),
      gpus: z.int().describe("GPUs."),
    })
    .describe("What the type gives it.")
    .optional(),
  backups: z
    .object({
      enabled: z.boolean().describe("Whether backups are made."),
      available: z.boolean().describe("Whether there is one to restore.").optional(),
      day: short.describe("Day of the weekly backup; Scheduling while the cloud chooses.").optional(),
      window: short.describe("Hours in which they are made; Scheduling while the cloud chooses.").optional(),
    })
    .describe("Backups.")
    .optional(),
  rootPasswordSecretName: optionalText(
    253,
    "Name of the Secret with the root password that an image is deployed with.",
  ),
  hostUUID: short.describe("The machine that it runs on.").optional(),
  volumes: z
    .array(
      z.object({
        ...attachment,
        sizeGB: z.int().describe("Size in GB."),
        filesystemPath: optionalText(253, "Where the instance sees it."),
      }),
    )
    .max(256)
    .meta({ listType: "atomic" })
    .describe("Attached volumes, with spec.reportAttachments.")
    .optional(),
  nodeBalancers: z
    .array(z.object({ ...attachment, hostname: optionalText(253, "Its host name.") }))
    .max(256)
    .meta({ listType: "atomic" })
    .describe("NodeBalancers that send it traffic, with spec.reportAttachments.")
    .optional(),
  created: optionalTime("When it was created."),
});

type Report = z.input<typeof instanceStatus>;

/** The part of the status that follows from the row. */
export function reportRow(row: InstanceRow): Report {
  return {
    state: row.status,
    region: row.region,
    type: row.type,
    image: row.image || undefined,
    ipv4: row.ipv4 ?? [],
    ipv6: row.ipv6 || undefined,
    specs: row.specs ? reportSpecs(row.specs) : undefined,
    backups: row.backups ? reportBackups(row.backups) : undefined,
    hostUUID: row.host_uuid || undefined,
    created: rfc3339(row.created),
  };
}

function reportSpecs({ vcpus, memory, disk, transfer, gpus }: NonNullable<InstanceRow["specs"]>): Report["specs"] {
  // What the cloud API does not return is none that a reader could count on.
  return { vcpus: vcpus ?? 0, memoryMB: memory ?? 0, diskMB: disk ?? 0, transferGB: transfer ?? 0, gpus: gpus ?? 0 };
}

function reportBackups({ enabled, available, schedule }: NonNullable<InstanceRow["backups"]>): Report["backups"] {
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

/** The part that follows from the lists of what is attached, where they were read. */
export function reportAttachments({ volumes, nodeBalancers }: Record<string, Json | undefined>): Report {
  return {
    ...(volumes && { volumes: readable(volume, volumes) }),
    ...(nodeBalancers && { nodeBalancers: readable(nodeBalancer, nodeBalancers) }),
  };
}
