/**
 * Nothing twice: creating a cloud object for an object that has none (design, section 5).
 *
 * Guarantees: a POST leaves only after an intent was stored on a version of the object that the API server confirmed;
 * while it is not known what became of a POST, no other leaves; what existed before is never taken for ours.
 */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../api/types.ts";
import type { Call } from "./define-kind.ts";
import { matches, plain } from "./differences.ts";
import { putFinalizer } from "./finalizer.ts";
import { candidates, intentAnnotation, intentOf, newIntent, retryCreateAnnotation } from "./intent.ts";
import type { Intent } from "./intent.ts";
import { isHttpError, Stalled, Waiting } from "./outcome.ts";
import { nameOf, ownerOf } from "./ownership.ts";
import type { Located } from "./reconciliation.ts";
import { noteRefusal, refuseAgain } from "./refusal.ts";
import { resolveReferences } from "./references.ts";
import { tagged } from "./tags.ts";

export interface Creation {
  id: string;
  row: JsonObject;
}

/** Creates, or finds what an earlier attempt created. Throws `Waiting` while that is uncertain. */
export async function ensureCreated(at: Located, replaces?: string): Promise<Creation> {
  const earlier = uncertainIntent(at, replaces);
  if (earlier) {
    const found = await searchLost(at, earlier);
    if (found) return found;
  }
  const rows = await freshRows(at);
  refuseConflict(at, rows);
  at.wanted = await resolveReferences(at, true);
  const call = creationCall(at);
  refuseAgain(at, call);
  const intent = reusable(at, earlier) ?? (await storeIntent(at, rows, replaces));
  return post(at, intent, call);
}

/** The intent whose outcome is not known: nothing was recorded for it, neither an id nor a refusal. */
export function uncertainIntent(at: Located, replaces?: string): Intent | undefined {
  const intent = intentOf(at.object);
  if (!intent || intent.adopted !== undefined || intent.previous !== replaces) return undefined;
  return intent.attempt === at.next.refusedAttempt ? undefined : intent;
}

/** Looks for what an uncertain attempt created. Undefined: it certainly, or by leave, created nothing. */
export async function searchLost(at: Located, intent: Intent): Promise<Creation | undefined> {
  if (intent.attempt === at.remembered.refusedAttempt) return undefined;
  const rows = await freshRows(at);
  const found = candidates(rows, {
    intent,
    createdField: at.kind.lostCreate.createdField,
    claimed: (id) =>
      ownerOf(at.environment, at.object, { id, account: at.session.account, collection: at.collection.path }) !==
      undefined,
  });
  const [id, ...others] = found;
  if (others.length > 0)
    throw uncertain(at, intent, `more than one object in the cloud may have come of it (${found.join(", ")})`);
  if (id !== undefined) return { id, row: rows.get(id) ?? {} };
  return giveUpSearch(at, intent);
}

function giveUpSearch(at: Located, intent: Intent): undefined {
  const { environment, kind, session, object, remembered } = at;
  const settleMs = settleMsOf(at);
  const sinceIntent = session.client.serverTime().getTime() - Date.parse(intent.time);
  const sinceLost = environment.clock.now() - (remembered.lostAt ?? -Infinity);
  const leftMs = settleMs - Math.min(sinceIntent, sinceLost);
  if (leftMs > 0) {
    throw new Waiting(
      "Creating",
      "the answer to the creation was lost; looking for what came of it",
      Math.min(leftMs, Math.max(settleMs / 6, 200)),
    );
  }
  if (kind.lostCreate.uniqueness === "enforced" || !kind.lostCreate.billable) return undefined;
  if (object.metadata.annotations?.[retryCreateAnnotation] === intent.attempt) return undefined;
  throw uncertain(at, intent, "nothing is to be seen of it in the cloud");
}

/** It resolves itself when the cloud object shows up, which nothing announces. */
const uncertainLookMs = 60_000;

function uncertain({ object }: Located, { attempt }: Intent, what: string): Stalled {
  const allow = `kubectl annotate ${object.kind.toLowerCase()} -n ${object.metadata.namespace} ${object.metadata.name} --overwrite ${retryCreateAnnotation}=${attempt}`;
  return new Stalled(
    "CreateUncertain",
    `the answer to creation attempt ${attempt} was lost, and ${what}; look in the cloud, and allow another attempt with: ${allow}`,
    uncertainLookMs,
  );
}

