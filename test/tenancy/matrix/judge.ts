/** The result of a cell: expected by the classification, and found in the ledger and in the object. */
import type { LedgerEntry } from "../../world/dispatcher.ts";
import type { Candidate } from "./candidates.ts";
import { isPermitted, missingGrants } from "./cells.ts";
import type { Cell } from "./cells.ts";
import type { Played } from "./play.ts";
import { contains, textsIn } from "./secrets.ts";
import { isNamedIn } from "./things.ts";

/**
 * `sent`: a request uses the value of the field, or the object with the reach sends a request.
 * `refused`: NotShared names the reason, and no request uses the value.
 * `gone`: the object is removed. A request names the foreign cloud object only to remove what this object created there.
 * `kept`: no request contains the bytes of the Secret, and the Secret is unchanged.
 * `nothing`: no request leaves for the object.
 */
export type Result = "sent" | "refused" | "gone" | "kept" | "nothing";

/** Returns the result that the classification demands. */
export function expected(cell: Cell, candidate: Candidate): Result {
  const { field, value, operation, place } = cell;
  if (place === "foreign") return "nothing";
  if (field.is === "secret" && value !== "own") return "kept";
  const permitted = isPermitted(cell, candidate);
  if (operation !== "delete") return permitted ? "sent" : "refused";
  const isRemoved = field.kind.stays === undefined;
  return field.is === "adoption" && !permitted && isRemoved ? "refused" : "gone";
}

/** Returns the result. Without a fitting result, returns the facts as text. */
export function found(cell: Cell, played: Played, candidate: Candidate): string {
  const uses = usesIn(cell, played);
  return resultOf(cell, { ...played, uses }, candidate) ?? factsOf(played, uses);
}

interface Judged extends Played {
  /** Requests that use the value of the field. */
  uses: readonly LedgerEntry[];
}

function resultOf(cell: Cell, played: Judged, candidate: Candidate): Result | undefined {
  const { field, value, operation, place } = cell;
  const { uses, requests, written, object, reason } = played;
  if (place === "foreign") return uses.length + requests.length === 0 && !written ? "nothing" : undefined;
  if (field.is === "secret" && value !== "own") return uses.length === 0 && !written ? "kept" : undefined;
  if (isRefused(cell, played, candidate)) return "refused";
  if (operation === "delete") {
    const isLimited = isPermitted(cell, candidate) || uses.every((one) => isTakingBack(cell, one));
    return !object && isLimited ? "gone" : undefined;
  }
  const isAdopted = played.adopted !== undefined && object?.status?.["id"] === played.adopted;
  const isSent = uses.length > 0 || written || isAdopted || isDecided(cell, played, candidate);
  return reason !== "NotShared" && isSent ? "sent" : undefined;
}

function factsOf({ reason, message, requests }: Played, uses: readonly LedgerEntry[]): string {
  const shown = uses.length > 0 ? uses : requests;
  const lines = shown.map(({ method, path, author = "a poll" }) => `${method} ${path} by ${author}`);
  return `${reason}: ${message} | ${lines.join(", ")}`;
}

/** Returns true if the operator accepted the value and has no request to send. */
function isDecided({ field, operation }: Cell, { reason, message, object }: Played, { own }: Candidate): boolean {
  // Two objects of the namespace use one cloud object.
  if (own.length > 0 && reason === "Conflict") return true;
  // The kind permits the value only in a creation.
  if (operation === "change" && reason === "InvalidSpec" && message.startsWith(`spec.${field.path}:`)) return true;
  const isSettled = object?.status?.["observedGeneration"] === object?.metadata.generation && reason === "Ready";
  // Requests never contain the name. The operator compares the name with rows.
  if (field.is === "name" && field.name.covered) return isSettled;
  return field.is === "reach" && isSettled;
}

/** Returns the requests that use the value of the field. */
function usesIn({ field, value }: Cell, { all, requests, adopted, own, bytes }: Played): readonly LedgerEntry[] {
  if (field.is === "reach") return requests;
  if (field.is === "secret") return all.filter((entry) => contains(entry, bytes));
  const names = value === "own" ? own : [adopted].filter((one) => one !== undefined);
  if (field.is === "adoption" || value === "own")
    return all.filter((entry) => names.some((one) => isNaming(entry, one)));
  if (value === "public") return requests.filter((entry) => isNaming(entry, "compute/debian12"));
  // A name that requests do not contain serves comparisons. Requests of the object show that the operator uses it.
  if (field.name.covered) return requests;
  return all.filter(({ path, body }) => isNamedIn([decodeURIComponent(path), ...textsIn(body)].join(" ")));
}

function isNaming({ path, body }: LedgerEntry, id: string): boolean {
  return decodeURIComponent(`${path}/`).includes(`/${id}/`) || textsIn(body).includes(id);
}

/** Returns true for a read, and for a request that only removes what the object created. */
function isTakingBack({ field }: Cell, { method, path }: LedgerEntry): boolean {
  if (method === "GET") return true;
  if (field.kind.shape === "setting") return field.kind.undo !== undefined;
  if (field.is === "reach") return method === "DELETE";
  // A POST to the URL of an object in a bucket signs the DELETE of the object.
  const isBelow = field.is === "name" && isNamedIn(decodeURIComponent(path.split("/").slice(0, -1).join("/")));
  return isBelow && (method === "DELETE" || path.endsWith("/object-url"));
}

/** Returns true if the condition names the cause, the object changed nothing, and no request uses the value. */
function isRefused(cell: Cell, { uses, requests, reason, message, written }: Judged, candidate: Candidate): boolean {
  const { field, operation } = cell;
  const lacking = missingGrants(cell, candidate);
  const isQuiet = uses.length === 0 && !written && requests.every(({ method }) => method === "GET");
  const isTold = lacking.some((list) => message.includes(`spec.sharing.${list}`));
  // The operator reports a missing permission for the reach or the adoption before a name.
  const isFirst = field.is === "name" && operation !== "adopt" && lacking[0] === "existing";
  const named = `spec.${field.path.replaceAll("[]", "[0]")}: `;
  return reason === "NotShared" && isQuiet && isTold && (!isFirst || message.startsWith(named));
}
