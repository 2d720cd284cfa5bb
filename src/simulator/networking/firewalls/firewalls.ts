/*
 * Serves firewalls, rules, and the assignment to instances.
 * Guarantees: all rules are checked before an update replaces the stored rules.
 * Imports the areas that networking may import.
 */
import * as z from "zod";
import { INSTANCES } from "../../compute/tables.ts";
import { grantToCreator, permits } from "../../server/auth/auth.ts";
import { ApiError, invalid } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import { tableList } from "../../server/lists/table-list.ts";
import { operation, rowOf } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import { optional, strictLabel, tagList } from "../../server/wire.ts";
import { useTags } from "../../tags/use-tags.ts";
import { assignFirewall, assignmentFault, enablingFault, firewallEntity, presentFirewall } from "./assignment.ts";
import { newRulesSchema } from "./rule-schema.ts";
import { FIREWALLS, FIREWALL_DEVICES } from "./tables.ts";
import type { FirewallRow } from "./tables.ts";

const path = "/networking/firewalls";
const one = `${path}/{firewallId}`;
const label = strictLabel(3, 32);

export const FIREWALL_FILTERABLE = ["id", "label", "created", "updated", "tags"];

const createBody = z.object({
  devices: optional(z.object({ computes: optional(z.array(z.int())) })),
  label,
  rules: newRulesSchema,
  tags: optional(tagList),
});

const updateBody = z.object({
  label: optional(label),
  status: optional(z.enum(["enabled", "disabled"])),
  tags: optional(tagList),
});

/** Serves firewalls: list, create, view, change, delete (part 3 section 4.2, not-shown section 4). */
export const firewallOperations = [
  operation({
    method: "GET",
    path,
    summary: "List firewalls",
    scopes: ["firewall:read_only"],
    paged: { filterable: FIREWALL_FILTERABLE },
    handler(context) {
      const { world, account } = context;
      const present = (row: FirewallRow) => presentFirewall(world, account, row);
      return tableList(context, FIREWALLS, present, { category: "firewall" });
    },
  }),
  operation({
    method: "POST",
    path,
    summary: "Create a firewall and assign it to instances",
    scopes: ["firewall:read_write"],
    grant: "add_firewalls",
    body: createBody,
    handler(context) {
      const { world, account, body, caller, now } = context;
      requireFreeLabel(context, body.label);
      const tags = useTags(context, body.tags ?? []);
      const times = { created: now, updated: now };
      const id = world.store.nextId("firewall");
      const row: FirewallRow = { id, label: body.label, status: "enabled", tags, rules: body.rules, ...times };
      world.store.put(FIREWALLS, account, row);
      for (const instance of new Set(body.devices?.computes)) {
        requireAssignable(context, row, instance, "devices.computes");
        assignFirewall(world, account, row, instance);
      }
      grantToCreator(context, "firewall", id);
      recordEvent(world, account, { action: "firewall_create", entity: firewallEntity(row), caller });
      return presentFirewall(world, account, row);
    },
  }),
  operation({
    method: "GET",
    path: one,
    summary: "View a firewall",
    scopes: ["firewall:read_only"],
    entity: { category: "firewall", param: "firewallId", permission: "read_only" },
    handler: (context) => presentFirewall(context.world, context.account, firewallOf(context)),
  }),
  operation({
    method: "PUT",
    path: one,
    summary: "Change a firewall's label, tags or status",
    scopes: ["firewall:read_write"],
    entity: { category: "firewall", param: "firewallId", permission: "read_write" },
    body: updateBody,
    handler(context) {
      const { world, account, body, now } = context;
      const before = firewallOf(context);
      if (body.label !== undefined && body.label !== before.label) requireFreeLabel(context, body.label);
      const fault = body.status === "enabled" ? enablingFault(world, account, before) : undefined;
      if (fault !== undefined) throw invalid("status", fault);
      const changed = world.store.put(FIREWALLS, account, {
        ...before,
        label: body.label ?? before.label,
        status: body.status ?? before.status,
        tags: body.tags ? useTags(context, body.tags, before.tags) : before.tags,
        updated: now,
      });
      tellUpdate(context, before, changed);
      return presentFirewall(world, account, changed);
    },
  }),
  operation({
    method: "DELETE",
    path: one,
    summary: "Delete a firewall with its devices",
    scopes: ["firewall:read_write"],
    entity: { category: "firewall", param: "firewallId", permission: "read_write" },
    handler(context) {
      const { world, account, caller } = context;
      const row = firewallOf(context);
      for (const device of world.store.children(FIREWALL_DEVICES, account, row.id))
        world.store.remove(FIREWALL_DEVICES, account, device.id);
      world.store.remove(FIREWALLS, account, row.id);
      recordEvent(world, account, { action: "firewall_delete", entity: firewallEntity(row), caller });
      return {};
    },
  }),
];

/** Returns the firewall in the path. Throws 404. */
export function firewallOf(context: Context): Readonly<FirewallRow> {
  return rowOf(context, FIREWALLS, context.params["firewallId"]);
}

/** Throws 400 if the instance cannot have the firewall, and 403 if the caller may not change the instance. */
export function requireAssignable(context: Context, firewall: FirewallRow, instance: number, field: string): void {
  const { world, account, caller } = context;
  const isVisible = permits(caller, "compute", instance, "read_only");
  if (!world.store.get(INSTANCES, account, instance) || !isVisible)
    throw invalid(field, `There is no instance ${instance}`);
  if (!permits(caller, "compute", instance, "read_write"))
    throw new ApiError(403, [{ field, reason: `Unauthorized: read_write access to instance ${instance} is needed` }]);
  const fault = assignmentFault(world, account, firewall, instance);
  if (fault !== undefined) throw invalid(field, fault);
}

function requireFreeLabel({ world, account }: Context, wanted: string): void {
  const isTaken = world.store.find(FIREWALLS, account, "label", wanted).some((row) => row.label === wanted);
  if (isTaken) throw invalid("label", "Label must be unique");
}

/** Records a separate event for a new status, and an update event for other changes. */
function tellUpdate({ world, account, caller }: Context, before: FirewallRow, after: FirewallRow): void {
  const moved = before.status !== after.status;
  const rest = before.label !== after.label || before.tags.join() !== after.tags.join();
  const entity = firewallEntity(after);
  if (rest || !moved) recordEvent(world, account, { action: "firewall_update", entity, caller });
  if (moved) {
    const action = after.status === "enabled" ? "firewall_enable" : "firewall_disable";
    recordEvent(world, account, { action, entity, caller });
  }
}
