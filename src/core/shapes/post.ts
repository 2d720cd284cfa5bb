/** Sends the only POST of an attempt, and records the outcome (docs/decisions/0015). */
import { nameOf } from "../kind/naming.ts";
import { publishSecret } from "./publish-secret.ts";
import { announce } from "../store/announce.ts";
import type { HttpError } from "../../api/errors.ts";
import type { Json, JsonObject, Permit } from "../../api/types.ts";
import { askedBeside, naturalKey, shows } from "../kind/fields.ts";
import type { Request } from "../kind/call.ts";
import { memoize } from "../kind/memoize.ts";
import type { Kind } from "../kind/owned.ts";
import { describeRequest, isHttpError, Waiting } from "../kind/outcome.ts";
import { externalId } from "../kind/schema.ts";
import { noteGenerated } from "../secrets/generated.ts";
import { secretOf } from "../secrets/own-secrets.ts";
import { shownOnceIn } from "../secrets/shown-once.ts";
import { carryOut } from "../send/change.ts";
import type { Located, Observed } from "../model/context.ts";
import { tagOfAnother } from "../model/tags.ts";
import { existing, proveAbsent, refuseExisting, Unclear } from "./absence.ts";
import { continueSearch, noteLeaving, noteNoEffect } from "../model/attempt.ts";
import type { JournalEntry } from "../model/journal.ts";
import { originOf } from "../model/origin.ts";
import { requesterOf } from "../model/creator.ts";
import { nameFor, ownerOf } from "../model/owners.ts";
import { record } from "../store/record.ts";
import { isRefusal, noteRefusal } from "../send/refusals.ts";
import { searchLost, stillSearching } from "../read/search.ts";
import type { Found } from "../read/search.ts";
import type { Before } from "../read/taken.ts";
import { times } from "../kind/times.ts";

interface Sending {
  entry: JournalEntry;
  call: Request;
  permit: Permit;
  before: Before;
}

/** Sends the POST and records the ID of the response. Throws `Waiting` if the outcome is unknown. */
export async function post(ctx: Located, { entry, call, permit, before }: Sending): Promise<Observed> {
  const { environment, kind, session, collection, object, remembered } = ctx;
  // A refused attempt becomes uncertain when the operator sends the request again.
  const search = noteLeaving(remembered, entry.attempt, environment.clock.now());
  environment.memory.creating(object);
  remembered.asked = { at: environment.clock.now(), values: askedBeside(kind, call.body) };
  noteGenerated(ctx);
  let made: Created | undefined;
  const isFreeName = kind.unique === "returnsExisting";
  try {
    const sent = { priority: "create", urgent: ctx.urgent, permit } as const;
    const answer = await carryOut(ctx, call, sent, {
      prove: () => (isFreeName ? proveAbsent(ctx, entry) : Promise.resolve()),
      refuse: () => appeared(ctx, entry),
    });
    made = kind.answersNothing ? undefined : readMade(ctx, answer);
    if (made && isFreeName) await refuseExisting(ctx, entry, made, before);
    else if (made) refuseMixedUp(ctx, entry, made, before);
  } catch (error) {
    // The result of an earlier attempt can cause the refusal, so the search for that result continues.
    continueSearch(remembered, search, error);
    const isPlain = entry.since === undefined && isRefusal(error);
    noteRefusal(ctx, call, error, isPlain ? undefined : environment.resyncMs() / 2);
    recordFailure(ctx, entry, error, before);
    throw error;
  }
  if (!made) return recordAccepted(ctx, entry, before);
  const observed = record(ctx, made, { applied: entry.applied });
  session.observer.put(collection, made.id, made.row, ctx.key);
  announceCreated(ctx, made);
  if (!made.shown) return observed;
  // Only this process knows the values, and a crash would lose them. The operator therefore publishes them before other
  // writes.
  remembered.shown = { id: made.id, values: made.shown };
  await publishSecret(observed);
  return observed;
}

/**
 * Returns the error if the cloud object appears right before the creation. Another user or an earlier attempt created
 * it.
 */
function appeared(ctx: Located, entry: JournalEntry): Error {
  if (entry.since === undefined) return existing(ctx, entry, createdName(ctx));
  return new Waiting(
    "Creating",
    `${nameOf(ctx.kind, createdName(ctx))} now exists. The operator checks if an earlier create request created it`,
    times.soon,
  );
}

/**
 * Searches for the cloud object of an accepted request whose response names no ID. Throws `Waiting` until the cloud
 * object appears.
 */
async function recordAccepted(ctx: Located, entry: JournalEntry, { rows }: Before): Promise<Observed> {
  const now = ctx.environment.clock.now();
  ctx.remembered.attempt = { id: entry.attempt, state: "accepted", at: now, before: new Set(rows.keys()) };
  // A list from before the request does not count, even if the clock has not advanced since.
  const found = await searchLost(ctx, entry, now + 0.001);
  if (!found) throw stillSearching(ctx, entry, times.soon);
  announceCreated(ctx, found);
  return record(ctx, found, { applied: entry.applied });
}

