import * as z from "zod";
import { requireFunds } from "../../account/funds.ts";
import { regionNamed, requireSold } from "../../catalog/offers.ts";
import { findImage } from "../../images/images.ts";
import { permits } from "../../server/auth/auth.ts";
import { forbidden, invalid } from "../../server/errors.ts";
import type { Context } from "../../server/operation.ts";
import type { Table } from "../../server/store/store.ts";
import { given, optional, strictLabel } from "../../server/wire.ts";
import { requireIdle, startInstanceAction } from "../actions/instance-action.ts";
import { CLONE, RECEIVE_CLONE, copyOnto } from "../backups/restoration.ts";
import { typeNamed } from "../catalogs/compute-types.ts";
import { instanceEntity } from "../instance-entity.ts";
import { instanceOperation } from "../instance-operation.ts";
import { CONFIGS, DISKS, INSTANCES } from "../tables.ts";
import type { ConfigRow, DiskRow, InstanceRow } from "../tables.ts";
import { allocated, requireVlansKept } from "./conditions.ts";
import { checkUserData, metadataSchema } from "./deployment.ts";
import { INSTANCE_CREATIONS, openInstance } from "./new-instance.ts";
import { presentInstance } from "./present-instance.ts";

const cloneBody = z.object({
  backups_enabled: optional(z.boolean()),
  compute_id: optional(z.int()),
  configs: optional(z.array(z.int())),
  disks: optional(z.array(z.int())),
  group: optional(z.string()),
  label: optional(strictLabel(3, 64)),
  metadata: metadataSchema,
  private_ip: optional(z.boolean()),
  region: optional(z.string()),
  type: optional(z.string()),
});
type Request = Context<z.output<typeof cloneBody>>;

/**
 * Copies disks and configs of an instance to an existing instance, or to a new instance, which stays off (not-shown section 3).
 */
export const cloneOperations = [
  instanceOperation({
    method: "POST",
    path: "/clone",
    summary: "Clone an instance",
    limit: INSTANCE_CREATIONS,
    body: cloneBody,
    handler(context: Request, source) {
      const { world, account, caller, body } = context;
      requireIdle(world, account, source);
      const configs = chosen(context, source, CONFIGS, "configs");
      const disks = disksToCopy(context, source, configs);
      const isNew = body.compute_id === undefined;
      const target = isNew ? newTarget(context, source) : existingTarget(context, source, body.compute_id);
      const type = typeNamed(world, target.type);
      const room = type.disk - allocated(world, account, target.id);
      const place = { instance: target, room, field: isNew ? "type" : "compute_id", status: "not ready" } as const;
      copyOnto(world, account, { disks, configs }, place);

      const secondary = instanceEntity(target);
      startInstanceAction(world, account, source, CLONE, { caller, secondary, payload: { after: source.status } });
      const copied = startInstanceAction(world, account, target, RECEIVE_CLONE, { payload: { after: target.status } });
      return presentInstance(world, account, copied);
    },
  }),
];

/** Returns the requested disks and the disks of the requested configs, because a config cannot boot without its disks. */
function disksToCopy(
  context: Request,
  source: Readonly<InstanceRow>,
  configs: readonly Readonly<ConfigRow>[],
): readonly Readonly<DiskRow>[] {
  const wanted = chosen(context, source, DISKS, "disks");
  const named = new Set(configs.flatMap(({ devices }) => Object.values(devices).map((device) => device?.disk_id)));
  const all = context.world.store.children(DISKS, context.account, source.id);
  return all.filter((disk) => wanted.includes(disk) || named.has(disk.id));
}

/** Returns the disks or configs that the body names. Defaults to all of the source. */
function chosen<Row extends { id: number }>(
  { world, account, body }: Request,
  source: Readonly<InstanceRow>,
  table: Table<Row>,
  field: "disks" | "configs",
): readonly Readonly<Row>[] {
  const rows = world.store.children(table, account, source.id);
  const wanted = body[field];
  if (!wanted) return rows;
  const foreign = wanted.findIndex((id) => !rows.some((row) => row.id === id));
  if (foreign >= 0) throw invalid(`${field}.${foreign}`, "Not of this instance");
  return rows.filter((row) => wanted.includes(row.id));
}

function newTarget(context: Request, source: Readonly<InstanceRow>): InstanceRow {
  const { world, account, body, caller } = context;
  if (caller.user.restricted && !caller.user.grants.global.add_computes)
    throw forbidden("Unauthorized: the grant add_computes is needed");
  requireFunds(context);
  const region = regionNamed(world, body.region ?? source.region);
  const type = typeNamed(world, body.type ?? source.type);
  requireSold(world, region, type);
  requireVlansKept(world, account, source.id, region);
  const user_data = body.metadata?.user_data ?? null;
  if (user_data !== null) checkUserData(findImage(context, source.image ?? ""), region);
  return openInstance(context, {
    ...given({ label: body.label, group: body.group }),
    region: region.id,
    type,
    image: source.image,
    root_pass: source.root_pass,
    user_data,
    privateAddress: body.private_ip,
    backups: body.backups_enabled,
  });
}

function existingTarget(
  { world, account, caller }: Request,
  source: Readonly<InstanceRow>,
  id: number | undefined,
): Readonly<InstanceRow> {
  const target = id === undefined ? undefined : world.store.get(INSTANCES, account, id);
  if (!target || !permits(caller, "compute", target.id, "read_write"))
    throw invalid("compute_id", "compute_id is not valid");
  if (target.id === source.id) throw invalid("compute_id", "An instance is not cloned to itself");
  requireIdle(world, account, target);
  requireVlansKept(world, account, source.id, regionNamed(world, target.region));
  return target;
}
