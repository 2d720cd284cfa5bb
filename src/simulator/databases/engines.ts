import { catalogOperations } from "../catalog/catalog-operations.ts";
import { seedOf } from "../server/seed.ts";
import { ENGINES } from "./tables.ts";

/** Serves engines and versions (part 1 sections 2.2 and 4.1). */
export const engineOperations = catalogOperations({
  table: ENGINES,
  path: "/databases/engines",
  param: "engineId",
  kind: "slug",
  noun: "engine",
  filterable: ["engine", "version"],
  present: (row) => row,
});

const VERSIONS = {
  mysql: ["8", "8.4", "8.0.26", "8.0.30", "8.0.35", "5.7.44"],
  postgresql: ["13", "14", "15", "16", "17"],
};

export const engineSeed = seedOf(
  ENGINES,
  Object.entries(VERSIONS).flatMap(([engine, versions]) =>
    versions.map((version) => ({ id: `${engine}/${version}`, engine, version })),
  ),
);
