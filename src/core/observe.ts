/** Finding the cloud object of an object: by recorded id, by adoption, by search, or by creating it. */
import type { JsonObject } from "../api/types.ts";
import { ensureCreated, patchIntent } from "./create.ts";
import { matches } from "./differences.ts";
import { noteDrift, noteRepair } from "./drift.ts";
import { finalizer } from "./environment.ts";
import { intentOf, newIntent } from "./intent.ts";
import type { Intent } from "./intent.ts";
import { Stalled } from "./outcome.ts";
import { beats, nameOf, ownerOf, requireExisting } from "./ownership.ts";
import type { Connected, Located, Observed } from "./reconciliation.ts";

/** The object with its cloud object. Throws `Waiting` or `Stalled` where there is none and none may be made. */
export async function observe(at: Located): Promise<Observed> {
  const { id } = at.next;
  if (id === undefined) return adoptOrCreate(at);
  refuseRival(at, id);
  const row = await findRow(at, id);
  if (!row) return replaceMissing(at, id);
  await keepFinalizer(at, id);
  return Object.assign(at, { id, row });
}

/** The row with this id; undefined only after a GET said 404 and a whole list, read since, has not got it either. */
export async function findRow(at: Located, id: string): Promise<JsonObject | undefined> {
  const { observer } = at.session;
  const known = (await observer.snapshot(at.collection, { urgent: at.urgent })).rows.get(id);
  if (known) return known;
  const read = await observer.read(at.collection, id, { after: at.startedAt, urgent: at.urgent });
  if (read) return read;
  return (await observer.snapshot(at.collection, { after: at.startedAt, urgent: at.urgent })).rows.get(id);
}

/** A 404 for a restricted token may be a withdrawn grant, unless our own DELETE of it was accepted. */
export function refuseInvisible({ session, remembered }: Connected, id: string): void {
  if (!session.restricted || remembered.deleted === id) return;
  throw new Stalled("NotVisible", `the token's restricted user does not see ${id}; a grant may have been withdrawn`);
}

function refuseRival(at: Located, id: string): void {
  const rival = ownerOf(at.environment, at.object, { id, account: at.session.account, collection: at.collection.path });
  if (rival && beats(rival, at.object)) throw new Stalled("Conflict", `${id} is managed by ${nameOf(rival)}`);
}

async function adoptOrCreate(at: Located): Promise<Observed> {
  const intent = intentOf(at.object);
  if (intent?.adopted !== undefined) return adopted(at, intent.adopted, await findRow(at, intent.adopted));
  if (at.management.adopt && !intent) return adopt(at);
  if (at.management.policy === "Observe") {
    throw new Stalled("AdoptionFailed", "the policy Observe needs spec.management.adopt, which says what to observe");
  }
  // An attempt to replace what vanished may have begun already, and its id with it.
  return created(at, await ensureCreated(at, intent?.previous));
}

async function adopt(at: Located): Promise<Observed> {
  requireExisting(at, "spec.management.adopt");
  const { id, filter } = at.management.adopt ?? {};
  const { rows } = await at.session.observer.snapshot(at.collection, { after: at.startedAt, urgent: at.urgent });
  const found =
    id === undefined ? [...rows].filter(([, row]) => matchesText(row, filter ?? {})).map(([key]) => key) : [id];
  const [only, ...others] = found;
  if (only === undefined)
    throw new Stalled("AdoptionFailed", `spec.management.adopt.filter: nothing in ${at.collection.path} fits`);
  if (others.length > 0)
    throw new Stalled(
      "AdoptionFailed",
      `spec.management.adopt.filter: more than one fits: ${found.slice(0, 5).join(", ")}`,
    );
  const owner = ownerOf(at.environment, at.object, {
    id: only,
    account: at.session.account,
    collection: at.collection.path,
  });
  if (owner && at.management.policy !== "Observe")
    throw new Stalled("Conflict", `${only} is managed by ${nameOf(owner)}`);
  const row = rows.get(only) ?? (await at.session.observer.read(at.collection, only, { after: at.startedAt }));
  if (!row) throw new Stalled("AdoptionFailed", `spec.management.adopt.id: ${only} is not in ${at.collection.path}`);
  await patchIntent(at, takingOver(at, only));
  at.environment.events.emit(at.object, {
    type: "Normal",
    reason: "Adopted",
    action: "Adopt",
    note: `Took over ${only} in ${at.collection.path}`,
  });
  return adopted(at, only, row);
}

function adopted(at: Located, id: string, row: JsonObject | undefined): Observed {
  if (!row) throw new Stalled("AdoptionFailed", `${id}, which was adopted, is not in ${at.collection.path} any more`);
  return found(at, id, row);
}

function created(at: Located, { id, row }: { id: string; row: JsonObject }): Observed {
  at.next.applied = at.kind.disruptive?.(at.spec);
  return found(at, id, row);
}

function found(at: Located, id: string, row: JsonObject): Observed {
  at.next.id = id;
  at.next.refusedAttempt = undefined;
  at.remembered.id = id;
  at.environment.recorded.note(at.key, id);
  return Object.assign(at, { id, row });
}

async function replaceMissing(at: Located, id: string): Promise<Observed> {
  refuseInvisible(at, id);
  const { management, kind, environment, object } = at;
  noteDrift(at);
  const policy = management.missingPolicy ?? (kind.holdsData ? "Report" : "Recreate");
  if (policy === "Report" || management.policy === "Observe") {
    throw new Stalled(
      "Missing",
      `${id} is not in ${at.collection.path} any more; it is not replaced by something empty`,
    );
  }
  const known = intentOf(object)?.previous === id;
  if (!known) {
    const note = `${id} vanished from ${at.collection.path}; creating it anew`;
    environment.events.emit(object, { type: "Warning", reason: "Missing", action: "Recreate", note });
  }
  // The old id stays recorded until there is a new one: it is what ties an uncertain attempt to this replacement.
  const creation = await ensureCreated(at, id);
  noteRepair(at);
  return created(at, creation);
}

/** Somebody's replace may have dropped the finalizer; without it a deletion would strand the cloud object. */
async function keepFinalizer(at: Located, id: string): Promise<void> {
  if (at.object.metadata.finalizers?.includes(finalizer) && intentOf(at.object)) return;
  await patchIntent(at, intentOf(at.object) ?? takingOver(at, id));
}

/** An intent that creates nothing: it says where the cloud object is. */
function takingOver(at: Located, adopted: string): Intent {
  const { collection, environment, object, session } = at;
  const details = { collection: collection.path, pattern: {}, known: [], epoch: environment.epoch(), adopted };
  return newIntent(object, details, session.client.serverTime());
}

function matchesText(row: JsonObject, filter: Record<string, string>): boolean {
  return Object.entries(filter).every(
    ([field, value]) => JSON.stringify(row[field]) === value || matches(row, { [field]: value }),
  );
}