export function announceCreated({ environment, object, kind }: Located, { id, row }: Found): void {
  const note = `Created ${nameOf(kind, id, row)}`;
  announce(environment, object, { type: "Normal", reason: "Created", action: "Create", note, id });
}

function createdName({ kind, desired }: Located): string {
  return Object.values(naturalKey(kind, desired)).map(String).join("/");
}

interface Created extends Found {
  shown: Record<string, string> | undefined;
}

/** Throws `Unclear` for a response without a readable ID, or without a value that only the response shows. */
function readMade(ctx: Located, answer: Json): Created {
  const { collection, kind } = ctx;
  if (kind.absentIn?.(answer, collection.path)) throw new Unclear("the cloud does not show the new cloud object");
  try {
    const all = answer as JsonObject;
    const row = collection.project((kind.answered ? kind.answered(all) : all) as JsonObject);
    const id = idSchemaOf(kind).parse(collection.idOf(row));
    return { id, row, shown: shownOnceIn(secretOf(ctx, row), all) };
  } catch (error) {
    throw new Unclear("the operator cannot read the response", { cause: error });
  }
}

/**
 * Throws `Unclear` if a gateway mixed up responses: the row existed before, or another object created or requested the
 * row. Other rows are the result, even if the stored values differ from the request.
 */
function refuseMixedUp(ctx: Located, entry: JournalEntry, { id, row }: Found, { rows }: Before): void {
  const { kind, desired, environment, object, collection } = ctx;
  if (entry.previous === id) return;
  const what = "the response shows a cloud object that";
  if (wasThere(ctx, entry, { id, row }, rows.get(id))) throw new Unclear(`${what} existed before`);
  const key = naturalKey(kind, desired);
  if (shows(kind, row, key)) return;
  const other = ownerOf(environment, object, { collection: collection.path, id }) ?? requesterOf(ctx, row, key);
  if (other) throw new Unclear(`${what} ${nameFor(ctx, other)} requested`);
  if (tagOfAnother(ctx, row) !== undefined) throw new Unclear(`${what} another installation created`);
}

/**
 * Tests if a list showed the row before the request. The cloud API can reuse an ID, so the function also compares
 * origins.
 */
function wasThere(
  { kind }: Located,
  { known }: JournalEntry,
  { id, row }: Found,
  before: JsonObject | undefined,
): boolean {
  return before ? originOf(kind, before) === originOf(kind, row) : known.includes(id);
}

/** Tests if the refusal has a reason that no earlier attempt can cause, such as a missing grant or the rate limit. */
function isUnrelated({ unique }: Kind, { status }: HttpError): boolean {
  if (status === 400) return unique === "none" || unique === "several";
  return status === undefined || status === 403 || status === 429;
}

/** Returns the wait for a search. An earlier attempt may have just created the cloud object that causes the refusal. */
function duplicate({ remembered, environment }: Located, { attempt: id }: JournalEntry, error: HttpError): Waiting {
  remembered.attempt = { ...remembered.attempt, id, state: "duplicate", at: environment.clock.now() };
  const text = `${describeRequest(error)} ${error.what}. The operator checks if an earlier create request succeeded`;
  return new Waiting("Creating", text, times.soon);
}

/** Caches the schema of a kind, because its construction takes longer than a parse. */
const idSchemaOf = memoize(({ idPattern }: Kind) => externalId(idPattern));

/** Records a failed POST. Throws `Waiting` if the outcome is unknown. */
function recordFailure(ctx: Located, entry: JournalEntry, error: unknown, { rows }: Before): void {
  if (!isHttpError(error) && !(error instanceof Unclear)) return;
  if (isHttpError(error) && error.outcome === "refused") {
    if (entry.since !== undefined && !isUnrelated(ctx.kind, error)) throw duplicate(ctx, entry, error);
    noteNoEffect(ctx.remembered, entry.attempt, "refused", ctx.environment.clock.now());
    // The status stores a certain refusal, so that the operator does not search after a restart.
    if (isUnrelated(ctx.kind, error) || error.status === 400) ctx.next.refusedAttempt = entry.attempt;
    if (entry.since !== undefined) return;
    ctx.remembered.generated = undefined;
    ctx.environment.memory.created(ctx.object.metadata.uid);
    return;
  }
  const message = isHttpError(error) ? error.what : `got no clear response: ${error.message}`;
  const at = ctx.environment.clock.now();
  ctx.remembered.attempt = { id: entry.attempt, state: "unknown", at, message, before: new Set(rows.keys()) };
  ctx.environment.log.warn(
    { key: ctx.key, attempt: entry.attempt, error: error.message },
    "a create request got no clear response",
  );
  throw stillSearching(ctx, entry, times.soon);
}
