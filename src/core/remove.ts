/**
 * Deletion: design, section 4.
 *
 * The finalizer goes only when the API says that the cloud object is gone, it was never created, or it is orphaned.
 */
import type { Json } from "../api/types.ts";
import type { KubeObject } from "../cluster/types.ts";
import type { Call, Kind } from "./define-kind.ts";
import { confirmStillMeant } from "./confirm.ts";
import { searchLost, uncertainIntent } from "./create.ts";
import { group, version } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { dropFinalizer } from "./finalizer.ts";
import { intentOf, letGoAnnotation } from "./intent.ts";
import { isHttpError, isKubeError, Stalled, Waiting } from "./outcome.ts";
import type { Verdict } from "./outcome.ts";
import { findRow, refuseInvisible } from "./observe.ts";
import { ownerOf, beats } from "./ownership.ts";
import { holders } from "./references.ts";
import type { Connected, Located, Observed, Reconciliation } from "./reconciliation.ts";
import { collectionOf, live, specOf } from "./reconciliation.ts";
import { releaseSecrets } from "./secrets.ts";

const gone: Verdict = { state: "gone" };

const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** How long discovery may lag behind, milliseconds; a deletionTimestamp has whole seconds. */
const discoveryDelayMs = 3_000;

/** True where nothing of the cloud is needed to let the object go. */
export function needsNoCloud(at: Reconciliation): boolean {
  return orphans(at) || (at.next.id === undefined && intentOf(at.object) === undefined);
}

/** Lets an object go whose cloud object stays or never was. */
export async function letGo(at: Reconciliation): Promise<Verdict> {
  if (orphans(at)) await orphan(at, "it is orphaned by its deletion policy");
  await dropFinalizer(at.environment, at.kind, at.object);
  return gone;
}

/** Deletes the cloud object, then lets the object go. Throws `Waiting` until that is done. */
export async function remove(at: Connected): Promise<Verdict> {
  if (await crdIsDeleted(at)) {
    await orphan(at, "its CustomResourceDefinition is being deleted");
    await dropFinalizer(at.environment, at.kind, at.object);
    return gone;
  }
  const holding = holders(at);
  if (holding.length > 0)
    throw new Waiting("WaitingForDependents", `still referred to by ${holding.slice(0, 5).join(", ")}`, 30_000);
  waitForParent(at);
  const located = locate(at);
  const observed = located && (await find(located));
  if (observed) await removeObserved(observed);
  await dropFinalizer(at.environment, at.kind, at.object);
  return gone;
}

function orphans(at: Reconciliation): boolean {
  const { management } = specOf(at.object);
  return (
    management?.deletionPolicy === "Orphan" ||
    management?.policy === "Observe" ||
    at.object.metadata.annotations?.[letGoAnnotation] === "true"
  );
}

async function orphan(at: Reconciliation, why: string): Promise<void> {
  await releaseSecrets(at);
  if (at.next.id === undefined) return;
  at.environment.events.emit(at.object, {
    type: "Normal",
    reason: "Orphaned",
    action: "Delete",
    note: `${at.next.id} stays in the cloud: ${why}`,
  });
}

/** Deleting a definition deletes all objects of it; that is never meant for the cloud. */
async function crdIsDeleted({ environment, kind, object }: Connected): Promise<boolean> {
  // Where Roles of namespaces give the rights, nothing in the cluster may be read: it is not even tried.
  if (environment.rights !== undefined) return isWithdrawn(environment, kind, object);
  try {
    const crd = await environment.kube.get(definitions, { name: `${kind.plural}.${group}` });
    return crd === undefined || crd.metadata.deletionTimestamp !== undefined;
  } catch (error) {
    if (!isKubeError(error) || error.status !== 403) throw error;
    return isWithdrawn(environment, kind, object);
  }
}

/**
 * Without the right to read definitions, discovery tells: of one that is being deleted no more objects can be created.
 * It follows a little later than the deletion of the objects, which therefore waits for it.
 */
async function isWithdrawn({ kube, clock }: Environment, kind: Kind, object: KubeObject): Promise<boolean> {
  const sinceMs = clock.date().getTime() - Date.parse(object.metadata.deletionTimestamp ?? "");
  if (sinceMs < discoveryDelayMs)
    throw new Waiting("Deleting", "making sure that its kind is not being deleted", discoveryDelayMs - sinceMs);
  const { resources = [] } = (await kube.raw(`/apis/${group}/${version}`)) as {
    resources?: { name: string; verbs: string[] }[];
  };
  return !resources.some(({ name, verbs }) => name === kind.plural && verbs.includes("create"));
}

/** What is contained in a parent that is being deleted goes with it: one call instead of many. */
function waitForParent(at: Connected): void {
  for (const { what, parent } of parentsOf(at)) {
    const takesAlong =
      parent?.metadata.deletionTimestamp !== undefined && specOf(parent).management?.deletionPolicy !== "Orphan";
    if (takesAlong) throw new Waiting("WaitingForParent", `${what} is being deleted and takes it along`, 30_000);
  }
}

