/**
 * Mirrors a catalog of the cloud as custom resources. A key without a name (`Region//`) reads the list. A key with a
 * name creates, updates or deletes the object, as the last list shows.
 *
 * Guarantees: the operator reads a catalog once in each interval, and writes only after a change. The operator deletes
 * an object only after a complete list without its row, and changes no object that a user created.
 */
import { statusOf } from "../kind/object.ts";
import type { CloudClient, JsonObject } from "../../api/types.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Outcome } from "../../queue/types.ts";
import type { AccountEnvironment } from "../lifecycle/reconcile-account.ts";
import { mergePatch, plain } from "../kind/differences.ts";
import type { Mirror } from "../kind/mirror.ts";
import { mirrorLabel } from "../kind/mirror.ts";
import { mirrorNames } from "../kind/mirror-names.ts";
import type { Verdict } from "../kind/outcome.ts";
import { Deferred, isHttpError, queueOutcome, Stalled, verdictOf, Waiting } from "../kind/outcome.ts";
import { group, keyOf, resourceOf, version } from "../kind/resource.ts";
import { announce } from "../store/announce.ts";
import { assertionsOf, conditionsFrom } from "../store/conditions.ts";
import type { Catalogs, Entry, Session } from "../model/environment.ts";

interface At {
  environment: AccountEnvironment;
  mirror: Mirror;
  catalogs: Catalogs;
}

/** Handles a key of a mirror. Throws only unexpected errors. */
export async function reconcileMirror(ctx: At, name: string): Promise<Outcome> {
  const { mirror, catalogs } = ctx;
  const key = keyOf(mirror.kind, "", name);
  try {
    if (name === "") await readCatalog(ctx);
    else await keepMirrored(ctx, name);
    catalogs.failing.delete(key);
    return name === "" ? { type: "later", afterMs: catalogs.everyMs } : { type: "done" };
  } catch (error) {
    const verdict = verdictOf(error);
    if (verdict.state === "waiting" && verdict.unexpected !== undefined) throw error;
    say(ctx, name, verdict);
    return queueOutcome(verdict, catalogs.everyMs);
  }
}

/** Reports a new failure once: in an event if a user must act on the object, otherwise in the log. */
function say({ environment, mirror, catalogs }: At, name: string, verdict: Verdict): void {
  const key = keyOf(mirror.kind, "", name);
  if (!("message" in verdict) || catalogs.failing.get(key) === verdict.message) return;
  const { message: note, reason } = verdict;
  catalogs.failing.set(key, note);
  const object = environment.caches.get(mirror.kind)?.get({ name });
  if (!object || verdict.state !== "stalled") return environment.log.warn({ key, reason }, note);
  announce(environment, object, { type: "Warning", reason, action: "Reconcile", note, id: undefined });
}

/** Reads the list, and enqueues each object of the catalog. */
async function readCatalog(ctx: At): Promise<void> {
  const { environment, mirror, catalogs } = ctx;
  const rows = await listRows(ctx, mirror.path);
  const objects = environment.caches.get(mirror.kind)?.list() ?? [];
  const ours = objects.filter(isOurs);
  if (rows.length === 0 && ours.length > 0)
    throw new Waiting(
      "CloudUnavailable",
      `the cloud API returned an empty list of ${mirror.kind} objects, and returned a longer list before. The operator deletes no object. If the list is correct, delete the objects`,
      catalogs.everyMs,
    );
  const beside = Map.groupBy(await listedBeside(ctx), (row) => row[mirror.beside?.of ?? ""]);
  const entries = new Map(
    rows.flatMap((row) => entryOf(mirror, row, beside.get(row["id"]))).map((entry) => [entry.id, entry]),
  );
  const held = new Map(ours.map((object) => [object.metadata.name, statusOf(object).id]));
  const names = mirrorNames([...entries.keys()], held);
  const byName = new Map([...entries].map(([id, entry]) => [names.get(id) ?? "", entry]));
  // A row without an ID can belong to any object.
  const whole = rows.every(({ id }) => typeof id === "string");
  catalogs.known.set(mirror.kind, { entries: byName, whole });
  for (const name of new Set([...byName.keys(), ...held.keys()]))
    environment.enqueue(keyOf(mirror.kind, "", name), { cause: "cloud", urgency: "resync" });
}

/** Returns the rows of the second list. Some versions of the cloud API do not have the list. */
async function listedBeside(ctx: At): Promise<JsonObject[]> {
  if (!ctx.mirror.beside) return [];
  return listRows(ctx, ctx.mirror.beside.path).catch((error: unknown) => {
    if (isHttpError(error) && error.status === 404) return [];
    throw error;
  });
}

