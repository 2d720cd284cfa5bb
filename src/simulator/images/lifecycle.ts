import { instanceEntity } from "../compute/instance-entity.ts";
import type { DiskRow, InstanceRow } from "../compute/tables.ts";
import { DAY_MS } from "../server/clock.ts";
import { endEvent, recordEvent, startEvent } from "../server/events.ts";
import type { Entity } from "../server/events.ts";
import type { Context } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import type { JobKind, World } from "../server/world.ts";
import { IMAGES } from "./tables.ts";
import type { ImageRow } from "./tables.ts";

/** The service cancels an upload without data after this time (part 2 section 4.7). */
export const UPLOAD_MS = DAY_MS;

const CREATING_SECONDS = 30;

/** Makes an image available. */
const READY: JobKind = {
  name: "image_ready",
  run(world, account, { image: id, event }) {
    const image = world.store.get(IMAGES, account, String(id));
    endEvent(world, account, Number(event), image ? "finished" : "failed");
    if (image) world.store.put(IMAGES, account, { ...image, status: "available", updated: world.clock.now() });
  },
};

/** Deletes an image without uploaded data. */
const EXPIRE: JobKind = {
  name: "image_upload_expire",
  run(world, account, { image: id }) {
    const image = world.store.get(IMAGES, account, String(id));
    if (image?.status !== "pending_upload") return;
    world.store.remove(IMAGES, account, image.id);
    recordEvent(world, account, { action: "image_delete", entity: imageEntity(image) });
  },
};

export const IMAGE_JOBS: readonly JobKind[] = [READY, EXPIRE];

/** Stores a new private image. Omitted fields have default values. */
export function newImage(
  { world, account, caller, now }: Context,
  fields: Pick<ImageRow, "label" | "description" | "status"> & Partial<ImageRow>,
): ImageRow {
  return world.store.put(IMAGES, account, {
    created: now,
    updated: now,
    created_by: caller.user.username,
    deprecated: false,
    is_public: false,
    size: 0,
    type: "manual",
    expiry: null,
    eol: null,
    vendor: null,
    capabilities: [],
    tags: [],
    filesystem: "ext4",
    ...fields,
    id: `private/${world.store.nextId("image", 15_001)}`,
  });
}

/** Starts an image from a disk. Returns the image with the status `creating`. */
export function imageFromDisk(
  context: Context,
  disk: Readonly<DiskRow>,
  instance: Readonly<InstanceRow>,
  fields: Pick<ImageRow, "label" | "description"> & Partial<Pick<ImageRow, "capabilities" | "tags">>,
): ImageRow {
  const { world, account, caller } = context;
  const origin = disk.image === null ? undefined : storedImage(world, account, disk.image);
  const image = newImage(context, {
    capabilities: origin?.capabilities ?? [],
    ...fields,
    status: "creating",
    // The size is an estimate if the disk came from no image, because the simulator does not know the content of a disk.
    size: origin?.size ?? Math.ceil(disk.size / 10),
    filesystem: disk.filesystem,
  });
  const about = { action: "disk_imagize", entity: instanceEntity(instance), secondary: imageEntity(image), caller };
  makeReady(world, account, image, about);
  return image;
}

/** Starts the processing of an upload. `size` is the MB of the raw disk. */
export function receiveUpload(world: World, account: string, image: Readonly<ImageRow>, size: number): void {
  const received = world.store.put(IMAGES, account, { ...image, size, status: "creating" });
  makeReady(world, account, received, { action: "image_upload", entity: imageEntity(image) });
}

/** Plans the cancellation in 24 hours. The time scale does not shorten this time. */
export function planExpiry(world: World, account: string, image: Readonly<ImageRow>): void {
  world.jobs.plan(EXPIRE.name, account, UPLOAD_MS, { image: image.id });
}

export function imageEntity({ id, label }: Readonly<ImageRow>): Entity {
  return { id, label, type: "image", url: `/v4/images/${id}` };
}

function makeReady(world: World, account: string, image: ImageRow, about: Parameters<typeof startEvent>[2]): void {
  const ms = world.clock.duration(CREATING_SECONDS);
  const event = startEvent(world, account, about, ms);
  world.jobs.plan(READY.name, account, ms, { image: image.id, event });
}

function storedImage(world: World, account: string, id: string): Readonly<ImageRow> | undefined {
  return world.store.get(IMAGES, SHARED, id) ?? world.store.get(IMAGES, account, id);
}