/** The objects that contain this one; `parent` is undefined where it is gone. */
function parentsOf({ environment, kind, object, spec }: Connected): { what: string; parent: KubeObject | undefined }[] {
  const { namespace = "" } = object.metadata;
  return Object.values(kind.references ?? {}).flatMap((reference) => {
    if ("secret" in reference || !reference.contained) return [];
    const cache = environment.caches.get(reference.kind);
    return [reference.from(spec) ?? []].flat().flatMap(({ name }) => {
      if (name === undefined) return [];
      return [{ what: `${reference.kind} ${name}`, parent: cache?.get({ namespace, name }) }];
    });
  });
}

/** A parent that is gone took along what was known of its content: one list for all tells, not a call for each. */
async function lookAfterParent(at: Located): Promise<void> {
  if (parentsOf(at).every(({ parent }) => parent !== undefined)) return;
  at.session.observer.forget(at.key);
  await at.session.observer.snapshot(at.collection, { after: at.startedAt, urgent: true });
}

/** Where the cloud object is, from the intent: what the spec refers to may be gone already. */
function locate(at: Connected): Located | undefined {
  const intent = intentOf(at.object);
  if (!intent) {
    if (at.next.id === undefined) return undefined;
    throw new Stalled(
      "InternalError",
      `${at.next.id} is recorded, but the annotation that says where it is was removed; restore it, or annotate ${letGoAnnotation}=true`,
    );
  }
  const { name, namespace = "" } = at.object.metadata;
  const wanted = { name, namespace, spec: at.spec, refs: {} };
  return Object.assign(at, { wanted, collection: collectionOf(at.kind, intent.collection) });
}

async function find(at: Located): Promise<Observed | undefined> {
  try {
    const id = await whatToRemove(at);
    if (id === undefined) return undefined;
    const owner = ownerOf(at.environment, at.object, {
      id,
      account: at.session.account,
      collection: at.collection.path,
    });
    if (owner && beats(owner, at.object)) return undefined;
    await lookAfterParent(at);
    const row = await findRow(at, id);
    if (row) return Object.assign(at, { id, row });
    refuseInvisible(at, id);
    return undefined;
  } catch (error) {
    // The parent of the collection is gone, and all that it contained with it.
    if (isHttpError(error) && error.status === 404 && !at.session.restricted) return undefined;
    throw error;
  }
}

/** The recorded id, unless a replacement of it was under way: then what came of that. */
async function whatToRemove(at: Located): Promise<string | undefined> {
  const intent = intentOf(at.object);
  if (at.next.id !== undefined && intent?.previous !== at.next.id) return at.next.id;
  return intent?.adopted ?? finishSearch(at);
}

async function finishSearch(at: Located): Promise<string | undefined> {
  const intent = uncertainIntent(at, intentOf(at.object)?.previous);
  if (!intent) return undefined;
  const found = await searchLost(at, intent);
  if (!found) {
    const note = `Creation attempt ${intent.attempt} had no answer, and nothing is to be seen of it`;
    at.environment.events.emit(at.object, { type: "Warning", reason: "CreateUncertain", action: "Delete", note });
    return undefined;
  }
  // Once it is being deleted it cannot be searched for any more: from here on it is known by its id.
  at.next.id = found.id;
  at.remembered.id = found.id;
  at.environment.recorded.note(at.key, found.id);
  return found.id;
}

async function removeObserved(at: Observed): Promise<void> {
  const { kind, session, collection, environment, remembered, id } = at;
  if (remembered.deleted !== id) {
    const removable = kind.removable?.(at.row);
    if (removable && !removable.ready)
      throw new Waiting(removable.reason, removable.message, removable.afterMs ?? 5_000);
    await confirmStillMeant(at);
    const sendToUrl = async (method: "PUT" | "DELETE", url: string) => void (await session.sendToUrl(method, url));
    await kind.release?.(live(at), {
      get: (path) => session.client.get(path),
      send: (call) => send(at, call),
      sendToUrl,
    });
    await send(
      at,
      kind.verbs?.remove?.(live(at)) ?? { method: "DELETE", path: collection.itemPath(id), action: "Delete", note: "" },
    );
    remembered.deleted = id;
    environment.events.emit(at.object, {
      type: "Normal",
      reason: "Deleted",
      action: "Delete",
      note: `Deleted ${id} from ${collection.path}`,
    });
  }
  if (await session.observer.read(collection, id, { after: environment.clock.now(), urgent: true })) {
    throw new Waiting("Deleting", `the service is deleting ${id}`, 3_000);
  }
}

async function send(
  { session }: Observed,
  { method, path, body, beta }: Pick<Call, "method" | "path" | "body" | "beta"> & { action: string; note: string },
): Promise<Json> {
  try {
    return await session.client.send(method, path, body, { priority: "delete", urgent: true, ...(beta && { beta }) });
  } catch (error) {
    if (method === "DELETE" && isHttpError(error) && error.status === 404) return {};
    throw error;
  }
}
