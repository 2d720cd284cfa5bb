import { z } from "zod";
import { grantToCreator } from "../../auth.ts";
import { allocatePrivate, allocatePublic, allocateSlaac } from "../../compute/addresses.ts";
import { requireFunds, requireSold } from "../../compute/conditions.ts";
import {
  checkDeployment,
  checkUserData,
  deployImage,
  deploymentFields,
  metadataSchema,
  regionNamed,
  typeNamed,
} from "../../compute/deployment.ts";
import { startAction } from "../../compute/instance-actions.ts";
import { interfaceRows, interfacesSchema } from "../../compute/interfaces.ts";
import { CREATE } from "../../compute/lifecycle.ts";
import { presentInstance } from "../../compute/present.ts";
import { restoreBackup, usableBackup } from "../../compute/restoration.ts";
import { invalid } from "../../errors.ts";
import { uuidOf } from "../../identities.ts";
import { operation } from "../../operation.ts";
import type { Context } from "../../operation.ts";
import type { ComputeTypeRow } from "../../tables/catalog.ts";
import { INSTANCES } from "../../tables/compute.ts";
import type { InstanceRow } from "../../tables/compute.ts";
import { useTags } from "../../tagging.ts";
import { optional, strictLabel, tagList } from "../../wire.ts";

const createBody = z.object({
  ...deploymentFields,
  backup_id: optional(z.int()),
  backups_enabled: optional(z.boolean()),
  booted: optional(z.boolean()),
  group: optional(z.string()),
  interfaces: interfacesSchema,
  label: optional(strictLabel(3, 64)),
  metadata: metadataSchema,
  private_ip: optional(z.boolean()),
  region: z.string(),
  swap_size: optional(z.int().min(0, "Must not be negative")),
  tags: optional(tagList),
  type: z.string(),
});
type CreateBody = z.output<typeof createBody>;

/** Creates an instance from an image, a StackScript, a backup, or empty (part 2 section 4.1). */
export const createInstance = operation({
  method: "POST",
  path: "/compute/instances",
  summary: "Create an instance",
  scopes: ["compute:read_write"],
  grant: "add_computes",
  limit: { bucket: "instance create", requests: 10, seconds: 30 },
  body: createBody,
  handler(context) {
    const { world, account, body } = context;
    requireFunds(context);
    const region = regionNamed(world, body.region);
    const type = typeNamed(world, body.type);
    requireSold(world, region, type);
    const image = checkDeployment(context, body);
    if (body.metadata?.user_data !== undefined) checkUserData(image, region);
    const backup = body.backup_id === undefined ? undefined : usableBackup(context, body.backup_id);
    if (backup && image) throw invalid("image", "Give either backup_id or image");
    if (backup && backup.region !== region.id) throw invalid("region", "A backup is restored in its own region");
    const interfaces = interfaceRows(world, region, body.interfaces);

    const instance = world.store.put(INSTANCES, account, newInstance(context, type, image?.id ?? null));
    addAddresses(context, instance);
    grantToCreator(context, "compute", instance.id);
    let config: number | undefined;
    if (image) {
      const swapSize = body.swap_size ?? 512;
      config = deployImage(world, account, instance, {
        image,
        type,
        swapSize,
        rootPass: body.root_pass ?? "",
        interfaces,
      }).id;
    }
    if (backup) config = restoreBackup(world, account, backup, instance, type);
    // What has nothing to boot is offline at once and stays so (part 2 section 3).
    if (!image && !backup) return presentInstance(world, account, instance);
    const payload = { config: body.booted === false ? null : (config ?? null) };
    return presentInstance(
      world,
      account,
      startAction(world, account, instance, CREATE, { caller: context.caller, payload }),
    );
  },
});

function newInstance(context: Context<CreateBody>, type: ComputeTypeRow, image: string | null): InstanceRow {
  const { world, body, now } = context;
  const id = world.store.nextId("instance", 1001);
  return {
    id,
    label: body.label ?? `compute${id}`,
    group: body.group ?? "",
    region: body.region,
    type: type.id,
    image,
    status: "offline",
    created: now,
    updated: now,
    tags: useTags(context, body.tags ?? []),
    alerts: { cpu: 90 * type.vcpus, io: 10_000, network_in: 10, network_out: 10, transfer_quota: 80 },
    watchdog_enabled: true,
    host_uuid: uuidOf(`host ${id % 97}`),
    backups: { enabled: body.backups_enabled ?? false, ...schedule(body.backups_enabled) },
    user_data: body.metadata?.user_data ?? null,
    root_pass: body.root_pass ?? null,
    lastBootedConfig: null,
    job: null,
  };
}

/** While day and window are being chosen they read `Scheduling` (part 2 section 2.3). */
function schedule(enabled: boolean | undefined): { day: string | null; window: string | null } {
  return enabled ? { day: "Scheduling", window: "Scheduling" } : { day: null, window: null };
}

function addAddresses({ world, account, body }: Context<CreateBody>, { id: instance, region }: InstanceRow): void {
  allocatePublic(world, account, { instance, region });
  if (body.private_ip) allocatePrivate(world, account, { instance, region });
  allocateSlaac(world, account, { instance, region });
}
