/** Every kind of life that the explorer knows: how its lives are made, lived, made smaller and told. */
import type * as fc from "fast-check";
import { livesIn, without } from "./generate.ts";
import type { Violation } from "./invariants.ts";
import { live } from "./live.ts";
import type { casts } from "./palette.ts";
import { told } from "./story.ts";
import type { Life } from "./story.ts";
import { livesOfTenants } from "./tenants/generate.ts";
import { liveAsTenants } from "./tenants/live.ts";
import { toldOfTenants } from "./tenants/story.ts";
import type { TenantLife } from "./tenants/story.ts";

/** A life of any kind, as far as the explorer must know it. */
export interface AnyLife {
  commands: readonly { do: string }[];
}

export interface Troupe<L extends AnyLife> {
  lives: fc.Arbitrary<L>;
  live: (life: L, seed: number) => Promise<{ violations: Violation[] }>;
  /** Settings of the world with which a life has less trouble. */
  calms: Partial<L>[];
  told: (life: L) => string[];
  /** The life without the commands of these names. */
  without: (life: L, left: ReadonlySet<string>) => L;
}

export type Cast = keyof typeof casts | "tenants";

const ofResidents = (cast: keyof typeof casts): Troupe<Life> => ({
  lives: livesIn[cast],
  live,
  calms: [
    { cloudMs: 0 },
    { kubeMs: 0 },
    { lagMs: 0 },
    { dateAheadMs: 0 },
    { reuseIds: false },
    { events: false },
    { stores: undefined },
  ],
  told,
  without,
});

const ofTenants: Troupe<TenantLife> = {
  lives: livesOfTenants,
  live: liveAsTenants,
  calms: [{ cloudMs: 0 }, { kubeMs: 0 }],
  told: toldOfTenants,
  without: (life, left) => ({ ...life, commands: life.commands.filter((command) => !left.has(command.do)) }),
};

/** The explorer returns a life to no other troupe than the one that made it. */
function anyOf<L extends AnyLife>(troupe: Troupe<L>): Troupe<AnyLife> {
  return troupe as unknown as Troupe<AnyLife>;
}

export const troupes: Record<Cast, Troupe<AnyLife>> = {
  first: anyOf(ofResidents("first")),
  later: anyOf(ofResidents("later")),
  held: anyOf(ofResidents("held")),
  tenants: anyOf(ofTenants),
};
