import { seedOf } from "../server/seed.ts";
import { BETAS } from "./tables.ts";
import type { BetaRow } from "./tables.ts";

/** Programs of every sort: open, early access only, one place, ended. */
export const betaSeed = seedOf(BETAS, [
  beta("fast-disks", "Fast disks", {}),
  beta("early-network", "Early network", { greenlight_only: true }),
  beta("one-place", "One place", { places: 1 }),
  beta("long-gone", "Long gone", { ended: "2024-01-01T00:00:00" }),
]);

function beta(id: string, label: string, rest: Partial<BetaRow>): BetaRow {
  const common = { description: `${label} for everybody`, more_info: `https://beta.example.com/${id}`, places: null };
  return { id, label, ...common, greenlight_only: false, started: "2023-06-01T00:00:00", ended: null, ...rest };
}
