/**
 * Creates the cloud object of a custom resource, at most once (docs/decisions/0008).
 *
 * Guarantees: a POST leaves only after the API server confirmed the object with the stored journal entry. While the outcome of
 * a POST is unknown, no second POST leaves. A cloud object from before the first attempt never counts as the result.
 */
import { nameOf, nounOf, oneOf } from "../kind/naming.ts";
import { discardUnknown } from "./replace-unknown.ts";
import { announce } from "../store/announce.ts";
import type { Request } from "../kind/call.ts";
import { creationBody, creationRequest, identity, naturalKey } from "../kind/fields.ts";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject, Permit } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Stalled } from "../kind/outcome.ts";
import { writtenSecrets } from "../watch/dependents.ts";
import { keyOf, parseKey } from "../kind/resource.ts";
import { describeKey } from "../kind/words.ts";
import { requireApproval } from "../send/permission.ts";
import type { Located, Observed } from "../model/context.ts";
import { withFacts } from "../model/context.ts";
import { appliedOf } from "../store/applied.ts";
import { resolveReferences } from "../secrets/references.ts";
import { noteGenerated } from "../secrets/generated.ts";
import { isPublishedFor, refuseTakenSecrets, rehearseSecret } from "../secrets/own-secrets.ts";
import { tagged } from "../model/tags.ts";
import { withoutHeld } from "../send/hand-over.ts";
import { confirmCreation } from "../send/facts.ts";
import { besideActions } from "../send/action-lock.ts";
import { refuseSource } from "./upload.ts";
import type { Alike } from "../model/alike.ts";
import type { Ownership } from "../model/ownership.ts";
import { isDiscarded } from "../model/ownership.ts";
import { waitForCreator } from "../model/creator.ts";
import { didNothing, lostIn, noteNoEffect } from "../model/attempt.ts";
import { deletedID } from "../model/deletion.ts";
import { givenUp, isOfObject } from "../model/journal.ts";
import { originOf } from "../model/origin.ts";
import type { JournalEntry } from "../model/journal.ts";
import { noteClaim } from "../model/note-claim.ts";
import { nameHolderOf, keptBack, nameFor, observes, rivalOf } from "../model/owners.ts";
import { writeEntry } from "../store/write-entry.ts";
import { withPermit } from "../send/rate-permit.ts";
import { announceCreated, post } from "./post.ts";
import { recordFound } from "../store/record-found.ts";
import { proveCreated } from "../store/proven.ts";
import { saveStatus } from "../store/record.ts";
import { countFromSearch, refuseAgain } from "../send/refusals.ts";
import { elapsedMs, leftOf } from "../model/elapsed.ts";
import { settleMsOf } from "../model/settle.ts";
import { searchLost, waitForCreatable } from "../read/search.ts";
import type { Found } from "../read/search.ts";
import { replacedBy, untakenBefore } from "../read/taken.ts";
import { refuseDuplicates, refuseLate } from "../store/duplicates.ts";

/**
 * Creates the cloud object, or records the result of an earlier attempt. Throws `Waiting` while the outcome is
 * uncertain.
 */
export async function ensureCreated(ctx: Located, claim: Ownership): Promise<Observed> {
  const earlier = claim.state === "open" ? claim.entry : undefined;
  const found = earlier && (await searchLost(ctx, earlier).catch((error: unknown) => refuseLate(ctx, earlier, error)));
  if (found && (await isPublishedFor(ctx, found))) return taken(ctx, found, earlier);
  if (found) await discard(ctx, found, earlier);
  else if (earlier) countFromSearch(ctx, earlier);
  const before = await untakenBefore(ctx);
  await refuseDuplicates(ctx, earlier);
  withFacts(ctx, { desired: await resolveReferences(ctx, { creating: true }) });
  waitForCreatable(ctx);
  refuseSource(ctx);
  await refuseTakenSecrets(ctx);
  const call = creationCall(ctx);
  refuseAgain(ctx, call);
  const key = naturalKey(ctx.kind, ctx.desired);
  await requireApproval(ctx, [
    { ...call, action: "Create", note: `creates ${oneOf(ctx.kind)} with ${describeKey(ctx.kind, ctx.spec, key)}` },
  ]);
  if (ctx.next.id !== undefined && !earlier && !ctx.renews) announceReplacement(ctx, ctx.next.id);
  const create = async (permit: Permit): Promise<Observed> => {
    await rehearseSecret(ctx);
    const entry = reusable(ctx, earlier) ?? (await storeEntry(ctx, before.alike(key), call, earlier));
    // An attempt counts as refused until the operator sends the request.
    noteNoEffect(ctx.remembered, entry.attempt, "prepared");
    await confirmCreation(ctx);
    refuseNamesake(ctx, key, entry);
    return post(ctx, { entry, call, permit, before });
  };
  return besideActions(ctx, call, () => whileClaiming(ctx, key, () => withPermit(ctx, call, create)));
}