async function freshRows(at: Located): Promise<ReadonlyMap<string, JsonObject>> {
  const { rows } = await at.session.observer.snapshot(at.collection, { after: at.startedAt, urgent: at.urgent });
  return rows;
}

function refuseConflict(at: Located, rows: ReadonlyMap<string, JsonObject>): void {
  const key = plain(at.kind.lostCreate.naturalKey(at.wanted));
  const taken = [...rows].find(([, row]) => matches(row, key));
  if (!taken) return;
  const [id] = taken;
  const owner = ownerOf(at.environment, at.object, { id, account: at.session.account, collection: at.collection.path });
  const what = Object.entries(key)
    .map(([field, value]) => `${field} ${JSON.stringify(value)}`)
    .join(", ");
  const how = owner ? `it is managed by ${nameOf(owner)}` : `take it over with spec.management.adopt.id: "${id}"`;
  throw new Stalled(
    "Conflict",
    `${at.collection.path} has ${id} with ${what.slice(0, 300)} already; ${how}, or choose another`,
  );
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

function patternOf({ kind: { lostCreate }, wanted }: Located): JsonObject {
  return plain({ ...lostCreate.naturalKey(wanted), ...lostCreate.createOnly?.(wanted) });
}

/** How long something may still come of a POST without an answer, milliseconds. */
function settleMsOf({ environment, kind }: Located): number {
  return kind.lostCreate.billable ? environment.settle.billableMs : environment.settle.freeMs;
}

/** Writes finalizer and intent in one patch, which a version of the object that is not the newest makes fail. */
async function storeIntent(
  at: Located,
  rows: ReadonlyMap<string, JsonObject>,
  previous: string | undefined,
): Promise<Intent> {
  const key = plain(at.kind.lostCreate.naturalKey(at.wanted));
  const known = [...rows].filter(([, row]) => matches(row, key)).map(([id]) => id);
  const details = {
    collection: at.collection.path,
    pattern: patternOf(at),
    known,
    epoch: at.environment.epoch(),
    ...(previous !== undefined && { previous }),
  };
  const intent = newIntent(at.object, details, at.session.client.serverTime());
  await patchIntent(at, intent);
  return intent;
}

export async function patchIntent(at: Located, intent: Intent): Promise<void> {
  const annotations = { [intentAnnotation]: JSON.stringify(intent), [retryCreateAnnotation]: null };
  at.object = await putFinalizer(at.environment, at.kind, at.object, annotations);
}

type CreationCall = Pick<Call, "method" | "path" | "body">;

function creationCall(at: Located): CreationCall {
  const { kind, wanted, collection } = at;
  const body = tagged(at, plain(kind.desired(wanted)));
  return kind.verbs?.create?.(wanted, body) ?? { method: "POST", path: collection.path, body };
}

async function post(at: Located, intent: Intent, call: CreationCall): Promise<Creation> {
  const { environment, session, collection, object, remembered } = at;
  // Sent again, an attempt that was refused before is as uncertain as any.
  delete remembered.refusedAttempt;
  let answer;
  try {
    answer = await session.client.send(call.method, call.path, call.body, { priority: "create", urgent: at.urgent });
  } catch (error) {
    noteRefusal(at, call, error);
    recordFailure(at, intent, error);
    throw error;
  }
  const row = collection.project(answer as JsonObject);
  const id = collection.idOf(row);
  remembered.id = id;
  delete remembered.refusal;
  environment.recorded.note(at.key, id);
  session.observer.put(collection, id, row);
  environment.events.emit(object, {
    type: "Normal",
    reason: "Created",
    action: "Create",
    note: `Created ${id} in ${collection.path}`,
  });
  return { id, row };
}

/** Remembers what is known of a POST that failed; an ambiguous one becomes a wait. */
function recordFailure(at: Located, intent: Intent, error: unknown): void {
  if (!isHttpError(error)) return;
  if (error.outcome === "refused") {
    at.remembered.refusedAttempt = intent.attempt;
    // A refusal for good is stored with the status, so that a restart need not search.
    if (error.status === 400 || error.status === 403) at.next.refusedAttempt = intent.attempt;
    return;
  }
  at.remembered.lostAt = at.environment.clock.now();
  at.environment.log.warn(
    { key: at.key, attempt: intent.attempt, error: error.message },
    "the answer to a creation was lost",
  );
  throw new Waiting(
    "Creating",
    `the answer to the creation was lost (${error.message}); looking for what came of it`,
    1_000,
  );
}
