/** The one POST of an attempt, and what is known after it: design, section 5, steps 5 to 7. */
import { publishSecret } from "./publish-secret.ts";
import { announce } from "../store/announce.ts";
import type { HttpError } from "../../api/errors.ts";
import type { Json, JsonObject, Permit } from "../../api/types.ts";
import { askedBeside, naturalKey, shows } from "../kind/fields.ts";
import type { Request } from "../kind/call.ts";
import { lately } from "../kind/memoize.ts";
import type { Kind } from "../kind/owned.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import { externalId } from "../kind/schema.ts";
import { noteGenerated } from "../secrets/generated.ts";
import { secretOf } from "../secrets/own-secrets.ts";
import { shownIn as shownOnceIn } from "../secrets/shown-once.ts";
import { carryOut } from "../send/change.ts";
import type { Located, Observed } from "../model/context.ts";
import { tagOfAnother } from "../model/tags.ts";
import { existing, proveAbsent, refuseExisting, Unclear } from "./absence.ts";
import type { Intent } from "../model/intent.ts";
import { originOf } from "../model/origin.ts";
import { requesterOf } from "../model/creator.ts";
import { nameFor, ownerOf } from "../model/ownership.ts";
import { record } from "../store/record.ts";
import { isRefusal, noteRefusal } from "../send/refusals.ts";
import { searchLost, stillSearching } from "../read/search.ts";
import type { Found } from "../read/search.ts";
import type { Before } from "../read/taken.ts";
import { times } from "../kind/times.ts";

/** The request of an attempt, and what the operator knew before. */
interface Attempt {
  intent: Intent;
  call: Request;
  permit: Permit;
  before: Before;
}

/** Sends the POST and records what the response names. Throws `Waiting` if the outcome is unknown. */
export async function post(at: Located, { intent, call, permit, before }: Attempt): Promise<Observed> {
  const { environment, kind, session, collection, object, remembered } = at;
  // Sent again, an attempt that was refused before is as uncertain as any.
  remembered.refusedAttempt = undefined;
  remembered.duplicated = undefined;
  const { searched } = remembered;
  remembered.searched = undefined;
  environment.memory.creating(object);
  remembered.asked = { at: environment.clock.now(), values: askedBeside(kind, call.body) };
  noteGenerated(at);
  let made: Made | undefined;
  const isFreeName = kind.unique === "returnsExisting";
  try {
    const sent = { priority: "create", urgent: at.urgent, permit } as const;
    const answer = await carryOut(at, call, sent, {
      prove: () => (isFreeName ? proveAbsent(at, intent) : Promise.resolve()),
      refuse: () => appeared(at, intent),
    });
    made = kind.answersNothing ? undefined : readMade(at, answer);
    if (made && isFreeName) await refuseExisting(at, intent, made, before);
    else if (made) refuseMixedUp(at, intent, made, before);
  } catch (error) {
    // After an attempt without a response, the refusal can be about the result of that attempt. A whole search takes time.
    if (isRefused(error)) remembered.searched = searched;
    const isPlain = intent.since === undefined && isRefusal(error);
    noteRefusal(at, call, error, isPlain ? undefined : environment.slowPassMs() / 2);
    recordFailure(at, intent, error, before);
    throw error;
  }
  if (!made) return recordAccepted(at, intent, before);
  const observed = record(at, made, { applied: intent.applied });
  session.observer.put(collection, made.id, made.row, at.key);
  announceCreated(at, made.id);
  if (!made.shown) return observed;
  // Before anything else is written: nobody else knows it, and a crash would lose it.
  remembered.shown = { id: made.id, values: made.shown };
  await publishSecret(observed);
  return observed;
}

/** What is there when a creation is about to be carried out: somebody else's, or what the attempt before has created. */
function appeared(at: Located, intent: Intent): Error {
  if (intent.since === undefined) return existing(at, intent, nameOf(at), "exists already");
  return new Waiting(
    "Creating",
    `${nameOf(at)} exists by now; searching whether an earlier attempt created it`,
    times.soon,
  );
}

/** Searches for what was accepted, as after a lost response. Throws `Waiting` until it appears. */
async function recordAccepted(at: Located, intent: Intent, { rows }: Before): Promise<Observed> {
  const now = at.environment.clock.now();
  at.remembered.lost = { at: now, attempt: intent.attempt, before: new Set(rows.keys()) };
  // What was listed before the request left does not show it, also where the clock has not moved since.
  const found = await searchLost(at, intent, now + 0.001);
  if (!found) throw stillSearching(at, intent, times.soon);
  announceCreated(at, found.id);
  return record(at, found, { applied: intent.applied });
}

