/*
 * Serves public images, and private images from disks or uploads.
 * Guarantees: only the account sees a private image. An upload without data is cancelled after 24 hours.
 * Imports server/, catalog, and the rows of compute.
 */
import { permits, visible } from "../server/auth/auth.ts";
import { notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import { timestamp } from "../server/wire.ts";
import { IMAGES } from "./tables.ts";
import type { ImageRow } from "./tables.ts";

/** Serves images to read. Only private images need credentials (part 2 section 4.7). */
export const imageReadOperations = [
  operation({
    method: "GET",
    path: "/images",
    summary: "List images; without credentials only public ones",
    auth: "optional",
    scopes: ["images:read_only"],
    paged: { filterable: ["label", "deprecated", "is_public", "size", "type", "vendor", "status"] },
    limit: { bucket: "image list", requests: 20, seconds: 60 },
    handler: (context) => rowList([...privateImages(context), ...publicImages(context)], presentImage),
  }),
  operation({
    method: "GET",
    path: "/images/{imageId}",
    summary: "View an image",
    auth: "optional",
    scopes: ["images:read_only"],
    params: { imageId: "slug" },
    handler: (context) => presentImage(readableImage(context, context.params["imageId"] ?? "")),
  }),
];

/** Returns the image if the caller may read it. Otherwise throws 404. */
export function readableImage(context: Context, id: string): Readonly<ImageRow> {
  const image = findImage(context, id);
  if (!image) throw notFound();
  return image;
}

/** Returns the image if the caller may read it. */
export function findImage(context: Context, id: string): Readonly<ImageRow> | undefined {
  const { store } = context.world;
  const image = store.get(IMAGES, SHARED, id) ?? store.get(IMAGES, context.account, id);
  return image && (image.is_public || permits(context.caller, "image", grantId(image), "read_only"))
    ? image
    : undefined;
}

/** Returns an image in the form of the API (not-shown section 3). */
export function presentImage(image: ImageRow): Record<string, unknown> {
  const { filesystem: _filesystem, created, updated, expiry, ...shown } = image;
  return {
    ...shown,
    // A newer service stores private images in regions, and can share images. The simulator shows the defaults.
    ...(image.is_public ? { regions: null, image_sharing: null } : privateOnly(image)),
    is_shared: false,
    created: timestamp(created),
    updated: timestamp(updated),
    expiry: expiry === null ? null : timestamp(expiry),
  };
}

function privateOnly({ id, size }: ImageRow): Record<string, unknown> {
  const shared_with = { sharegroup_count: 0, sharegroup_list_url: `/images/${id}/sharegroups` };
  return { regions: [], total_size: size, image_sharing: { shared_with, shared_by: null } };
}

/** Returns the number in the ID of a private image, which identifies the image in grants. */
export function grantId(image: ImageRow): string {
  return image.id.replace("private/", "");
}

function publicImages({ world }: Context): readonly ImageRow[] {
  return world.store.all(IMAGES, SHARED);
}

function privateImages(context: Context): readonly ImageRow[] {
  return visible(context, "image", context.world.store.all(IMAGES, context.account), grantId);
}
