/**
 * Creates the cloud object of a custom resource, at most once (docs/decisions/0008).
 *
 * Guarantees: a POST leaves only after the API server confirmed the object with the stored intent. While the outcome of
 * a POST is unknown, no second POST leaves. A cloud object from before the first attempt never counts as the result.
 */
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
import { appliedOf } from "../store/applied.ts";
import { resolveReferences } from "../secrets/references.ts";
import { noteGenerated } from "../secrets/generated.ts";
import { isPublishedFor, refuseTakenSecrets, rehearseSecret } from "../secrets/own-secrets.ts";
import { tagged } from "../model/tags.ts";
import { withoutHeld } from "../send/hand-over.ts";
import { confirmCreation } from "../send/facts.ts";
import { besideRuns } from "../send/action-lock.ts";
import { refuseSource } from "./upload.ts";
import type { Alike } from "../model/alike.ts";
import type { Claim } from "../model/claim.ts";
import { isDiscarded } from "../model/claim.ts";
import { waitForCreator } from "../model/creator.ts";
import { givenUp } from "../model/intent.ts";
import type { Intent } from "../model/intent.ts";
import { noteClaim } from "../model/note-claim.ts";
import { holderOf, keptBack, nameFor, observes, rivalOf } from "../model/ownership.ts";
import { patchIntent } from "../store/patch-intent.ts";
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
export async function ensureCreated(at: Located, claim: Claim): Promise<Observed> {
  const earlier = claim.state === "open" ? claim.intent : undefined;
  const found = earlier && (await searchLost(at, earlier).catch((error: unknown) => refuseLate(at, earlier, error)));
  if (found && (await isPublishedFor(at, found))) return taken(at, found, earlier);
  if (found) await discard(at, found, earlier);
  else if (earlier) countFromSearch(at, earlier);
  const before = await untakenBefore(at);
  await refuseDuplicates(at, earlier);
  at.wanted = await resolveReferences(at, { creating: true });
  waitForCreatable(at);
  refuseSource(at);
  await refuseTakenSecrets(at);
  const call = creationCall(at);
  refuseAgain(at, call);
  const key = naturalKey(at.kind, at.wanted);
  await requireApproval(at, [{ ...call, action: "Create", note: `creates ${describeKey(at.kind, at.spec, key)}` }]);
  if (at.next.id !== undefined && !earlier && !at.renews) announceReplacement(at, at.next.id);
  const create = async (permit: Permit): Promise<Observed> => {
    await rehearseSecret(at);
    const intent = reusable(at, earlier) ?? (await storeIntent(at, before.alike(key), call, earlier));
    // An attempt counts as refused until the operator sends the request.
    at.remembered.refusedAttempt = intent.attempt;
    await confirmCreation(at);
    refuseNamesake(at, key, intent);
    return post(at, { intent, call, permit, before });
  };
  return besideRuns(at, call, () => begin(at, key, () => withPermit(at, call, create)));
}

/**
 * Records the result of an earlier attempt. Announces the creation if the attempt belongs to this object, also if a
 * former process sent the request.
 */
async function taken(at: Located, found: Found, intent: Intent): Promise<Observed> {
  const observed = await recordFound(at, found, intent);
  if (intent.uid === at.object.metadata.uid) {
    announceCreated(at, found.id);
    noteGenerated(at, true);
  }
  return observed;
}

/** Announces a replacement, unless this process deleted the cloud object. */
function announceReplacement({ environment, object, collection, remembered }: Located, id: string): void {
  if (remembered.deleted === id) return;
  const note = `${id} does not exist in ${collection.path} any more; creating it again`;
  announce(environment, object, { type: "Warning", reason: "Missing", action: "Recreate", note, id });
}

/**
 * Deletes the result of an attempt whose response, and with it the secret, was lost. The attempt then counts as
 * refused. Deletes nothing if ownership is not proven and the user permitted another attempt. Throws `Stalled` without
 * a proof.
 */
async function discard(at: Located, found: Found, intent: Intent): Promise<void> {
  const { attempt } = intent;
  waitForPublisher(at, intent);
  const proven = proveCreated(at, found, intent);
  if (!proven) return;
  const { lost } = at.remembered;
  const response = lost?.attempt === attempt && lost.message !== undefined ? ` (${lost.message})` : "";
  const why = `the create request got no clear response${response}, and only the response shows the secret of ${found.id}`;
  // The status stores the decision, because the process can crash before the next intent.
  Object.assign(at.next, { refusedAttempt: attempt, deletedID: found.id });
  await saveStatus(at);
  await discardUnknown(at, proven, why);
  at.remembered.refusedAttempt = attempt;
}

/** Throws `Waiting` while a former process can still store the secret of the cloud object. */
function waitForPublisher(at: Located, intent: Intent): void {
  if (at.remembered.lost?.attempt === intent.attempt) return;
  const leftMs = leftOf(at, intent);
  if (leftMs <= 0) return;
  throw new Waiting("Creating", "the cloud object was created; waiting until its secret is stored", leftMs);
}

/**
 * Claims the name before the operator stores the intent. If two objects want the name at the same moment, the operator
 * creates only the first.
 */
