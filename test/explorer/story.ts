/** A life as data: who lives in which world, and what happens to them. */
import type { FaultKind } from "../world/faults.ts";
import type { Stored } from "./stored.ts";

export interface Resident {
  /** Number in the palette. */
  kind: number;
  /** Wants the same label as the others that share it. */
  shared: boolean;
  place: "default" | "second" | "guest";
}

export type Attached = "resident" | "victim" | "odd" | "unknown" | "byId";

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
  /** The API server fails writes, or carries them out and does not answer. */
  | { do: "writeFault"; verb: "patch" | "patch-status"; how: "refused" | "lostAfter"; times: number }
  | { do: "removeRow"; who: number }
  | { do: "tamper"; who: number }
  | { do: "replaceRow"; who: number; same: boolean }
  /** What holds its row is removed; `by`: others get one in its place, under its id. */
  | { do: "takeHolder"; who: number; by: "nobody" | "others" }
  | { do: "addRow"; who: number }
  | { do: "oddRow"; who: number; odd: "label" | "created" | "rule" }
  | { do: "withdraw"; who: number }
  | { do: "restoreGrants" }
  | { do: "crash"; steps: number; downMs: number }
  /** A firewall is to protect: residents' instances, others' by id, in an odd spelling, or what does not exist. */
  | { do: "attach"; who: number; to: Attached[] }
  /** Observes what another resident manages, or watches over what others made. */
  | { do: "observe"; who: number; whom: number }
  | { do: "adopt"; who: number; what: "own" | "victim" | "filter" | "none" }
  /** The token in the account's Secret: another of the user, of another user, of another account, or the first. */
  | { do: "rotate"; to: "fresh" | "user" | "stranger" | "first"; revoke: boolean }
  | { do: "poll"; seconds: number | null }
  | { do: "account"; how: "delete" | "create" }
  /** All that is in the namespace, Secrets and the account too. */
  | { do: "deleteNamespace" }
  | { do: "handOver"; ms: number }
  | { do: "slowTenant"; place: "default" | "second"; ms: number; times: number }
  /** Somebody has a Secret of the name that the operator would write. */
  | { do: "takeSecret"; who: number }
  /** The service shows longer values than anybody expected. */
  | { do: "lengthen"; who: number }
  /** The service says that it changed it, and did not. */
  | { do: "stubborn"; who: number }
  | { do: "forgeStatus"; who: number }
  | { do: "watches"; how: "late" | "held" | "repeated" | "prompt" | "listed" }
  | { do: "pass"; ms: number };

/** What is about no resident. */
export type AccountCommand = Extract<
  Command,
  { do: "rotate" | "poll" | "account" | "deleteNamespace" | "handOver" | "slowTenant" }
>;

export interface Life {
  residents: Resident[];
  cloudMs: number;
  kubeMs: number;
  lagMs: number;
  dateAheadMs: number;
  reuseIds: boolean;
  /** Reconciles that an operator runs at once; eight if not given. */
  workers?: number | undefined;
  /** The account's events are read. */
  events: boolean;
  /** A value that the service stores in another form than requests have. */
  stores?: Stored | undefined;
  commands: Command[];
}

/** One line for each command, for people. */
export function told({ residents, commands, stores, ...world }: Life): string[] {
  const who = residents.map(
    ({ kind, shared, place }, index) => `#${index} kind ${kind}${shared ? " shared" : ""} ${place}`,
  );
  const knobs = Object.entries(world).filter(([, value]) => value !== 0 && value !== false);
  return [
    `residents: ${who.join("; ")}`,
    ...(knobs.length > 0 ? [`world: ${knobs.map(([name, value]) => `${name} ${String(value)}`).join(", ")}`] : []),
    ...(stores ? [`the service stores ${stores.field} in another form: ${stores.form}`] : []),
    ...commands.map((command) => {
      const { do: what, ...rest } = command;
      const details = Object.entries(rest).filter(([, value]) => value !== undefined);
      return `${what} ${details.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}`.trim();
    }),
  ];
}
