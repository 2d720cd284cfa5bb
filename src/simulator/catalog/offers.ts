import { invalid } from "../server/errors.ts";
import { SHARED } from "../server/store/store.ts";
import type { World } from "../server/world.ts";
import { AVAILABILITY, REGIONS } from "./tables.ts";
import type { RegionRow } from "./tables.ts";

/** Throws 400 if the region does not sell the type (part 2 section 4.8). */
export function requireSold(world: World, region: RegionRow, type: { readonly id: string }): void {
  const offer = world.store.get(AVAILABILITY, SHARED, `${region.id} ${type.id}`);
  if (offer && !offer.available) throw invalid("type", `${type.id} is not available in ${region.id}`);
}

/** Returns the region with this ID. Throws 400 that names the field. */
export function regionNamed(world: World, id: string, field = "region"): Readonly<RegionRow> {
  const region = world.store.get(REGIONS, SHARED, id);
  if (!region) throw invalid(field, "region is not valid");
  return region;
}