async function listRows({ environment, mirror, catalogs }: At, path: string): Promise<JsonObject[]> {
  const session = mirror.unrestricted ? oldestSession(environment) : undefined;
  const client: CloudClient | undefined = mirror.unrestricted ? session?.client : catalogs.anybody;
  if (!client) {
    catalogs.waiting.add(mirror.kind);
    throw new Deferred("no account that may read it is connected");
  }
  try {
    return (await client.list(path)).rows;
  } catch (error) {
    if (session && isHttpError(error) && error.status === 401) environment.doubtToken(session);
    throw error;
  }
}

/**
 * Returns the session of the oldest CloudAccount that is connected to the endpoint `default` with an unrestricted
 * token.
 */
function oldestSession({ caches, accounts }: AccountEnvironment): Session | undefined {
  const age = ({ metadata }: KubeObject): string =>
    `${metadata.creationTimestamp} ${metadata.namespace}/${metadata.name}`;
  return (caches.get("CloudAccount")?.list() ?? [])
    .toSorted((a, b) => age(a).localeCompare(age(b)))
    .map(({ metadata }) => accounts.connection(`${metadata.namespace}/${metadata.name}`))
    .find((open) => open?.endpoint === "default" && !open.session.restricted)?.session;
}

/** Returns the entry of a row. An unreadable row has an entry without a report. */
function entryOf(mirror: Mirror, row: JsonObject, beside: JsonObject[] = []): Entry[] {
  const { id } = row;
  if (typeof id !== "string") return [];
  try {
    return [{ id, report: mirror.reportOf(row, beside) }];
  } catch {
    return [{ id, report: undefined }];
  }
}

/** Creates, updates or deletes one object to match its row. */
async function keepMirrored(ctx: At, name: string): Promise<void> {
  const { environment, mirror, catalogs } = ctx;
  const known = catalogs.known.get(mirror.kind);
  const object = environment.caches.get(mirror.kind)?.get({ name });
  if (!known || object?.metadata.deletionTimestamp !== undefined) return;
  const entry = known.entries.get(name);
  if (object && !isOurs(object)) return entry && refuseForeign(entry.id);
  if (entry) return write(ctx, await stored(ctx, name, object), entry);
  if (!object || !known.whole) return;
  const { uid, resourceVersion } = object.metadata;
  await environment.kube.delete(resourceOf(mirror), { name }, { uid, resourceVersion });
  environment.log.info({ key: keyOf(mirror.kind, "", name) }, "deleted: the cloud does not list it any more");
}

/**
 * Tests if the operator created the object. Only the operator writes a status, so the status proves the origin of an
 * object without the label.
 */
function isOurs(object: KubeObject): boolean {
  return isLabelled(object) || statusOf(object).id !== undefined;
}

function isLabelled({ metadata: { labels = {} } }: KubeObject): boolean {
  return Object.entries(mirrorLabel).every(([label, value]) => labels[label] === value);
}

function refuseForeign(id: string): never {
  const message = `the operator did not create this object, and does not change it. Delete this object, so that the operator can show "${id}" of the catalog`;
  throw new Stalled("Conflict", message);
}

/** Returns the object with the label. Creates a missing object. */
async function stored({ environment, mirror }: At, name: string, object?: KubeObject): Promise<KubeObject> {
  if (object && isLabelled(object)) return object;
  const { kube, caches } = environment;
  const metadata = { name, labels: mirrorLabel };
  const written = object
    ? await kube.patch(resourceOf(mirror), { name }, { metadata: { uid: object.metadata.uid, labels: mirrorLabel } })
    : await kube.create(resourceOf(mirror), { apiVersion: `${group}/${version}`, kind: mirror.kind, metadata });
  caches.get(mirror.kind)?.written(written);
  return written;
}

async function write({ environment, mirror }: At, object: KubeObject, { id, report }: Entry): Promise<void> {
  const { observedGeneration: _, conditions = [], ...last } = statusOf(object);
  const generation = object.metadata.generation ?? 0;
  const after = plain({
    ...(report ?? last),
    id,
    observedGeneration: generation,
    conditions: conditionsFrom(
      conditions,
      assertionsOf(report ? listedAsIs : unreadable),
      generation,
      environment.clock.date(),
    ),
  }) as unknown as JsonObject;
  const patch = mergePatch(plain(object.status ?? {}) as JsonObject, after);
  if (!patch) return;
  const written = await environment.kube.patchStatus(resourceOf(mirror), object, patch);
  environment.stored(object, written);
}

const listedAsIs = {
  state: "ready",
  reason: "Listed",
  message: "the object shows the entry in the catalog of the cloud",
} as const;
const unreadable = {
  state: "stalled",
  reason: "Unreadable",
  message:
    "the operator cannot read the entry in the form that the cloud API returns. The status shows the last readable entry. Upgrade the operator",
} as const;
