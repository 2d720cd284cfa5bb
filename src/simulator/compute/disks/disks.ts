/*
 * Serves the disks of an instance.
 * Guarantees: all disks together fit the type, and a disk in use keeps its size.
 * Imports the areas that compute may import.
 */
import * as z from "zod";
import { IMAGES } from "../../images/tables.ts";
import { busy, invalid, notFound, refused } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import { rowList } from "../../server/lists/paging.ts";
import { rowOf } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import { SHARED } from "../../server/store/store.ts";
import { given, optional, text } from "../../server/wire.ts";
import { isBusy, requireIdle } from "../actions/instance-action.ts";
import { typeNamed } from "../catalogs/compute-types.ts";
import { instanceEntity } from "../instance-entity.ts";
import { instanceActionOperation, instanceOperation } from "../instance-operation.ts";
import { allocated } from "../instances/conditions.ts";
import { checkDeployment, deploymentFields, newDisk } from "../instances/deployment.ts";
import { DISKS } from "../tables.ts";
import type { DiskRow, InstanceRow } from "../tables.ts";
import { changeDisk, diskEntity, isInUse, presentDisk } from "./disk-changes.ts";
import { requireStrong } from "./passwords.ts";

const filesystem = z.enum(["raw", "swap", "ext3", "ext4", "initrd"]);
const size = z.int().min(1, "Must be 1 or more");
const label = text(1, 48);
const createBody = z.object({ ...deploymentFields, filesystem: optional(filesystem), label: optional(label), size });
const updateBody = z.object({ label: optional(label), filesystem: optional(filesystem) });
const diskPath = "/disks/{diskId}";

/** Serves disks and their actions (part 2 section 4.4, not-shown section 3). */
export const diskOperations = [
  instanceOperation({
    method: "GET",
    path: "/disks",
    summary: "List the disks of an instance",
    paged: { filterable: ["label", "size"] },
    handler: ({ world, account }, instance) =>
      rowList(world.store.children(DISKS, account, instance.id), (row) => presentDisk(row, instance)),
  }),
  instanceOperation({
    method: "POST",
    path: "/disks",
    summary: "Create a disk",
    body: createBody,
    handler: createDisk,
  }),
  instanceOperation({
    method: "GET",
    path: diskPath,
    summary: "View a disk",
    handler: (context, instance) => presentDisk(diskOf(context, instance), instance),
  }),
  instanceOperation({
    method: "PUT",
    path: diskPath,
    summary: "Change the label or file system of a disk",
    body: updateBody,
    handler(context, instance) {
      const { world, account, body, now } = context;
      const disk = diskOf(context, instance);
      const changed = world.store.put(DISKS, account, { ...disk, ...given(body), updated: now });
      const entities = { entity: instanceEntity(instance), secondary: diskEntity(changed) };
      recordEvent(world, account, { action: "disk_update", ...entities, caller: context.caller });
      return presentDisk(changed, instance);
    },
  }),
  instanceOperation({
    method: "DELETE",
    path: diskPath,
    summary: "Delete a disk",
    handler(context, instance) {
      requireIdle(context.world, context.account, instance);
      const disk = diskOf(context, instance);
      changeDisk(context, instance, disk, { action: "disk_delete", seconds: 3, status: "deleting", after: "remove" });
      return {};
    },
  }),
  instanceActionOperation(`${diskPath}/resize`, "Resize a disk", z.object({ size }), (context, instance) => {
    const { world, account, body } = context;
    const disk = diskOf(context, instance);
    if (isInUse(world, account, disk)) throw refused("The instance must be off, or the disk not in its active config");
    requireRoom(context, instance, body.size, disk);
    const content = contentOf(context, disk);
    if (body.size < content) throw invalid("size", `The disk holds ${content} MB`);
    const after = { size: body.size };
    changeDisk(context, instance, disk, { action: "disk_resize", seconds: 20, status: "not ready", after });
  }),
  instanceActionOperation(
    `${diskPath}/password`,
    "Set the root password of a disk",
    z.object({ password: z.string() }),
    (context, instance) => {
      const disk = diskOf(context, instance);
      if (instance.status !== "offline") throw refused("The instance must be off");
      if (disk.filesystem === "swap") throw refused("A swap disk has no root password");
      requireStrong("password", context.body.password);
      const after = { root_pass: context.body.password };
      changeDisk(context, instance, disk, { action: "password_reset", seconds: 5, status: "not ready", after });
    },
  ),
  instanceOperation({
    method: "POST",
    path: `${diskPath}/clone`,
    summary: "Copy a disk",
    handler(context, instance) {
      const { world, account, now } = context;
      requireIdle(world, account, instance);
      const disk = diskOf(context, instance);
      requireRoom(context, instance, disk.size);
      const fields = { ...disk, label: `Copy of ${disk.label}`.slice(0, 48), created: now, updated: now };
      const copy = newDisk(world, account, instance.id, fields);
      const change = { action: "disk_duplicate", seconds: 20, status: "not ready", after: {} } as const;
      return presentDisk(changeDisk(context, instance, copy, change), instance);
    },
  }),
];

function createDisk(context: Context<z.output<typeof createBody>>, instance: Readonly<InstanceRow>): unknown {
  const { world, account, body } = context;
  if (isBusy(world, account, instance)) throw busy();
  const image = checkDeployment(context, body);
  const name = body.label ?? (image && `${image.label} Disk`.slice(0, 48));
  if (name === undefined) throw invalid("label", "label is required without an image");
  requireRoom(context, instance, body.size);
  if (image && body.size < image.size) throw invalid("size", `The image needs ${image.size} MB`);
  const disk = newDisk(world, account, instance.id, {
    label: name,
    size: body.size,
    filesystem: body.filesystem ?? image?.filesystem ?? "ext4",
    image: image?.id ?? null,
    root_pass: body.root_pass ?? null,
  });
  const change = { action: "disk_create", seconds: image ? 20 : 5, status: "not ready", after: {} } as const;
  return presentDisk(changeDisk(context, instance, disk, change), instance);
}

function diskOf(context: Context, instance: Readonly<InstanceRow>): Readonly<DiskRow> {
  const disk = rowOf(context, DISKS, context.params["diskId"]);
  if (disk.instance !== instance.id) throw notFound();
  return disk;
}

/** Throws 400 if the type has too little disk for this size. `except` is the disk to resize. */
function requireRoom(context: Context, instance: Readonly<InstanceRow>, wanted: number, except?: DiskRow): void {
  const { world, account } = context;
  const room = typeNamed(world, instance.type).disk - allocated(world, account, instance.id, except ? [except.id] : []);
  if (wanted > room) throw invalid("size", `There are ${room} MB left`);
}

/** Returns the MB used on a disk: the size of the image, or 0 without an image. */
function contentOf({ world, account }: Context, disk: Readonly<DiskRow>): number {
  if (disk.image === null) return 0;
  return (world.store.get(IMAGES, SHARED, disk.image) ?? world.store.get(IMAGES, account, disk.image))?.size ?? 0;
}
