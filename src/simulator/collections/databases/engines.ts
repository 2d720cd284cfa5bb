import { ENGINES } from "../../tables/catalog.ts";
import { catalogOperations } from "../catalog/catalogs.ts";

/** Engines and their versions (part 1 sections 2.2 and 4.1). */
export const engineOperations = catalogOperations({
  table: ENGINES,
  path: "/databases/engines",
  param: "engineId",
  kind: "slug",
  noun: "engine",
  filterable: ["engine", "version"],
  present: (row) => row,
});
