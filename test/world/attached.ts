/** What an instance has: its disks, and the firewalls that it is attached to. */
import type { JsonObject } from "../../src/api/types.ts";
import { ok, refuse } from "./answers.ts";
import { text } from "./collections.ts";
import type { CloudRow } from "./rows.ts";
import type { Service, ServiceAnswer, ServiceRequest } from "./service.ts";

/** The row shows the size once it is done. */
export function resizeDisk({ clock }: Service, row: CloudRow, body: JsonObject): ServiceAnswer {
  row.next = { at: clock.now() + 5_000, fields: { size: body["size"] ?? 0 } };
  return ok({});
}

/** What a firewall is attached to exists, and is attached once. */
export function refuseDevice(
  { rows }: Service,
  { path, body }: ServiceRequest,
  holder: string,
): ServiceAnswer | undefined {
  const id = text(body["id"]);
  if (!rows.find(holder, "/compute/instances", id)) return refuse(400, `Instance ${id} does not exist`, "id");
  const there = rows.at(holder, path).some(({ fields }) => (fields["entity"] as JsonObject)["id"] === body["id"]);
  return there ? refuse(400, `The firewall is assigned to instance ${id} already`, "id") : undefined;
}

export function deviceFields({ id, type }: JsonObject): JsonObject {
  return { entity: { id: id ?? null, type: type ?? null } };
}

/** An instance that is gone is attached to nothing, and has no addresses. */
export function detachAll({ rows }: Service, { holder, id }: CloudRow, by: number | undefined): void {
  for (const address of rows.at(holder, "/networking/ips"))
    if (text(address.fields["compute_id"]) === id) rows.remove(address, by);
  for (const firewall of rows.at(holder, "/networking/firewalls"))
    for (const device of rows.at(holder, `/networking/firewalls/${firewall.id}/devices`))
      if (text((device.fields["entity"] as JsonObject)["id"]) === id) rows.remove(device, by);
}
