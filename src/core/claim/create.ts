/**
 * Nothing twice: creating a cloud object for an object that has none (design, section 5).
 *
 * Guarantees: a POST leaves only after an intent was stored on a version of the object that the API server confirmed;
 * while it is not known what became of a POST, no other leaves; what existed before is never taken for ours.
 */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../define-kind.ts";
import { matches, plain } from "../differences.ts";
import { putFinalizer } from "../finalizer.ts";
import { isHttpError, Stalled, Waiting } from "../outcome.ts";
import type { Located, Observed } from "../reconciliation.ts";
import { resolveReferences } from "../references.ts";
import { refuseTakenSecrets } from "../secrets.ts";
import { tagged } from "../tags.ts";
import { claimedBy } from "./claim.ts";
import type { Claim } from "./claim.ts";
import { confirmStillMeant } from "./confirm.ts";
import { intentAnnotation, newIntent, retryCreateAnnotation, signed } from "./intent.ts";
import type { Intent } from "./intent.ts";
import { apiTime } from "./origin.ts";
import { identityOf, nameOf, ownerOf, realAccountOf, rivalOf } from "./ownership.ts";
import { record } from "./record.ts";
import { noteRefusal, refuseAgain } from "./refusal.ts";
import { contradicts, searchLost, settleMsOf, unknownSkewMs } from "./search.ts";

/** Creates, or finds what an earlier attempt created. Throws `Waiting` while that is uncertain. */
export async function ensureCreated(at: Located, claim: Claim): Promise<Observed> {
  const earlier = claim.state === "open" ? claim.intent : undefined;
  const found = earlier && (await searchLost(at, earlier));
  if (found) return record(at, found, { applied: earlier.applied });
  const rows = await rowsBefore(at);
  refuseTaken(at, rows);
  at.wanted = await resolveReferences(at, true);
  await refuseTakenSecrets(at);
  const call = creationCall(at);
  refuseAgain(at, call);
  return begin(at, async () => {
    const intent = reusable(at, earlier) ?? (await storeIntent(at, rows, call, earlier));
    // Until it leaves, nothing can come of it.
    at.remembered.refusedAttempt = intent.attempt;
    await confirmStillMeant(at);
    return post(at, intent, call);
  });
}

/**
 * What is there before. For what costs money, and where a creation answers with what exists, a list that was begun after
 * this reconcile; for the rest one no older than a sweep, since `created` tells what appeared in between.
 */
async function rowsBefore(at: Located): Promise<ReadonlyMap<string, JsonObject>> {
  const { billable, uniqueness, createdField } = at.kind.lostCreate;
  const told = createdField !== undefined && skewOf(at) !== undefined;
  const fresh = billable || uniqueness === "returnsExisting" || !told;
  const after = at.startedAt - (fresh ? 0 : at.environment.sweepMs);
  const { rows, unreadable } = await at.session.observer.snapshot(at.collection, { after, urgent: at.urgent });
  at.unread = [...unreadable.keys()];
  return rows;
}

function skewOf({ environment, object }: Located): number | undefined {
  return environment.memory.skew.get(realAccountOf(environment, object));
}

function naturalKeyOf({ kind, wanted }: Located): JsonObject {
  return plain(kind.lostCreate.naturalKey(wanted));
}

/** How soon it is tried again whether the other object has let go, milliseconds. */
export const rivalMs = 30_000;

function refuseTaken(at: Located, rows: ReadonlyMap<string, JsonObject>): void {
  const key = naturalKeyOf(at);
  const taken = [...rows].find(([, row]) => matches(row, key));
  if (!taken) return;
  const [id] = taken;
  const owner = ownerOf(at.environment, at.object, { collection: at.collection.path, id });
  const how = owner
    ? `It is managed by ${nameOf(owner)}; choose another`
    : `To take it over, set spec.management.adopt.id: "${id}"; otherwise choose another`;
  const what = `${at.collection.path} has ${id} with ${shown(key)} already. ${how}`;
  throw new Stalled("Conflict", what, owner && rivalMs);
}

