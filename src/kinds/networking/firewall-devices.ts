/** Devices of a firewall: the instances that it protects. Not-shown, section 4. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import { readable, whole } from "../wire.ts";

const instance = z.object({ id: whole().refine((id) => id > 0, "must be above zero"), type: z.literal("compute") });
const instanceDevice = z
  .object({ id: whole(), entity: instance })
  .transform(({ id, entity }) => ({ id: String(id), instanceID: String(entity.id) }));

/** Something else that a firewall may protect, whatever its form. */
const something = z.object({ type: z.string().refine((type) => type !== "" && type !== "compute") });
const otherDevice = z.object({ entity: something });

/** The instances among the devices; other things that a firewall may protect, and what cannot be read, are nobody's here. */
export function instanceDevices(devices: Json | undefined): { id: string; instanceID: string }[] {
  return readable(instanceDevice, candidates(devices));
}

/** What is an instance, or may be one. */
function candidates(devices: Json | undefined): Json[] {
  return Array.isArray(devices) ? devices.filter((device) => !otherDevice.safeParse(device).success) : [];
}

/** Where the devices of a firewall are read. */
export function devicesOf(id: string): { path: string; paged: boolean } {
  return { path: `/networking/firewalls/${id}/devices`, paged: true };
}

type Instances = readonly { id: string }[] | undefined;

/** Devices as a spec says them; those of the cloud where they were read, those of the spec where it gives any. */
export function devicesInWords(wanted: Instances, current: Json | undefined): { cloud: JsonObject; spec: JsonObject } {
  const found = current === undefined ? undefined : instanceDevices(current).map(({ instanceID }) => instanceID);
  return { cloud: inWords(found), spec: inWords(wanted?.map(({ id }) => id)) };
}

function inWords(ids: string[] | undefined): JsonObject {
  return ids ? { instanceRefs: [...new Set(ids)].sort().map((id) => ({ id })) } : {};
}

/**
 * What brings the devices to the instances wanted; nothing where the spec gives none. Attach before detach, so that a change
 * never leaves an instance open that is protected before and after.
 */
export function deviceCalls(path: string, instances: Instances, current: Json | undefined): Call[] {
  if (!instances) return [];
  const wanted = instances.map(({ id }) => id);
  const there = instanceDevices(current);
  const missing = [...new Set(wanted)].filter((id) => !there.some(({ instanceID }) => instanceID === id));
  // What cannot be read may be the very instance that is missed.
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
    })),
    ...surplus.map(({ id, instanceID }): Call => ({
      method: "DELETE",
      path: `${path}/${id}`,
      gives: instanceID,
      action: "DetachFirewall",
      note: `instance ${instanceID} detached`,
    })),
  ];
}