export function announceCreated({ environment, object, collection }: Located, id: string): void {
  const note = `Created ${id} in ${collection.path}`;
  announce(environment, object, { type: "Normal", reason: "Created", action: "Create", note, id });
}

/** What is about to be created, for people. */
function nameOf({ kind, wanted }: Located): string {
  return Object.values(naturalKey(kind, wanted)).map(String).join("/");
}

interface Made extends Found {
  shown: Record<string, string> | undefined;
}

/** Throws `Unclear` for a response without a readable ID, or without a value that only the response shows. */
function readMade(at: Located, answer: Json): Made {
  const { collection, kind } = at;
  if (kind.absentIn?.(answer, collection.path))
    throw new Unclear("the cloud does not show it after the create request");
  try {
    const all = answer as JsonObject;
    const row = collection.project((kind.answered ? kind.answered(all) : all) as JsonObject);
    const id = idSchemaOf(kind).parse(collection.idOf(row));
    return { id, row, shown: shownOnceIn(secretOf(at, row), all) };
  } catch (error) {
    throw new Unclear("the response to the create request cannot be read", { cause: error });
  }
}

/**
 * Throws `Unclear` if responses were mixed up on the way: the row was there before, or another object created or requested the row. Any
 * other row is the result, also if the service stored other values than the request has.
 */
function refuseMixedUp(at: Located, intent: Intent, { id, row }: Found, { rows }: Before): void {
  const { kind, wanted, environment, object, collection } = at;
  if (intent.previous === id) return;
  const what = "the response to the create request shows a cloud object that";
  if (wasThere(at, intent, { id, row }, rows.get(id))) throw new Unclear(`${what} existed before`);
  const key = naturalKey(kind, wanted);
  if (shows(kind, row, key)) return;
  const other = ownerOf(environment, object, { collection: collection.path, id }) ?? requesterOf(at, row, key);
  if (other) throw new Unclear(`${what} ${nameFor(at, other)} requested`);
  if (tagOfAnother(at, row) !== undefined) throw new Unclear(`${what} another installation created`);
}

/** Returns true for a row that a list showed before the request. The service can use an ID again, so the origin counts too. */
function wasThere({ kind }: Located, { known }: Intent, { id, row }: Found, before: JsonObject | undefined): boolean {
  return before ? originOf(kind, before) === originOf(kind, row) : known.includes(id);
}

/** Returns true if the request did nothing: the search for the result of an earlier attempt continues. */
function isRefused(error: unknown): boolean {
  return isHttpError(error) && error.outcome === "refused";
}

/** It was not sent, or refused whatever there is: what the attempt before may have created has nothing to do with it. */
function isUnrelated({ unique }: Kind, { status }: HttpError): boolean {
  if (status === 400) return unique === "none" || unique === "several";
  return status === undefined || status === 403 || status === 429;
}

/** It may be refused because of what the attempt before has created right now: that is searched for at once. */
function duplicate({ remembered }: Located, { attempt }: Intent, error: HttpError): Waiting {
  remembered.duplicated = attempt;
  const text = `${error.message}; searching whether an earlier create request created it`;
  return new Waiting("Creating", text, times.soon);
}

/** Built once for a kind: that takes far longer than reading an id. */
const idSchemaOf = lately(({ idPattern }: Kind) => externalId(idPattern));

/** Remembers what is known of a POST that failed; an ambiguous one becomes a wait. */
function recordFailure(at: Located, intent: Intent, error: unknown, { rows }: Before): void {
  if (!isHttpError(error) && !(error instanceof Unclear)) return;
  if (isHttpError(error) && error.outcome === "refused") {
    if (intent.since !== undefined && !isUnrelated(at.kind, error)) throw duplicate(at, intent, error);
    at.remembered.refusedAttempt = intent.attempt;
    // What the status says anyway is stored with it, so that a restart need not search.
    if (isUnrelated(at.kind, error) || error.status === 400) at.next.refusedAttempt = intent.attempt;
    if (intent.since !== undefined) return;
    at.remembered.generated = undefined;
    at.environment.memory.created(at.object.metadata.uid);
    return;
  }
  const { message } = error;
  const before = new Set(rows.keys());
  at.remembered.lost = { at: at.environment.clock.now(), attempt: intent.attempt, message, before };
  at.environment.log.warn(
    { key: at.key, attempt: intent.attempt, error: message },
    "a create request got no clear response",
  );
  throw stillSearching(at, intent, times.soon);
}
