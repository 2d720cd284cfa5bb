import { allocatePrivate, allocatePublic, allocateSlaac } from "../../networking/addresses/allocation.ts";
import { ADDRESSES } from "../../networking/addresses/tables.ts";
import type { AddressRow } from "../../networking/addresses/tables.ts";
import { grantToCreator } from "../../server/auth/auth.ts";
import { invalid } from "../../server/errors.ts";
import type { Context } from "../../server/operation.ts";
import type { Limit } from "../../server/rate-limits.ts";
import { uuidOf } from "../../server/uuid.ts";
import { enableBackups } from "../backups/backup-schedule.ts";
import type { ComputeTypeRow } from "../catalogs/tables.ts";
import { INSTANCES } from "../tables.ts";
import type { InstanceRow } from "../tables.ts";

/** Create and clone share one limit (not-shown section 9). */
export const INSTANCE_CREATIONS: Limit = { bucket: "instance create", requests: 10, seconds: 30, raised: 20 };

/** The requested fields of a new instance. Omitted fields have default values. */
export interface Order extends Partial<Pick<InstanceRow, "group" | "image" | "root_pass" | "tags" | "user_data">> {
  readonly label?: string | undefined;
  readonly region: string;
  readonly type: ComputeTypeRow;
  readonly maintenance_policy?: InstanceRow["maintenance_policy"] | undefined;
  readonly privateAddress?: boolean | undefined;
  /** A reserved address that no instance has. Defaults to a new address. */
  readonly reserved?: Readonly<AddressRow> | undefined;
  readonly backups?: boolean | undefined;
}

/** Throws 400 if another instance of the account has the label (not-shown section 9). */
export function requireFreeLabel({ world, account }: Context, label: string | undefined, own?: number): void {
  if (label === undefined) return;
  const taken = world.store.find(INSTANCES, account, "label", label);
  if (taken.some((row) => row.label === label && row.id !== own)) throw invalid("label", "Label must be unique");
}

/** Stores an instance with addresses, off and without disks. Grants access to the user who creates it. */
export function openInstance(context: Context, order: Order): InstanceRow {
  const { world, account, now } = context;
  const { label, region, type, maintenance_policy, privateAddress, reserved, backups, ...fields } = order;
  requireFreeLabel(context, label);
  const id = world.store.nextId("instance", 1001);
  const instance = world.store.put(INSTANCES, account, {
    group: "",
    image: null,
    root_pass: null,
    tags: [],
    user_data: null,
    maintenance_policy: maintenance_policy ?? "compute/migrate",
    ...fields,
    id,
    label: label ?? `${world.brand.word}${id}`,
    region,
    type: type.id,
    status: "offline",
    created: now,
    updated: now,
    alerts: { cpu: 90 * type.vcpus, io: 10_000, network_in: 10, network_out: 10, transfer_quota: 80 },
    watchdog_enabled: true,
    host_uuid: uuidOf(`host ${id % 97}`),
    backups: { enabled: false, day: null, window: null, job: null },
    lastBootedConfig: null,
    job: null,
  });
  const place = { instance: id, region };
  if (reserved) world.store.put(ADDRESSES, account, { ...reserved, instance: id });
  else allocatePublic(world, account, place);
  if (privateAddress) allocatePrivate(world, account, place);
  allocateSlaac(world, account, place);
  grantToCreator(context, "compute", id);
  return backups ? enableBackups(world, account, instance) : instance;
}
