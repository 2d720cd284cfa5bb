import type { Entity } from "../server/events.ts";
import type { ConfigRow, InstanceRow } from "./tables.ts";

/** Returns the instance as an entity of events and firewall devices. */
export function instanceEntity(instance: Readonly<InstanceRow>): Entity {
  return { id: instance.id, label: instance.label, type: "compute", url: `/v4/compute/instances/${instance.id}` };
}

/** Returns the config as an entity of events. */
export function configEntity({ id, label, instance }: Readonly<ConfigRow>): Entity {
  return { id, label, type: "compute_config", url: `/v4/compute/instances/${instance}/configs/${id}` };
}
