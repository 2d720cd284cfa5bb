import type { Entity } from "../server/events.ts";
import type { InstanceRow } from "./tables.ts";

/** How events and firewall devices name an instance. */
export function instanceEntity(instance: Readonly<InstanceRow>): Entity {
  return { id: instance.id, label: instance.label, type: "compute", url: `/v4/compute/instances/${instance.id}` };
}
