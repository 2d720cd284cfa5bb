/**
 * Proof that a cloud object belongs to a custom resource. The search for the result of a lost create request compares label and
 * time. Another user can create the same label at the same time. So a deletion takes a `Proven`, and the search returns a `Found`.
 */
import type { JsonObject } from "../../api/types.ts";
import { announce } from "../flow/announce.ts";
import { creationsSince } from "../flow/outlived.ts";
import type { Located, Observed } from "../flow/reconciliation.ts";
import type { AccountStatus } from "../kind/account-spec.ts";
import { Stalled } from "../kind/outcome.ts";
import { isDiscarded } from "./claim.ts";
import { retryCreateAnnotation } from "./intent.ts";
import type { Intent } from "./intent.ts";
import { apiTime } from "./origin.ts";
import { sinceSent } from "./elapsed.ts";
import { stillSearching } from "./search.ts";
import type { Found } from "./search.ts";
import { settleMsOf } from "./settle.ts";
import { roundingMs, skewOf } from "./skew.ts";
import { unanswered, untold } from "./uncertain.ts";

const proof = Symbol("proof");

/** A cloud object with a proof of ownership. Only the functions of this file make a `Proven`. */
export interface Proven extends Found {
  readonly [proof]: "record" | "tag" | "event" | "user";
}

/** Returns the cloud object that the signed record of the custom resource names. */
export function recordedOf({ id, row }: Observed): Proven {
  return { id, row, [proof]: "record" };
}

/** Returns the cloud object that the signed intent names as the former one; undefined if the intent names none. */
export function retiredOf({ retires }: Intent, row: JsonObject): Proven | undefined {
  return retires && { id: retires.id, row, [proof]: "record" };
}

/**
 * Returns the cloud object with the proof that the attempt created the cloud object. Returns undefined if the user allowed another
 * attempt. Throws `Waiting` while the event may still appear. Throws `Stalled` without a proof.
 */
export async function proveCreated(at: Located, { id, row }: Found, intent: Intent): Promise<Proven | undefined> {
  // The search finds only rows with the tag that was sent.
  if (intent.tag !== undefined) return { id, row, [proof]: "tag" };
  // A former process had the proof and signed the decision to delete.
  if (isDiscarded(at, intent) && at.next.deletedID === id) return { id, row, [proof]: "record" };
  // If several cloud objects match, the condition asks the user to name the right one.
  if (at.management.adopt?.id === id) return { id, row, [proof]: "user" };
  const flight = flightOf(at, intent);
  const told = flight === undefined ? undefined : await toldIn(at, id, flight);
  if (told === "own") return { id, row, [proof]: "event" };
  if (at.object.metadata.annotations?.[retryCreateAnnotation] === intent.attempt) return undefined;
  const leftMs = settleMsOf(at) - sinceSent(at, intent);
  if (told === "nothing" && leftMs > 0) throw stillSearching(at, intent, Math.min(leftMs, eventMs));
  throw untold(at, intent, id);
}

/**
 * Tests for a proof before the cloud object is deleted together with its custom resource. Throws as `proveCreated`. A cloud object
 * without proof stays in the cloud, with an event, if the custom resource is gone and so cannot ask the user.
 */
export async function isProvenToDelete(at: Located, found: Found, intent: Intent): Promise<boolean> {
  try {
    return (await proveCreated(at, found, intent)) !== undefined;
  } catch (error) {
    if (!at.stray || !(error instanceof Stalled)) throw error;
    const note = `${unanswered(at, intent)}, and ${found.id} may be what it created. Nothing proves that, so ${found.id} stays in the cloud`;
    announce(at.environment, at.object, {
      type: "Warning",
      reason: "CreateUncertain",
      action: "Delete",
      note,
      id: found.id,
    });
    return false;
  }
}

/** The events of the cloud may appear some seconds after the change; milliseconds. */
const eventMs = 5_000;

interface Flight {
  sentMs: number;
  failedMs: number;
}

/**
 * Returns when the request left and when the response failed, milliseconds since the epoch by the clock of the events. Returns
 * undefined after a restart: the new process does not know when the request of the former process ended.
 */
function flightOf(at: Located, intent: Intent): Flight | undefined {
  const { lost } = at.remembered;
  if (lost?.attempt !== intent.attempt || lost.sentAt === undefined) return undefined;
  const aheadMs = intent.skewMs ?? skewOf(at) ?? 0;
  const atServer = at.session.client.serverTime().getTime() - at.environment.clock.now() - aheadMs;
  return { sentMs: atServer + lost.sentAt, failedMs: atServer + lost.at };
}

/**
 * Tests whether the events prove that the attempt created the cloud object. Events have whole seconds, so the second of the event
 * must end before the response failed. Otherwise a key that a user creates right after a fast 502 would count as the operator's key.
 */
async function toldIn(at: Located, id: string, { sentMs, failedMs }: Flight): Promise<"own" | "another" | "nothing"> {
  const { createdEvent: name } = at.kind;
  const { username } = (at.cloudAccount?.status ?? {}) as AccountStatus;
  if (name === undefined || username === undefined) return "another";
  const events = await creationsSince(at, { name, time: new Date(sentMs).toISOString() });
  const ofThis = events.filter(({ entity }) => `${entity?.id}` === id);
  if (ofThis.length === 0) return "nothing";
  const label = ofThis[0]?.entity?.label;
  const alike = events.filter((event) => event.username === username && event.entity?.label === label);
  const inFlight = alike.filter(({ created }) => apiTime(created) <= failedMs + roundingMs);
  const [only, ...others] = inFlight;
  const isOwn = only !== undefined && others.length === 0 && `${only.entity?.id}` === id;
  return isOwn && apiTime(only.created) + roundingMs <= failedMs ? "own" : "another";
}
