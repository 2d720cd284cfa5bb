/*
 * Regions and what they sell, and how a catalog is served that is the same for all accounts: other areas declare theirs with it.
 * Guarantees: reads want no credentials, and no request changes a row.
 * Imports server/ and no other area.
 */
import { notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import { catalogOperations } from "./catalog-operations.ts";
import { AVAILABILITY, REGIONS } from "./tables.ts";

/** Regions, and where the select plans are sold (part 2 section 4.8, not-shown section 3). */
export const regionOperations = [
  ...catalogOperations({
    table: REGIONS,
    path: "/regions",
    param: "regionId",
    kind: "text",
    noun: "region",
    filterable: ["id"],
    present: (row) => row,
  }),
  operation({
    method: "GET",
    path: "/regions/availability",
    summary: "List the availability of select plans in all regions",
    auth: "none",
    paged: { filterable: ["region", "plan", "available"] },
    handler: ({ world }) => rowList(world.store.all(AVAILABILITY, SHARED), (row) => row),
  }),
  operation({
    method: "GET",
    path: "/regions/{regionId}/availability",
    summary: "View the availability of select plans in one region, as an array",
    auth: "none",
    params: { regionId: "text" },
    handler({ world, params }) {
      const id = params["regionId"] ?? "";
      if (!world.store.get(REGIONS, SHARED, id)) throw notFound();
      return world.store.children(AVAILABILITY, SHARED, id);
    },
  }),
];
