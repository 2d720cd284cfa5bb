import * as z from "zod";
import type { RegionRow } from "../../catalog/tables.ts";
import { findImage } from "../../images/images.ts";
import type { ImageRow } from "../../images/tables.ts";
import { SSH_KEYS } from "../../profile/tables.ts";
import { USERS } from "../../server/auth/identity.ts";
import { invalid } from "../../server/errors.ts";
import type { Context } from "../../server/operation.ts";
import { SHARED } from "../../server/store/store.ts";
import { optional, text } from "../../server/wire.ts";
import type { World } from "../../server/world.ts";
import { STACK_SCRIPTS } from "../catalogs/tables.ts";
import type { ComputeTypeRow } from "../catalogs/tables.ts";
import { CONFIGS, DISKS } from "../tables.ts";
import type { ConfigRow, DiskRow, InstanceRow, InterfaceRow } from "../tables.ts";

/** Limit of the StackScript data, in characters of JSON. */
const STACK_SCRIPT_DATA_LIMIT = 65_535;

/** Fields of requests that deploy an image: instance create, rebuild, disk create (part 2 sections 4.1, 4.4, 4.5). */
export const deploymentFields = {
  authorized_keys: optional(z.array(z.string())),
  authorized_users: optional(z.array(z.string())),
  image: optional(z.string()),
  root_pass: optional(text(7, 128)),
  stackscript_data: optional(
    z.record(z.string(), z.unknown()).refine((data) => JSON.stringify(data).length <= STACK_SCRIPT_DATA_LIMIT, {
      message: `At most ${STACK_SCRIPT_DATA_LIMIT} characters`,
    }),
  ),
  stackscript_id: optional(z.int()),
};

export const metadataSchema = optional(z.object({ user_data: optional(z.base64("Must be base-64")) }));

export interface DeploymentRequest {
  readonly authorized_users?: readonly string[] | undefined;
  readonly image?: string | undefined;
  readonly root_pass?: string | undefined;
  readonly stackscript_data?: Readonly<Record<string, unknown>> | undefined;
  readonly stackscript_id?: number | undefined;
}

/** Checks the rules of a deployment. Returns the image, or undefined without an image. */
export function checkDeployment(context: Context, request: DeploymentRequest): Readonly<ImageRow> | undefined {
  const image = request.image === undefined ? undefined : imageNamed(context, request.image);
  if (image && request.root_pass === undefined) throw invalid("root_pass", "root_pass is required with an image");
  for (const username of request.authorized_users ?? []) checkSSHUser(context, username);
  if (request.stackscript_id !== undefined) checkStackScript(context, request, request.stackscript_id, image);
  return image;
}

/** Throws 400 unless the image reads user data and the region serves user data (part 2 section 4.1 rule 3). */
export function checkUserData(image: ImageRow | undefined, region: RegionRow): void {
  if (!image?.capabilities.includes("cloud-init"))
    throw invalid("metadata.user_data", "User data needs an image with the capability cloud-init");
  if (!region.capabilities.includes("Metadata"))
    throw invalid("region", `The region ${region.id} does not have the capability Metadata`);
}

interface Plan {
  readonly image: ImageRow;
  readonly type: ComputeTypeRow;
  readonly swapSize: number;
  readonly rootPass: string;
  readonly interfaces: readonly InterfaceRow[];
}

/** Creates the two disks and the config of an image deployment (part 2 section 4.1 rule 2). */
export function deployImage(world: World, account: string, instance: InstanceRow, plan: Plan): ConfigRow {
  const { image, type, swapSize, rootPass } = plan;
  const size = type.disk - swapSize;
  if (size < image.size) throw invalid("swap_size", `${swapSize} MB of swap leave too little room for the image`);
  const main = {
    label: `${image.label} Disk`,
    size,
    filesystem: image.filesystem,
    root_pass: rootPass,
    image: image.id,
  };
  const root = newDisk(world, account, instance.id, main);
  const swap =
    swapSize === 0
      ? undefined
      : newDisk(world, account, instance.id, {
          label: `${swapSize} MB Swap Image`,
          size: swapSize,
          filesystem: "swap",
        });
  const device = (disk: DiskRow) => ({ disk_id: disk.id, volume_id: null });
  const devices = { sda: device(root), ...(swap && { sdb: device(swap) }) };
  return newConfig(world, account, instance.id, {
    label: `My ${image.label} Disk Profile`,
    devices,
    interfaces: plan.interfaces,
  });
}

/** Stores a disk with the status `ready`. */
export function newDisk(
  world: World,
  account: string,
  instance: number,
  fields: Pick<DiskRow, "label" | "size" | "filesystem"> & Partial<DiskRow>,
): DiskRow {
  const now = world.clock.now();
  const common = { status: "ready" as const, root_pass: null, image: null, created: now, updated: now };
  return world.store.put(DISKS, account, { ...common, ...fields, id: world.store.nextId("disk", 2001), instance });
}

/** Helpers of a config are on by default. */
export const DEFAULT_HELPERS: ConfigRow["helpers"] = {
  devtmpfs_automount: true,
  distro: true,
  modules_dep: true,
  network: true,
  updatedb_disabled: true,
};

/** Stores a config. Omitted fields have default values. */
export function newConfig(
  world: World,
  account: string,
  instance: number,
  fields: Pick<ConfigRow, "label" | "devices"> & Partial<ConfigRow>,
): ConfigRow {
  const now = world.clock.now();
  return world.store.put(CONFIGS, account, {
    comments: "",
    helpers: DEFAULT_HELPERS,
    interfaces: [],
    kernel: "compute/latest-64bit",
    memory_limit: 0,
    root_device: "/dev/sda",
    run_level: "default",
    virt_mode: "paravirt",
    created: now,
    updated: now,
    ...fields,
    id: world.store.nextId("config", 3001),
    instance,
  });
}

function imageNamed(context: Context, id: string): Readonly<ImageRow> {
  const image = findImage(context, id);
  if (!image) throw invalid("image", "image is not valid");
  if (image.status !== "available") throw invalid("image", "The image is not available yet");
  return image;
}

function checkSSHUser({ world, account }: Context, username: string): void {
  const known = world.store.get(USERS, account, username);
  if (!known || world.store.children(SSH_KEYS, account, username).length === 0)
    throw invalid("authorized_users", `The user ${username} has no SSH key`);
}

function checkStackScript(
  { world }: Context,
  request: DeploymentRequest,
  id: number,
  image: ImageRow | undefined,
): void {
  const script = world.store.get(STACK_SCRIPTS, SHARED, id);
  if (!script) throw invalid("stackscript_id", "stackscript_id is not valid");
  if (!image) throw invalid("image", "A StackScript needs an image");
  if (!script.images.includes(image.id)) throw invalid("image", "The image is not compatible with the StackScript");
  const data = request.stackscript_data ?? {};
  for (const field of script.fields)
    if (field.default === undefined && data[field.name] === undefined)
      throw invalid("stackscript_data", `The StackScript needs ${field.name}`);
}
