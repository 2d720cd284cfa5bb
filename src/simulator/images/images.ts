/*
 * Images: public ones, and those that an account makes of disks or uploads.
 * Guarantees: nobody else sees a private image; an upload that does not come is cancelled after its day.
 * Imports server/, catalog, and compute's rows.
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

/** Reading images: public ones for everybody, private ones of the account (part 2 section 4.7). */
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

/** The image if the caller may read it, or 404. */
export function readableImage(context: Context, id: string): Readonly<ImageRow> {
  const image = findImage(context, id);
  if (!image) throw notFound();
  return image;
}

/** The image if the caller may read it. */
export function findImage(context: Context, id: string): Readonly<ImageRow> | undefined {
  const { store } = context.world;
  const image = store.get(IMAGES, SHARED, id) ?? store.get(IMAGES, context.account, id);
  return image && (image.is_public || permits(context.caller, "image", grantId(image), "read_only"))
    ? image
    : undefined;
}

/** An image as the API shows it (not-shown section 3). */
export function presentImage(image: ImageRow): Record<string, unknown> {
  const { filesystem: _filesystem, created, updated, expiry, ...shown } = image;
  return {
    ...shown,
    // A younger service keeps private images in regions, and shares them; this one keeps them everywhere.
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

/** Grants name a private image by the number in its ID. */
export function grantId(image: ImageRow): string {
  return image.id.replace("private/", "");
}

function publicImages({ world }: Context): readonly ImageRow[] {
  return world.store.all(IMAGES, SHARED);
}

function privateImages(context: Context): readonly ImageRow[] {
  return visible(context, "image", context.world.store.all(IMAGES, context.account), grantId);
}
