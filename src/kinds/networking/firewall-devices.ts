/** Devices of a firewall: the instances that it protects. Not-shown, section 4. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import { whole } from "../wire.ts";

const wireDevice = z.object({ id: whole(), entity: z.object({ id: whole(), type: z.string() }) });

/** The instances among the devices; other things that a firewall may protect, and what cannot be read, are nobody's here. */
export function instanceDevices(devices: Json | undefined): { id: string; instanceID: string }[] {
  return (Array.isArray(devices) ? devices : [])
    .flatMap((device) => wireDevice.safeParse(device).data ?? [])
    .filter(({ entity }) => entity.type === "compute")
    .map(({ id, entity }) => ({ id: String(id), instanceID: String(entity.id) }));
}

/** Attach before detach, so that a change never leaves an instance open that is protected before and after. */
export function deviceCalls(path: string, wanted: string[], current: Json | undefined): Call[] {
  const there = instanceDevices(current);
  const missing = [...new Set(wanted)].filter((id) => !there.some(({ instanceID }) => instanceID === id));
  const surplus = there.filter(({ instanceID }) => !wanted.includes(instanceID));
  return [
    ...missing.map((id): Call => ({
      method: "POST",
      path,
      body: { id: Number(id), type: "compute" },
      action: "AttachFirewall",
      note: `instance ${id} attached`,
    })),
    ...surplus.map(({ id, instanceID }): Call => ({
      method: "DELETE",
      path: `${path}/${id}`,
      action: "DetachFirewall",
      note: `instance ${instanceID} detached`,
    })),
  ];
}
