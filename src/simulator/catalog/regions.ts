/*
 * Serves regions and their plans. Other areas declare shared catalogs with catalog-operations.ts.
 * Guarantees: reads need no credentials, and no request changes a row.
 * Imports server/ and no other area.
 */
import { notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import { catalogOperations } from "./catalog-operations.ts";
import { AVAILABILITY, REGIONS } from "./tables.ts";

/** Serves regions and the availability of plans (part 2 section 4.8, not-shown section 3). */
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
