/** A life as data: who lives in which world, and what happens to them. */
import type { FaultKind } from "../world/faults.ts";

export interface Resident {
  /** Number in the palette. */
  kind: number;
  /** Wants the same label as the others that share it. */
  shared: boolean;
  place: "default" | "second" | "guest";
}

export type Forgery = "collection" | "adopted" | "pattern" | "known" | "garbage" | "removed" | "copied";

/** `who` is the number of a resident. */
export type Command =
  | { do: "create"; who: number; forged?: Forgery | undefined; adopts?: "id" | "filter" | undefined }
  | { do: "edit"; who: number; change: number }
  | { do: "rename"; who: number; to: string }
  | { do: "manage"; who: number; management: Record<string, string> }
  | { do: "annotate"; who: number; how: "retry" | "letGo" }
  | { do: "forge"; who: number; how: Forgery }
  | { do: "strip"; who: number }
  | { do: "restore"; who: number; forged?: Forgery | undefined }
  | { do: "delete"; who: number }
  | { do: "deleteLate"; who: number; ms: number }
  | { do: "fault"; method: "GET" | "POST" | "PUT" | "DELETE"; kind: FaultKind; ms: number; times: number }
  | { do: "removeRow"; who: number }
  | { do: "tamper"; who: number }
  | { do: "replaceRow"; who: number; same: boolean }
  | { do: "addRow"; who: number }
  | { do: "oddRow"; who: number; odd: "label" | "created" | "rule" }
  | { do: "withdraw"; who: number }
  | { do: "restoreGrants" }
  | { do: "crash"; steps: number; downMs: number }
  | { do: "watches"; how: "late" | "held" | "repeated" | "prompt" | "listed" }
  | { do: "pass"; ms: number };

export interface Life {
  residents: Resident[];
  cloudMs: number;
  kubeMs: number;
  lagMs: number;
  dateAheadMs: number;
  reuseIds: boolean;
  /** The account's events are read. */
  events: boolean;
  commands: Command[];
}

/** One line for each command, for people. */
export function told({ residents, commands, ...world }: Life): string[] {
  const who = residents.map(
    ({ kind, shared, place }, index) => `#${index} kind ${kind}${shared ? " shared" : ""} ${place}`,
  );
  const knobs = Object.entries(world).filter(([, value]) => value !== 0 && value !== false);
  return [
    `residents: ${who.join("; ")}`,
    ...(knobs.length > 0 ? [`world: ${knobs.map(([name, value]) => `${name} ${String(value)}`).join(", ")}`] : []),
    ...commands.map((command) => {
      const { do: what, ...rest } = command;
      const details = Object.entries(rest).filter(([, value]) => value !== undefined);
      return `${what} ${details.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}`.trim();
    }),
  ];
}
