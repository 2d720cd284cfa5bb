/*
 * Serves instances with addresses, firewalls and attachments.
 * Guarantees: a request is checked completely before the first write.
 * Imports the areas that compute may import.
 */
import * as z from "zod";
import { ADDRESSES } from "../../networking/addresses/tables.ts";
import { withdrawShares } from "../../networking/release.ts";
import { refused } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import { tableList } from "../../server/lists/table-list.ts";
import { operation, rowOf } from "../../server/operation.ts";
import { given, optional, strictLabel, tagList } from "../../server/wire.ts";
import { useTags } from "../../tags/use-tags.ts";
import { abandonAction, startInstanceAction } from "../actions/instance-action.ts";
import { DELETE } from "../actions/lifecycle.ts";
import { BACKUP_DAYS, BACKUP_WINDOWS, SCHEDULING, scheduleBackups } from "../backups/backup-schedule.ts";
import { RECEIVE_CLONE } from "../backups/restoration.ts";
import { instanceEntity } from "../instance-entity.ts";
import { INSTANCES } from "../tables.ts";
import type { InstanceRow } from "../tables.ts";
import { maintenancePolicy } from "./maintenance-policy.ts";
import { requireFreeLabel } from "./new-instance.ts";
import { presentInstance } from "./present-instance.ts";

const path = "/compute/instances";
const one = `${path}/{computeId}`;
const threshold = optional(z.int().min(0, "Must not be negative"));
const day = z.enum([SCHEDULING, ...BACKUP_DAYS]);
const window = z.enum([SCHEDULING, ...BACKUP_WINDOWS]);

const updateBody = z.object({
  alerts: optional(
    z.object({
      cpu: threshold,
      io: threshold,
      network_in: threshold,
      network_out: threshold,
      transfer_quota: threshold,
    }),
  ),
  backups: optional(z.object({ schedule: optional(z.object({ day: optional(day), window: optional(window) })) })),
  group: optional(z.string()),
  label: optional(strictLabel(3, 64)),
  maintenance_policy: maintenancePolicy,
  tags: optional(tagList),
  watchdog_enabled: optional(z.boolean()),
});

/** Serves instances: list, create, view, change, delete (part 2 section 4.1). */
export const instanceOperations = [
  operation({
    method: "GET",
    path,
    summary: "List instances",
    scopes: ["compute:read_only"],
    paged: { filterable: ["id", "label", "region", "group", "tags", "ipv4", "image"] },
    handler(context) {
      const { world, account } = context;
      const ipv4 = (address: unknown) => {
        const { instance } = world.store.get(ADDRESSES, account, String(address)) ?? {};
        return [world.store.get(INSTANCES, account, instance ?? 0)].filter((row) => row !== undefined);
      };
      const present = (row: InstanceRow) => presentInstance(world, account, row);
      return tableList(context, INSTANCES, present, { category: "compute", found: { ipv4 } });
    },
  }),
  operation({
    method: "GET",
    path: one,
    summary: "View an instance",
    scopes: ["compute:read_only"],
    entity: { category: "compute", param: "computeId", permission: "read_only" },
    handler: (context) =>
      presentInstance(context.world, context.account, rowOf(context, INSTANCES, context.params["computeId"])),
  }),
  operation({
    method: "PUT",
    path: one,
    summary: "Change an instance",
    scopes: ["compute:read_write"],
    entity: { category: "compute", param: "computeId", permission: "read_write" },
    body: updateBody,
    handler(context) {
      const { world, account, body, now } = context;
      const row = rowOf(context, INSTANCES, context.params["computeId"]);
      requireFreeLabel(context, body.label, row.id);
      const schedule = body.backups?.schedule;
      const scheduled = schedule ? scheduleBackups(world, account, row, { ...row.backups, ...given(schedule) }) : row;
      const changed = world.store.put(INSTANCES, account, {
        ...scheduled,
        alerts: { ...row.alerts, ...given(body.alerts ?? {}) },
        group: body.group ?? row.group,
        label: body.label ?? row.label,
        maintenance_policy: body.maintenance_policy ?? row.maintenance_policy ?? "compute/migrate",
        tags: body.tags ? useTags(context, body.tags, row.tags) : row.tags,
        watchdog_enabled: body.watchdog_enabled ?? row.watchdog_enabled,
        updated: now,
      });
      recordEvent(world, account, {
        action: "compute_update",
        entity: instanceEntity(changed),
        caller: context.caller,
      });
      return presentInstance(world, account, changed);
    },
  }),
  operation({
    method: "DELETE",
    path: one,
    summary: "Delete an instance with its disks, configs, backups and addresses",
    scopes: ["compute:read_write"],
    entity: { category: "compute", param: "computeId", permission: "read_write" },
    handler(context) {
      const { world, account, caller } = context;
      const row = rowOf(context, INSTANCES, context.params["computeId"]);
      const receives = row.job?.name === RECEIVE_CLONE.name;
      if (row.status === "cloning" || row.status === "restoring" || receives)
        throw refused(`The instance is ${receives ? "cloning" : row.status}`);
      if (row.status === "deleting") return {};
      withdrawShares(world, account, row.id);
      startInstanceAction(world, account, abandonAction(world, account, row), DELETE, { caller });
      return {};
    },
  }),
];
