import { notFound } from "../../errors.ts";
import { operation } from "../../operation.ts";
import { rowList } from "../../paging.ts";
import { SHARED } from "../../store.ts";
import { AVAILABILITY, REGIONS } from "../../tables/catalog.ts";
import { catalogOperations } from "./catalogs.ts";

/** Regions, and where the select plans are sold (part 2 section 4.8, not-shown section 3). */
export const regionOperations = [
  ...catalogOperations({
    table: REGIONS,
    path: "/regions",
    param: "regionId",
    kind: "text",
    noun: "region",
    filterable: [],
    present: (row) => row,
  }),
  operation({
    method: "GET",
    path: "/regions/availability",
    summary: "List the availability of select plans in all regions",
    auth: "none",
    paged: { filterable: [] },
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