async function begin(at: Located, key: JsonObject, create: () => Promise<Observed>): Promise<Observed> {
  const { environment, kind, collection } = at;
  if (kind.unique !== "several") refuseRival(at, key);
  waitForCreator(at, key);
  refuseRivalPublisher(at);
  at.remembered.claiming = { collection: collection.path, naturalKey: key };
  environment.claims.note(at.key, at.remembered.claiming);
  const end = environment.memory.claiming(at.object);
  try {
    return await create();
  } finally {
    // The intent on the object claims the name of an open attempt.
    at.remembered.claiming = undefined;
    noteClaim(environment, at.key);
    end();
  }
}

function refuseRival(at: Located, key: JsonObject): void {
  const { environment, object, collection } = at;
  const rival = rivalOf(environment, object, { collection: collection.path, naturalKey: key });
  if (rival) throw takenBy(at, rival, key);
}

/**
 * Throws if another object is about to rename its cloud object to the name. The rename can begin after `refuseRival`.
 */
function refuseNamesake(at: Located, key: JsonObject, { attempt }: Intent): void {
  if (at.kind.unique === "several") return;
  const { environment, object, collection } = at;
  const holder = holderOf(environment, object, { collection: collection.path, naturalKey: key });
  if (!holder) return;
  at.next.refusedAttempt = attempt;
  throw takenBy(at, holder, key);
}

function takenBy(at: Located, rival: KubeObject, key: JsonObject): Stalled | Waiting {
  const what = `${nameFor(at, rival)} has or creates ${describeKey(at.kind, at.spec, key)} in the same account. Nothing is created. Choose another name`;
  return keptBack(at, rival, what);
}

/**
 * Throws if another object publishes to the same Secret. The operator would lose the values that the cloud API shows
 * only once.
 */
function refuseRivalPublisher(at: Located): void {
  const { environment, kind, object, spec } = at;
  const { claims, dependents, caches, kinds } = environment;
  const { namespace = "" } = object.metadata;
  for (const name of writtenSecrets(kind, { metadata: object.metadata, spec })) {
    for (const { key } of dependents.of(keyOf("Secret", namespace, name))) {
      if (key === at.key || claims.of(key) === undefined) continue;
      const { kind: kindName, ...ref } = parseKey(key);
      const [of, other] = [kinds.get(kindName), caches.get(kindName)?.get(ref)];
      if (!other || !of || observes(other)) continue;
      if (!writtenSecrets(of, other).includes(name)) continue;
      const what = `${nameFor(at, other)} also publishes in Secret ${name}. Nothing is created. Choose another name for the Secret`;
      throw keptBack(at, other, what);
    }
  }
}

/**
 * Returns the intent of a refused attempt, to send the request again without a patch. Returns undefined for an old
 * intent. After a crash, only the time of the intent shows how long a POST can still take effect.
 */
function reusable(at: Located, intent: Intent | undefined): Intent | undefined {
  if (intent?.attempt === undefined || intent.attempt !== at.remembered.refusedAttempt) return undefined;
  // If the status records the refusal, another process would not search for the result of this intent.
  if (intent.attempt === at.next.refusedAttempt) return undefined;
  const ageMs = elapsedMs(at.session, intent.time);
  const same =
    intent.collection === at.collection.path &&
    isDeepStrictEqual(intent.pattern, identity(at.kind, at.wanted)) &&
    // After the creation, the values in the intent count as applied.
    isDeepStrictEqual(intent.applied, appliedOf(at));
  return same && ageMs < settleMsOf(at) / 2 ? intent : undefined;
}

/** Stores finalizer and intent in one patch. The patch fails if the object changed. */
async function storeIntent(
  at: Located,
  alike: ReturnType<Alike>,
  { body }: Request,
  earlier: Intent | undefined,
): Promise<Intent> {
  // A refused attempt created nothing.
  const uncertain = earlier && earlier.attempt !== at.remembered.refusedAttempt ? earlier : undefined;
  // After an attempt with an unknown outcome, a new row can be the result.
  const known = uncertain?.uid === at.object.metadata.uid ? uncertain.known : alike.map(([id]) => id);
  const since = uncertain ? (uncertain.since ?? uncertain.time) : earlier?.since;
  const former = givenUpBefore(at, earlier, uncertain !== undefined);
  const tag = at.environment.installationTag;
  const tags = body?.["tags"];
  const applied = appliedOf(at);
  const retires = replacedBy(at);
  return patchIntent(at, {
    pattern: identity(at.kind, at.wanted),
    known: [...new Set([...known, ...(at.unread ?? []), ...(retires ? [retires.id] : [])])],
    ...(retires && { retires }),
    ...(since !== undefined && { since }),
    ...(former && { former }),
    ...(tag !== undefined && Array.isArray(tags) && tags.includes(tag) && { tag }),
    ...(applied && { applied }),
    ...(at.next.id !== undefined && { previous: at.next.id }),
  });
}

/**
 * Returns the patterns of abandoned attempts. A deleted cloud object with a lost secret can have belonged to another
 * user, and the cloud can then still execute the attempt.
 */
function givenUpBefore(at: Located, earlier: Intent | undefined, uncertain: boolean): Intent["former"] {
  if (earlier && (uncertain || isDiscarded(at, earlier))) return givenUp(earlier);
  return (earlier ?? at.intent)?.former;
}

function creationCall(at: Located): Request {
  const { kind } = at;
  const wanted = withoutHeld(at);
  return creationRequest(kind, wanted, tagged(at, creationBody(kind, wanted)));
}
