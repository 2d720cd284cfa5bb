import { loadOf } from "../server/load.ts";
import type { Load } from "../server/load.ts";
import { TAGS } from "./tables.ts";

/** Loads tags. The tagged objects store which tags they have. */
export const tagLoads: readonly Load[] = [
  loadOf<{ readonly label: string }>({
    from: "/tags",
    load: ({ world, account }, { label }) => void world.store.put(TAGS, account, { label }),
  }),
];
