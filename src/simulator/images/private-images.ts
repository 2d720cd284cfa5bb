import * as z from "zod";
import { regionNamed } from "../catalog/offers.ts";
import { DISKS, INSTANCES } from "../compute/tables.ts";
import { authorizeEntity, grantToCreator, permits } from "../server/auth/auth.ts";
import { busy, forbidden, invalid } from "../server/errors.ts";
import { recordEvent } from "../server/events.ts";
import { presignedUrl } from "../server/http/presigned.ts";
import { operation } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { optional, tagList, text } from "../server/wire.ts";
import { grantId, presentImage, readableImage } from "./images.ts";
import { UPLOAD_MS, imageEntity, imageFromDisk, newImage, planExpiry } from "./lifecycle.ts";
import { IMAGES } from "./tables.ts";
import type { ImageRow } from "./tables.ts";

const label = text(1, 50);
const description = text(1, 65_000);
/** Sent by newer clients. `cloud_init`: the image reads user data. */
const younger = { cloud_init: optional(z.boolean()), tags: optional(tagList) };
const fromDiskBody = z.object({
  disk_id: z.int(),
  label: optional(label),
  description: optional(description),
  ...younger,
});
const uploadBody = z.object({ label, region: z.string(), description: optional(description), ...younger });
const updateBody = z.object({
  label: optional(label),
  description: description.nullable().optional(),
  tags: younger.tags,
});
const scopes = ["images:read_write"];
const one = { path: "/images/{imageId}", params: { imageId: "slug" }, scopes } as const;

/** Media type of uploaded image data (part 2 section 4.7). */
export const UPLOAD_TYPE = "application/octet-stream";

/** Serves create, change and delete of private images (part 2 section 4.7). */
export const privateImageOperations = [
  operation({
    method: "POST",
    path: "/images",
    summary: "Make an image of a disk",
    scopes: [...scopes, "compute:read_only"],
    grant: "add_images",
    body: fromDiskBody,
    handler(context) {
      const { world, account, caller, body } = context;
      const disk = world.store.get(DISKS, account, body.disk_id);
      const instance = disk && world.store.get(INSTANCES, account, disk.instance);
      if (!instance || !permits(caller, "compute", instance.id, "read_only"))
        throw invalid("disk_id", "disk_id is not valid");
      if (disk.status !== "ready") throw busy();
      const fields = {
        label: body.label ?? disk.label,
        description: body.description ?? "",
        tags: body.tags ?? [],
        ...(body.cloud_init && { capabilities: ["cloud-init"] }),
      };
      const image = imageFromDisk(context, disk, instance, fields);
      grantToCreator(context, "image", grantId(image));
      return presentImage(image);
    },
  }),
  operation({
    method: "POST",
    path: "/images/upload",
    summary: "Make an image of data that is sent to the URL of the answer",
    scopes,
    grant: "add_images",
    body: uploadBody,
    handler(context) {
      const { world, account, body, now } = context;
      regionNamed(world, body.region);
      const fields = { label: body.label, description: body.description ?? "", tags: body.tags ?? [] };
      const capabilities = body.cloud_init ? ["cloud-init"] : [];
      const image = newImage(context, { ...fields, capabilities, status: "pending_upload" });
      planExpiry(world, account, image);
      grantToCreator(context, "image", grantId(image));
      const path = `/uploads/images/${grantId(image)}`;
      const allowance = { method: "PUT", path, expiresAt: now + UPLOAD_MS, contentType: UPLOAD_TYPE };
      return { image: presentImage(image), upload_to: presignedUrl(world, allowance) };
    },
  }),
  operation({
    ...one,
    method: "PUT",
    summary: "Change an image of the account",
    body: updateBody,
    handler(context) {
      const { world, account, body, now } = context;
      const image = changeableImage(context);
      const changed = world.store.put(IMAGES, account, {
        ...image,
        label: body.label ?? image.label,
        description: body.description === undefined ? image.description : body.description,
        tags: body.tags ?? image.tags,
        updated: now,
      });
      tell(context, "image_update", changed);
      return presentImage(changed);
    },
  }),
  operation({
    ...one,
    method: "DELETE",
    summary: "Delete an image of the account",
    handler(context) {
      const image = changeableImage(context);
      context.world.store.remove(IMAGES, context.account, image.id);
      tell(context, "image_delete", image);
      return {};
    },
  }),
];

/** Returns a private image that the caller may change. Throws 403 for a public image. */
function changeableImage(context: Context): Readonly<ImageRow> {
  const image = readableImage(context, context.params["imageId"] ?? "");
  if (image.is_public) throw forbidden();
  authorizeEntity(context.caller, "image", grantId(image), "read_write");
  return image;
}

function tell({ world, account, caller }: Context, action: string, image: Readonly<ImageRow>): void {
  recordEvent(world, account, { action, entity: imageEntity(image), caller });
}
