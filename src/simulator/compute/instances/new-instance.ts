import { allocatePrivate, allocatePublic, allocateSlaac } from "../../networking/addresses/allocation.ts";
import { grantToCreator } from "../../server/auth/auth.ts";
import type { Context } from "../../server/operation.ts";
import type { Limit } from "../../server/rate-limits.ts";
import { uuidOf } from "../../server/uuid.ts";
import { enableBackups } from "../backups/backup-schedule.ts";
import type { ComputeTypeRow } from "../catalogs/tables.ts";
import { INSTANCES } from "../tables.ts";
import type { InstanceRow } from "../tables.ts";

/** Creating and cloning count together (not-shown section 9). */
export const INSTANCE_CREATIONS: Limit = { bucket: "instance create", requests: 10, seconds: 30, raised: 20 };

/** What a new instance is to be; what is not given takes its default. */
export interface Order extends Partial<Pick<InstanceRow, "group" | "image" | "root_pass" | "tags" | "user_data">> {
  readonly label?: string | undefined;
  readonly region: string;
  readonly type: ComputeTypeRow;
  readonly privateAddress?: boolean | undefined;
  readonly backups?: boolean | undefined;
}

/** Stores an instance that is off and empty, with its addresses, and grants it to the user who makes it. */
export function openInstance(context: Context, order: Order): InstanceRow {
  const { world, account, now } = context;
  const { label, region, type, privateAddress, backups, ...fields } = order;
  const id = world.store.nextId("instance", 1001);
  const instance = world.store.put(INSTANCES, account, {
    group: "",
    image: null,
    root_pass: null,
    tags: [],
    user_data: null,
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
  allocatePublic(world, account, place);
  if (privateAddress) allocatePrivate(world, account, place);
  allocateSlaac(world, account, place);
  grantToCreator(context, "compute", id);
  return backups ? enableBackups(world, account, instance) : instance;
}
