import { loadOf } from "../server/load.ts";
import type { Load } from "../server/load.ts";
import { SHARED } from "../server/store/store.ts";
import { epoch } from "../server/wire.ts";
import { BETAS, ENROLLMENTS } from "./tables.ts";
import type { BetaRow } from "./tables.ts";

/** Loads beta programs and enrollments. The API does not show the number of places. */
export const betaLoads: readonly Load[] = [
  loadOf<Omit<BetaRow, "places">>({
    from: "/betas",
    replaces: BETAS,
    load: ({ world }, row) => void world.store.put(BETAS, SHARED, { ...row, places: null }),
  }),
  loadOf<Pick<BetaRow, "id" | "label" | "description" | "started" | "ended"> & { enrolled: string }>({
    from: "/account/betas",
    load({ world, account }, { enrolled, ...program }) {
      const { id } = program;
      // The list of programs has only active programs.
      const others = { greenlight_only: false, more_info: null, places: null };
      if (!world.store.get(BETAS, SHARED, id)) world.store.put(BETAS, SHARED, { ...program, ...others });
      world.store.put(ENROLLMENTS, account, { id, enrolled: epoch(enrolled) });
    },
  }),
];