/**
 * Records the result of an earlier attempt. Announces the creation if the attempt belongs to this object, also if a
 * former process sent the request.
 */
async function taken(ctx: Located, found: Found, entry: JournalEntry): Promise<Observed> {
  const observed = await recordFound(ctx, found, entry);
  if (isOfObject(entry, ctx.object)) {
    announceCreated(ctx, found);
    noteGenerated(ctx, true);
  }
  return observed;
}

/** Announces a replacement, unless this process deleted the cloud object. */
function announceReplacement({ environment, object, kind, remembered }: Located, id: string): void {
  if (deletedID(remembered) === id) return;
  const note = `${nameOf(kind, id)} no longer exists in the cloud. The operator creates a new ${nounOf(kind)}`;
  announce(environment, object, { type: "Warning", reason: "Missing", action: "Recreate", note, id });
}

/**
 * Deletes the result of an attempt whose response, and with it the secret, was lost. The attempt then counts as
 * refused. Deletes nothing if ownership is not proven and the user permitted another attempt. Throws `Stalled` without
 * a proof.
 */
async function discard(ctx: Located, found: Found, entry: JournalEntry): Promise<void> {
  const { attempt } = entry;
  waitForPublisher(ctx, entry);
  const proven = proveCreated(ctx, found, entry);
  if (!proven) return;
  const { message = "got no clear response" } = lostIn(ctx.remembered, entry) ?? {};
  const why = `the create request ${message}, and only the response shows the secret of ${nameOf(ctx.kind, found.id, found.row)}`;
  // The status stores the decision, because the process can crash before the next journal entry.
  const origin = originOf(ctx.kind, found.row);
  ctx.next.discarded = { attempt, id: found.id, ...(origin !== undefined && { origin }) };
  await saveStatus(ctx);
  await discardUnknown(ctx, proven, why);
  noteNoEffect(ctx.remembered, attempt, "refused");
}

/** Throws `Waiting` while a former process can still store the secret of the cloud object. */
function waitForPublisher(ctx: Located, entry: JournalEntry): void {
  if (lostIn(ctx.remembered, entry)) return;
  const leftMs = leftOf(ctx, entry);
  if (leftMs <= 0) return;
  throw new Waiting("Creating", "the operator waits until the secret of the new cloud object is stored", leftMs);
}

/**
 * Claims the name before the operator stores the journal entry. If two objects want the name at the same moment, the operator
 * creates only the first.
 */
async function whileClaiming(ctx: Located, key: JsonObject, create: () => Promise<Observed>): Promise<Observed> {
  const { environment, kind, collection } = ctx;
  if (kind.unique !== "several") refuseNameHolder(ctx, key);
  waitForCreator(ctx, key);
  refuseRivalPublisher(ctx);
  ctx.remembered.claiming = { collection: collection.path, naturalKey: key };
  environment.claims.note(ctx.key, ctx.remembered.claiming);
  const end = environment.memory.claiming(ctx.object);
  try {
    return await create();
  } finally {
    // The journal entry on the object claims the name of an open attempt.
    ctx.remembered.claiming = undefined;
    noteClaim(environment, ctx.key);
    end();
  }
}

function refuseNameHolder(ctx: Located, key: JsonObject): void {
  const { environment, object, collection } = ctx;
  const rival = rivalOf(environment, object, { collection: collection.path, naturalKey: key });
  if (rival) throw takenBy(ctx, rival, key);
}

/**
 * Throws if another object is about to rename its cloud object to the name. The rename can begin after `refuseRival`.
 */
function refuseNamesake(ctx: Located, key: JsonObject, { attempt }: JournalEntry): void {
  if (ctx.kind.unique === "several") return;
  const { environment, object, collection } = ctx;
  const holder = nameHolderOf(environment, object, { collection: collection.path, naturalKey: key });
  if (!holder) return;
  ctx.next.refusedAttempt = attempt;
  throw takenBy(ctx, holder, key);
}