/** A claim begins before the intent is stored: of two objects that want one name at the same moment only one creates. */
async function begin(at: Located, create: () => Promise<Observed>): Promise<Observed> {
  const { environment, object, kind, collection } = at;
  const naturalKey = naturalKeyOf(at);
  const rival = rivalOf(environment, object, { collection: collection.path, naturalKey });
  if (rival) {
    const what = `${nameOf(rival)} has or creates ${shown(naturalKey)} in the same account; choose another`;
    throw new Stalled("Conflict", what, rivalMs);
  }
  at.remembered.claiming = { collection: collection.path, naturalKey };
  environment.claims.note(at.key, at.remembered.claiming);
  try {
    return await create();
  } finally {
    // What is open stays claimed: the object says so by its intent.
    delete at.remembered.claiming;
    environment.claims.note(at.key, claimedBy(environment, kind, at.object));
  }
}

function shown(key: JsonObject): string {
  const fields = Object.entries(key).map(([field, value]) => `${field} ${JSON.stringify(value)}`);
  return fields.join(", ").slice(0, 300);
}

/**
 * An attempt that certainly did nothing is sent again under its own intent, without another write. An old intent is
 * replaced: the window for what may come of a POST counts from the intent's time, after a crash from nothing else.
 */
function reusable(at: Located, intent: Intent | undefined): Intent | undefined {
  if (intent?.attempt === undefined || intent.attempt !== at.remembered.refusedAttempt) return undefined;
  const ageMs = at.session.client.serverTime().getTime() - Date.parse(intent.time);
  const same = intent.collection === at.collection.path && isDeepStrictEqual(intent.pattern, patternOf(at));
  return same && ageMs < settleMsOf(at) / 2 ? intent : undefined;
}

/** Natural key and create-only fields as they are sent. */
export function patternOf({ kind: { lostCreate }, wanted }: Located): JsonObject {
  return plain({ ...lostCreate.naturalKey(wanted), ...lostCreate.createOnly?.(wanted) });
}

/** Writes finalizer and intent in one patch, which a version of the object that is not the newest makes fail. */
async function storeIntent(
  at: Located,
  rows: ReadonlyMap<string, JsonObject>,
  { body }: CreationCall,
  earlier: Intent | undefined,
): Promise<Intent> {
  const key = naturalKeyOf(at);
  // Of an attempt that certainly did nothing there is nothing to remember.
  const uncertain = earlier && earlier.attempt !== at.remembered.refusedAttempt ? earlier : undefined;
  const known = [...rows].filter(([, row]) => matches(row, key)).map(([id]) => id);
  const skewMs = skewOf(at);
  const tag = at.environment.installationTag;
  const tags = body?.["tags"];
  return patchIntent(at, {
    pattern: patternOf(at),
    known: [...known, ...(at.unread ?? [])],
    ...(uncertain && { since: uncertain.since ?? uncertain.time }),
    ...(skewMs !== undefined && { skewMs }),
    ...(tag !== undefined && Array.isArray(tags) && tags.includes(tag) && { tag }),
    ...(at.kind.disruptive && { applied: at.kind.disruptive(at.spec) }),
    ...(at.next.id !== undefined && { previous: at.next.id }),
  });
}

type Particulars = Omit<Parameters<typeof newIntent>[2], "collection" | "epoch">;

/** Stores a new, signed intent, and the finalizer with it. Throws `KubeError`. */
export async function patchIntent(at: Located, particulars: Particulars): Promise<Intent> {
  const { environment, kind, session, collection } = at;
  const identity = identityOf(environment, session.account);
  if (!identity)
    throw new Waiting("WaitingForAccount", `CloudAccount ${session.account} does not say whose it is`, 1_000);
  const details = { collection: collection.path, epoch: environment.epoch(), ...particulars };
  const intent = newIntent(at.object, identity, details, session.client.serverTime());
  const text = signed(intent, environment.installationKey);
  at.object = await putFinalizer(environment, kind, at.object, {
    [intentAnnotation]: text,
    [retryCreateAnnotation]: null,
  });
  at.remembered.intent = intent;
  return intent;
}

