/** Devices of a firewall: the protected instances. Not-shown, section 4. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import { readable, whole } from "../wire.ts";

const instance = z.object({ id: whole().refine((id) => id > 0, "must be above zero"), type: z.literal("compute") });
const instanceDevice = z
  .object({ id: whole(), entity: instance })
  .transform(({ id, entity }) => ({ id: String(id), instanceID: String(entity.id) }));

/** A device that is not an instance, in any form. */
const something = z.object({ type: z.string().refine((type) => type !== "" && type !== "compute") });
const otherDevice = z.object({ entity: something });

/** Returns the instances among the devices. Ignores devices of a different type, and unreadable devices. */
export function instanceDevices(devices: Json | undefined): { id: string; instanceID: string }[] {
  return readable(instanceDevice, candidates(devices));
}

/** Returns the devices that are instances, or that can be instances in an unknown form. */
function candidates(devices: Json | undefined): Json[] {
  return Array.isArray(devices) ? devices.filter((device) => !otherDevice.safeParse(device).success) : [];
}

/** Returns the path of the device list. */
export function devicesOf(id: string): { path: string; paged: boolean } {
  return { path: `/networking/firewalls/${id}/devices`, paged: true };
}

type Instances = readonly { id: string }[] | undefined;

/** Returns the devices in the form of a spec. A side is empty if its list is unknown: not read, or absent from the spec. */
export function devicesInWords(wanted: Instances, current: Json | undefined): { cloud: JsonObject; spec: JsonObject } {
  const found = current === undefined ? undefined : instanceDevices(current).map(({ instanceID }) => instanceID);
  return { cloud: inWords(found), spec: inWords(wanted?.map(({ id }) => id)) };
}

function inWords(ids: string[] | undefined): JsonObject {
  return ids ? { instanceRefs: [...new Set(ids)].sort().map((id) => ({ id })) } : {};
}

/**
 * Returns the requests that attach the missing instances to the firewall, and detach the instances that the spec does not list.
 * Returns no request if the spec has no list.
 */
export function deviceCalls(path: string, instances: Instances, current: Json | undefined): Call[] {
  if (!instances) return [];
  const wanted = instances.map(({ id }) => id);
  const there = instanceDevices(current);
  const missing = [...new Set(wanted)].filter((id) => !there.some(({ instanceID }) => instanceID === id));
  // An unreadable device can be the missing instance, so an unreadable device is an error here.
  if (missing.length > 0) for (const device of candidates(current)) instanceDevice.parse(device);
  const surplus = there.filter(({ instanceID }) => !wanted.includes(instanceID));
  return [
    ...missing.map((id): Call => ({
      method: "POST",
      path,
      body: { id: Number(id), type: "compute" },
      takes: id,
      action: "AttachFirewall",
      note: `instance ${id} attached`,
      changes: [{ field: "instanceRefs", observed: [], desired: [{ id }] }],
    })),
    ...surplus.map(({ id, instanceID }): Call => ({
      method: "DELETE",
      path: `${path}/${id}`,
      gives: instanceID,
      action: "DetachFirewall",
      note: `instance ${instanceID} detached`,
      changes: [{ field: "instanceRefs", observed: [{ id: instanceID }], desired: [] }],
    })),
  ];
}
