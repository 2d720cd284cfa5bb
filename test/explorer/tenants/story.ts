/** A life of tenants as data: residents write objects in three namespaces, and commands change the world. */
import type { What } from "./cast.ts";

/** The shop owns the CloudAccount. The team may get a share of the account. The outsider never gets a share. */
export type Place = "shop" | "team" | "outsider";

export interface Resident {
  /** Name of the wish. */
  wish: What;
  place: Place;
  /** The resident wants the label `common`, as other residents do. */
  shared: boolean;
}

/** Grants of the account for the namespace of the team. Each level includes the levels before. */
export type Sharing = "none" | "own" | "existing" | "accountWide";

/** `who` is the index of a resident. */
export type TenantCommand =
  | { do: "create"; who: number; adopts?: boolean | undefined }
  | { do: "edit"; who: number; change: number }
  | { do: "delete"; who: number }
  /** A user deletes the holder: the object whose cloud object contains the row of the resident. */
  | { do: "deleteHolder"; who: number }
  | { do: "protect"; who: number; on: boolean }
  | { do: "policy"; who: number; policy: "Manage" | "Paused" | "Plan" }
  /** A user reviews the plan in the status, and approves the hash of the plan. */
  | { do: "approve"; who: number }
  /** A user applies the manifest again after the definition was reinstalled. Status and annotations are lost. */
  | { do: "restore"; who: number }
  /** A user replaces the bytes in the Secret of the resident. */
  | { do: "changeSecret"; who: number }
  | { do: "tagByHand"; who: number }
  | { do: "share"; level: Sharing }
  | { do: "rotate" }
  | { do: "deleteAccount" }
  | { do: "removeFromCloud"; who: number }
  /** The watch of one kind is silent for a minute. */
  | { do: "stall"; kind: string }
  /** The operator restarts with disabled kinds. */
  | { do: "disable"; kinds: string[] }
  | { do: "crash"; steps: number; downMs: number }
  | { do: "lose"; method: "POST" | "PUT" | "DELETE" }
  | { do: "pass"; ms: number };

export interface TenantLife {
  residents: Resident[];
  sharing: Sharing;
  cloudMs: number;
  kubeMs: number;
  commands: TenantCommand[];
}

/** Returns a readable line for each command. */
export function toldOfTenants({ residents, commands, ...world }: TenantLife): string[] {
  const who = residents.map(
    ({ wish, place, shared }, index) => `#${index} ${wish} in ${place}${shared ? ", label shared" : ""}`,
  );
  const knobs = Object.entries(world).filter(([, value]) => value !== 0);
  return [
    `residents: ${who.join("; ")}`,
    `world: ${knobs.map(([name, value]) => `${name} ${value}`).join(", ")}`,
    ...commands.map(({ do: what, ...rest }) => {
      const details = Object.entries(rest).filter(([, value]) => value !== undefined);
      return `${what} ${details.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}`.trim();
    }),
  ];
}
