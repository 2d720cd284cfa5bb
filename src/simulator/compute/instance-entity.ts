import type { Entity } from "../server/events.ts";
import type { ConfigRow, InstanceRow } from "./tables.ts";

/** How events and firewall devices name an instance. */
export function instanceEntity(instance: Readonly<InstanceRow>): Entity {
  return { id: instance.id, label: instance.label, type: "compute", url: `/v4/compute/instances/${instance.id}` };
}

/** How events name a config. */
export function configEntity({ id, label, instance }: Readonly<ConfigRow>): Entity {
  return { id, label, type: "compute_config", url: `/v4/compute/instances/${instance}/configs/${id}` };
}