type CreationCall = Pick<Call, "method" | "path" | "body">;

function creationCall(at: Located): CreationCall {
  const { kind, wanted, collection } = at;
  const body = tagged(at, plain(kind.desired(wanted)));
  return kind.verbs?.create?.(wanted, body) ?? { method: "POST", path: collection.path, body };
}

async function post(at: Located, intent: Intent, call: CreationCall): Promise<Observed> {
  const { environment, session, collection, object, remembered } = at;
  // Sent again, an attempt that was refused before is as uncertain as any.
  delete remembered.refusedAttempt;
  environment.memory.creating(object);
  let made: { id: string; row: JsonObject };
  try {
    const sent = { priority: "create", urgent: at.urgent } as const;
    made = readMade(at, await session.client.send(call.method, call.path, call.body, sent));
    refuseExisting(at, made);
  } catch (error) {
    noteRefusal(at, call, error);
    recordFailure(at, intent, error);
    throw error;
  }
  delete remembered.refusal;
  learnSkew(at, made.row);
  const observed = record(at, made, { applied: intent.applied });
  session.observer.put(collection, made.id, made.row);
  const note = `Created ${made.id} in ${collection.path}`;
  environment.events.emit(object, { type: "Normal", reason: "Created", action: "Create", note });
  return observed;
}

/** What was created so long before the intent, by a clock of which nothing was learnt, existed before, milliseconds. */
const existingMs = 10_000;

/** Where a creation answers with what exists, the time of its creation tells that it is not ours. */
function refuseExisting(at: Located, { id, row }: { id: string; row: JsonObject }): void {
  if (at.kind.lostCreate.uniqueness !== "returnsExisting" || !contradicts(at, id, row, existingMs)) return;
  at.environment.memory.created(at.object.metadata.uid);
  at.next.refusedAttempt = at.remembered.intent?.attempt;
  throw new Stalled(
    "Conflict",
    `${id} exists already in ${at.collection.path}; to take it over, set spec.management.adopt.id: "${id}"; otherwise choose another name`,
  );
}

/** An answer without a readable id leaves it open what was created. */
function readMade({ collection }: Located, answer: Json): { id: string; row: JsonObject } {
  try {
    const row = collection.project(answer as JsonObject);
    return { id: collection.idOf(row), row };
  } catch (error) {
    throw new Unreadable("the response to the create request cannot be read", { cause: error });
  }
}

class Unreadable extends Error {}

/** How far `Date` is ahead of `created`, from the answer to a creation. */
function learnSkew(at: Located, row: JsonObject): void {
  const { environment, kind, object, session } = at;
  const created = kind.lostCreate.createdField === undefined ? undefined : row[kind.lostCreate.createdField];
  const time = typeof created === "string" ? apiTime(created) : Number.NaN;
  const skewMs = session.client.serverTime().getTime() - time;
  // What is off by more is no clock.
  if (Math.abs(skewMs) < unknownSkewMs) environment.memory.skew.set(realAccountOf(environment, object), skewMs);
}

/** Remembers what is known of a POST that failed; an ambiguous one becomes a wait. */
function recordFailure(at: Located, intent: Intent, error: unknown): void {
  if (!isHttpError(error) && !(error instanceof Unreadable)) return;
  if (isHttpError(error) && error.outcome === "refused") {
    // A duplicate may be refused because of what the attempt before has made: that stays to be searched for.
    if (intent.since !== undefined) return;
    at.environment.memory.created(at.object.metadata.uid);
    at.remembered.refusedAttempt = intent.attempt;
    // A refusal for good is stored with the status, so that a restart need not search.
    if (error.status === 400 || error.status === 403) at.next.refusedAttempt = intent.attempt;
    return;
  }
  const { message } = error;
  at.remembered.lostAt = at.environment.clock.now();
  at.environment.log.warn({ key: at.key, attempt: intent.attempt, error: message }, "a create request got no response");
  throw new Waiting(
    "Creating",
    `the create request got no response (${message}); searching for what it created`,
    1_000,
  );
}