function takenBy(ctx: Located, rival: KubeObject, key: JsonObject): Stalled | Waiting {
  const what = `${nameFor(ctx, rival)} has or creates ${oneOf(ctx.kind)} with ${describeKey(ctx.kind, ctx.spec, key)} in the same account. The operator creates nothing for this object. Choose another name`;
  return keptBack(ctx, rival, what);
}

/**
 * Throws if another object publishes to the same Secret. The operator would lose the values that the cloud API shows
 * only once.
 */
function refuseRivalPublisher(ctx: Located): void {
  const { environment, kind, object, spec } = ctx;
  const { claims, dependents, caches, kinds } = environment;
  const { namespace = "" } = object.metadata;
  for (const name of writtenSecrets(kind, { metadata: object.metadata, spec })) {
    for (const { key } of dependents.of(keyOf("Secret", namespace, name))) {
      if (key === ctx.key || claims.of(key) === undefined) continue;
      const { kind: kindName, ...ref } = parseKey(key);
      const [of, other] = [kinds.get(kindName), caches.get(kindName)?.get(ref)];
      if (!other || !of || observes(other)) continue;
      if (!writtenSecrets(of, other).includes(name)) continue;
      const what = `${nameFor(ctx, other)} also publishes in Secret ${name}. The operator creates nothing. Choose another name for the Secret`;
      throw keptBack(ctx, other, what);
    }
  }
}

/**
 * Returns the journal entry of a refused attempt, to send the request again without a patch. Returns undefined for an old
 * journal entry. After a crash, only the time of the journal entry shows how long a POST can still take effect.
 */
function reusable(ctx: Located, entry: JournalEntry | undefined): JournalEntry | undefined {
  if (!entry || !didNothing(ctx.remembered, entry)) return undefined;
  // If the status records the refusal, another process would not search for the result of this journal entry.
  if (entry.attempt === ctx.next.refusedAttempt || isDiscarded(ctx, entry)) return undefined;
  const ageMs = elapsedMs(ctx.session, entry.time);
  const same =
    entry.collection === ctx.collection.path &&
    isDeepStrictEqual(entry.pattern, identity(ctx.kind, ctx.desired)) &&
    // After the creation, the values in the journal entry count as applied.
    isDeepStrictEqual(entry.applied, appliedOf(ctx));
  return same && ageMs < settleMsOf(ctx) / 2 ? entry : undefined;
}

/** Stores finalizer and journal entry in one patch. The patch fails if the object changed. */
async function storeEntry(
  ctx: Located,
  alike: ReturnType<Alike>,
  { body }: Request,
  earlier: JournalEntry | undefined,
): Promise<JournalEntry> {
  // A refused attempt created nothing.
  const uncertain = earlier && !didNothing(ctx.remembered, earlier) ? earlier : undefined;
  // After an attempt with an unknown outcome, a new row can be the result.
  const known = uncertain && isOfObject(uncertain, ctx.object) ? uncertain.known : alike.map(([id]) => id);
  const since = uncertain ? (uncertain.since ?? uncertain.time) : earlier?.since;
  const former = givenUpBefore(ctx, earlier, uncertain !== undefined);
  const tag = ctx.environment.installationTag;
  const tags = body?.["tags"];
  const applied = appliedOf(ctx);
  const retires = replacedBy(ctx);
  return writeEntry(ctx, {
    pattern: identity(ctx.kind, ctx.desired),
    known: [...new Set([...known, ...(ctx.unread ?? []), ...(retires ? [retires.id] : [])])],
    ...(retires && { retires }),
    ...(since !== undefined && { since }),
    ...(former && { former }),
    ...(tag !== undefined && Array.isArray(tags) && tags.includes(tag) && { tag }),
    ...(applied && { applied }),
    ...(ctx.next.id !== undefined && { previous: ctx.next.id }),
  });
}

/**
 * Returns the patterns of abandoned attempts. A deleted cloud object with a lost secret can have belonged to another
 * user, and the cloud can then still execute the attempt.
 */
function givenUpBefore(ctx: Located, earlier: JournalEntry | undefined, uncertain: boolean): JournalEntry["former"] {
  if (earlier && (uncertain || isDiscarded(ctx, earlier))) return givenUp(earlier);
  return (earlier ?? ctx.entry)?.former;
}

function creationCall(ctx: Located): Request {
  const { kind } = ctx;
  const wanted = withoutHeld(ctx);
  return creationRequest(kind, wanted, tagged(ctx, creationBody(kind, wanted)));
}
