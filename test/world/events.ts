/** The events of the account: part 1, section on the account. */
import { text } from "./collections.ts";
import type { CollectionRule } from "./collections.ts";
import { paged } from "./answers.ts";
import type { CloudRow } from "./rows.ts";
import type { Service, ServiceAnswer, ServiceRequest } from "./service.ts";

/** Tells of what was done to a row. */
export function note(
  service: Service,
  { user }: Pick<ServiceRequest, "user">,
  { entity }: CollectionRule,
  row: CloudRow,
  what: string,
): void {
  if (entity === undefined) return;
  const { id = 0, label = "" } = row.fields;
  service.events.push({
    id: service.events.length + 1,
    action: `${entity}_${what}`,
    status: "finished",
    created: service.clock.date().toISOString().slice(0, 19),
    entity: { id, type: entity, label, url: `/v4${row.path}/${row.id}` },
    secondary_entity: null,
    username: user.username,
    account: user.account,
  });
}

/** It has finished when its time has come, unless the row is gone by then. */
export function noteAction(
  service: Service,
  request: ServiceRequest,
  row: CloudRow,
  { rule, name, ms, event: called }: { rule: CollectionRule; name: string; ms: number; event?: string | undefined },
): void {
  // A rescue is told of as a boot.
  note(service, request, rule, row, name === "rescue" ? "boot" : name);
  const event = service.events.at(-1) ?? {};
  Object.assign(event, { ...(called && { action: called }), status: "started", percent_complete: 40 });
  service.clock.schedule(ms, () => {
    Object.assign(event, row.removed ? { status: "failed" } : { status: "finished", percent_complete: 100 });
  });
}

/** The events of the account of the caller that the filter asks for. */
export function listEvents({ events }: Service, { user, filter, query }: ServiceRequest): ServiceAnswer {
  const { id, created } = filter as { id?: { "+gt"?: number }; created?: { "+gte"?: string } };
  const seen = events.filter(
    (event) =>
      event["account"] === user.account &&
      Number(event["id"]) > (id?.["+gt"] ?? 0) &&
      text(event["created"]) >= (created?.["+gte"] ?? ""),
  );
  return paged(seen, query);
}
