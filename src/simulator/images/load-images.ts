import { loadOf } from "../server/load.ts";
import type { Load } from "../server/load.ts";
import { SHARED } from "../server/store/store.ts";
import { epoch } from "../server/wire.ts";
import { IMAGES } from "./tables.ts";
import type { ImageRow } from "./tables.ts";

type Shown = Omit<ImageRow, "created" | "updated" | "expiry" | "filesystem"> & {
  readonly created: string;
  readonly updated: string;
  readonly expiry: string | null;
};

/** Loads public and private images. The API does not show the file system. */
export const imageLoads: readonly Load[] = [
  loadOf<Shown>({
    from: "/images",
    replaces: IMAGES,
    load({ world, account }, shown) {
      const { id, label, description, created_by, deprecated, is_public, size, type, eol, vendor, status } = shown;
      const { capabilities, tags, expiry } = shown;
      world.store.put(IMAGES, is_public ? SHARED : account, {
        id,
        label,
        description,
        created_by,
        deprecated,
        is_public,
        size,
        type,
        eol,
        vendor,
        // The processing of an image ends.
        status: status === "creating" ? "available" : status,
        capabilities,
        tags,
        filesystem: "ext4" as const,
        created: epoch(shown.created),
        updated: epoch(shown.updated),
        expiry: expiry === null ? null : epoch(expiry),
      });
    },
  }),
];
