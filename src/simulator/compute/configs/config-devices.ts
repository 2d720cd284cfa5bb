import * as z from "zod";
import { invalid } from "../../server/errors.ts";
import type { Context } from "../../server/operation.ts";
import { optional } from "../../server/wire.ts";
import { DISKS, VOLUMES } from "../tables.ts";
import type { ConfigRow, Device } from "../tables.ts";

/** Device slots of a config (part 2 section 2.4). */
export const SLOTS = ["sda", "sdb", "sdc", "sdd", "sde", "sdf", "sdg", "sdh"] as const;

const device = optional(z.object({ disk_id: optional(z.int()), volume_id: optional(z.int()) }));

/** Devices by slot. An omitted slot is empty. */
export const devicesSchema = z.object({
  sda: device,
  sdb: device,
  sdc: device,
  sdd: device,
  sde: device,
  sdf: device,
  sdg: device,
  sdh: device,
});
export type DevicesRequest = z.output<typeof devicesSchema>;

/** Returns the devices to store. Throws 400 if a device does not belong to the instance. */
export function deviceRows(context: Context, instance: number, request: DevicesRequest): ConfigRow["devices"] {
  const rows: Record<string, Device> = {};
  for (const slot of SLOTS) {
    const wanted = request[slot];
    if (!wanted || (wanted.disk_id === undefined && wanted.volume_id === undefined)) continue;
    rows[slot] = deviceRow(context, instance, `devices.${slot}`, wanted);
  }
  return rows;
}

/** Returns all slots. Empty slots are null. */
export function presentConfigDevices(devices: ConfigRow["devices"]): Record<string, Device | null> {
  return Object.fromEntries(SLOTS.map((slot) => [slot, devices[slot] ?? null]));
}

function deviceRow(
  { world, account }: Context,
  instance: number,
  field: string,
  { disk_id, volume_id }: NonNullable<DevicesRequest["sda"]>,
): Device {
  if (disk_id !== undefined && volume_id !== undefined) throw invalid(field, "A slot takes either a disk or a volume");
  if (disk_id !== undefined && world.store.get(DISKS, account, disk_id)?.instance !== instance)
    throw invalid(`${field}.disk_id`, "disk_id is not a disk of this instance");
  if (volume_id !== undefined && world.store.get(VOLUMES, account, volume_id)?.compute_id !== instance)
    throw invalid(`${field}.volume_id`, "volume_id is not a volume of this instance");
  return { disk_id: disk_id ?? null, volume_id: volume_id ?? null };
}
