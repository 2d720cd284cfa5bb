/*
 * The twin: an in-memory API server, and the run of the operator against a copy of a cluster and of an account.
 *
 * Contract of the API server, for custom resources, Secrets, ConfigMaps, namespaces and definitions:
 * - Every write gets a new resourceVersion. A change of a spec and the start of a deletion raise the generation.
 * - Merge patches (RFC 7386), guarded by `resourceVersion` and `uid`. No JSON patches and no server-side apply: the
 *   operator sends merge patches only.
 * - `status` is a subresource. A patch without a change writes nothing.
 * - Finalizers delay a deletion. A DELETE that began before a finalizer was added removes the object
 *   (kubernetes/kubernetes#77988). The garbage collector removes Secrets whose owner does not exist.
 * - Lists by namespace and by selectable fields, and watches.
 * - `checkStatus` prunes and validates a status by the schema of its kind.
 * Every rule is also a test on the real API server (test/world/rules).
 * The operator uses its real queue, core, client and observer. No request leaves the process.
 * Imports every room except `cli` and `process`.
 */
import { isDeepStrictEqual } from "node:util";
import { plain } from "../core/kind/differences.ts";
import type { KubeError } from "../cluster/errors.ts";
import { apiVersionOf, keyOf } from "../cluster/paths.ts";
import type { KubeObject, ListOptions, ObjectMeta, ObjectRef, Resource } from "../cluster/types.ts";
import type { Clock } from "../queue/clock.ts";
import {
  encoded,
  firstStatus,
  refusal,
  refuseFixedOfSecrets,
  refuseNewFinalizers,
  refuseOtherIdentity,
  refuseUnusable,
  withMain,
  withoutEmpty,
  withStatus,
} from "./patches.ts";
import type { Body } from "./patches.ts";

export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: KubeObject;
}

export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

export interface Objects {
  /** With `dryRun`, checks the object and does not store it. */
  create: (resource: Resource, object: Body, dryRun?: boolean) => KubeObject;
  /** Stores a copy of an object of another API server, with its UID, generation and status. */
  load: (resource: Resource, object: KubeObject) => void;
  get: (resource: Resource, ref: ObjectRef) => KubeObject | undefined;
  list: (resource: Resource, options?: ListOptions) => KubeObject[];
  patch: (resource: Resource, ref: ObjectRef, patch: Body, subresource?: "status", dryRun?: boolean) => KubeObject;
  /**
   * Reads the object now. The returned function deletes the object that then has the name. The function throws if no
   * object has the name, or if the object does not match the preconditions.
   */
  beginDelete: (resource: Resource, ref: ObjectRef, preconditions?: Preconditions) => () => void;
  watch: (resource: Resource, listener: (event: WatchEvent) => void) => void;
  /** The newest resourceVersion. */
  version: () => string;
}

export interface ObjectsOptions {
  clock: Clock;
  /** Prunes a status by the schema of its kind, or returns the problem of the status. */
  checkStatus?: (object: KubeObject) => { status: object } | { problem: string };
}

interface State extends ObjectsOptions {
  stored: Map<string, Map<string, KubeObject>>;
  listeners: Map<string, ((event: WatchEvent) => void)[]>;
  version: number;
  made: number;
  /** New custom objects. The API server shows their first status before a patch stores the status. */
  fresh: WeakSet<KubeObject>;
}

export function createObjects(options: ObjectsOptions): Objects {
  const state: State = {
    ...options,
    stored: new Map(),
    listeners: new Map(),
    version: 100,
    made: 0,
    fresh: new WeakSet(),
  };
  return {
    create: (resource, object, dryRun) => create(state, resource, object, dryRun),
    load(resource, object) {
      // An object of another run has a UID of this form.
      const { uid } = object.metadata;
      if (uid.startsWith(uidPrefix)) state.made = Math.max(state.made, Number(uid.slice(uidPrefix.length)));
      store(state, resource, object);
    },
    get: (resource, ref) => tableOf(state, resource).get(keyOf(ref)),
    list: (resource, options) => [...tableOf(state, resource).values()].filter((object) => isListed(object, options)),
    patch: (resource, ref, patch, subresource, dryRun) => change(state, resource, ref, patch, subresource, dryRun),
    beginDelete: (resource, ref, preconditions) => beginDelete(state, resource, ref, preconditions),
    watch(resource, listener) {
      state.listeners.set(resource.plural, [...(state.listeners.get(resource.plural) ?? []), listener]);
    },
    version: () => String(state.version),
  };
}

/** Returns true if the object matches. A missing selectable field counts as empty. */
function isListed(object: KubeObject, { namespace, fields = {} }: ListOptions = {}): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  return Object.entries(fields).every(([path, wanted]) => {
    const value = path.split(".").reduce<unknown>((at, name) => (at as Body | undefined)?.[name], object);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return (text ?? "") === wanted;
  });
}

function create(state: State, resource: Resource, given: Body, dryRun = false): KubeObject {
  const { metadata, status: _status, stringData, ...rest } = plain(given) as Body & { metadata: Partial<ObjectMeta> };
  const ref: ObjectRef = { name: metadata.name ?? "", ...(metadata.namespace && { namespace: metadata.namespace }) };
  const table = tableOf(state, resource);
  if (table.has(keyOf(ref))) throw refusal(409, "AlreadyExists", `${resource.plural} "${ref.name}" already exists`);
  state.made += 1;
  const custom = resource.group === "cloudplatform.dev";
  const object: KubeObject = {
    ...rest,
    ...(stringData !== undefined && { data: encoded(stringData as Record<string, string>) }),
    ...(resource.plural === "secrets" && { type: rest["type"] ?? "Opaque" }),
    ...(custom && { status: firstStatus }),
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      ...withoutEmpty(metadata),
      ...ref,
      uid: `${uidPrefix}${String(state.made).padStart(12, "0")}`,
      resourceVersion: next(state),
      creationTimestamp: seconds(state.clock),
      ...(custom && { generation: 1 }),
    },
  };
  if (resource.plural === "secrets") refuseUnusable(object);
  if (dryRun) return object;
  if (custom) state.fresh.add(object);
  table.set(keyOf(ref), object);
  tell(state, resource, { type: "ADDED", object });
  for (const { uid } of object.metadata.ownerReferences ?? [])
    if (!exists(state, uid)) state.clock.schedule(garbageMs, () => collectGarbage(state, uid));
  return object;
}

const uidPrefix = "00000000-0000-4000-8000-";

/** Delay until the garbage collector looks up an unknown owner, milliseconds. */
const garbageMs = 500;

function exists({ stored }: State, uid: string): boolean {
  return [...stored.values()].some((table) => [...table.values()].some(({ metadata }) => metadata.uid === uid));
}

function change(
  state: State,
  resource: Resource,
  ref: ObjectRef,
  given: Body,
  subresource: "status" | undefined,
  dryRun = false,
): KubeObject {
  const patch = plain(given) as Body & { metadata?: Partial<ObjectMeta> };
  const before = tableOf(state, resource).get(keyOf(ref));
  if (before === undefined) throw notFound(resource, ref);
  const { resourceVersion } = patch.metadata ?? {};
  refusePreconditions(resource, before, { ...(resourceVersion && { resourceVersion }) });
  const after =
    subresource === "status"
      ? checked(state, resource, withStatus(before, patch))
      : patchedMain(resource, before, patch);
  if (isDeepStrictEqual(before, after) && !state.fresh.has(before)) return before;
  if (dryRun) return after;
  const ends = after.metadata.deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0;
  if (ends) {
    // The response has the version before the deletion.
    removeNow(state, resource, after);
    return after;
  }
  return store(state, resource, after);
}

function patchedMain(resource: Resource, before: KubeObject, patch: Body): KubeObject {
  // The API server ignores metadata in a patch of the status.
  refuseOtherIdentity(resource, before, patch["metadata"] ?? {});
  const after = withMain(resource, before, patch);
  refuseNewFinalizers(before, after);
  if (resource.plural === "secrets") refuseFixedOfSecrets(before, after);
  return after;
}

function checked({ checkStatus }: State, { kind }: Resource, object: KubeObject): KubeObject {
  const made = checkStatus?.(object) ?? { status: object.status };
  if ("problem" in made) throw refusal(422, "Invalid", `${kind} "${object.metadata.name}" is invalid: ${made.problem}`);
  return isDeepStrictEqual(made.status, object.status) ? object : ({ ...object, status: made.status } as KubeObject);
}

function beginDelete(state: State, resource: Resource, ref: ObjectRef, preconditions?: Preconditions): () => void {
  const read = tableOf(state, resource).get(keyOf(ref));
  if (read === undefined) throw notFound(resource, ref);
  refusePreconditions(resource, read, preconditions);
  const free = (read.metadata.finalizers ?? []).length === 0;
  return () => {
    const now = tableOf(state, resource).get(keyOf(ref));
    if (now === undefined) throw notFound(resource, ref);
    refusePreconditions(resource, now, preconditions);
    if (free || (now.metadata.finalizers ?? []).length === 0) removeNow(state, resource, now);
    else if (now.metadata.deletionTimestamp === undefined) {
      const { generation = 0 } = now.metadata;
      const metadata = { ...now.metadata, deletionTimestamp: seconds(state.clock) };
      store(state, resource, {
        ...now,
        metadata: { ...metadata, ...(resource.group !== "" && { generation: generation + 1 }) },
      });
    }
  };
}

function store(state: State, resource: Resource, object: KubeObject): KubeObject {
  const stored = { ...object, metadata: { ...object.metadata, resourceVersion: next(state) } };
  tableOf(state, resource).set(keyOf(object.metadata), stored);
  tell(state, resource, { type: "MODIFIED", object: stored });
  return stored;
}

function removeNow(state: State, resource: Resource, object: KubeObject): void {
  tableOf(state, resource).delete(keyOf(object.metadata));
  const last = { ...object, metadata: { ...object.metadata, resourceVersion: next(state) } };
  tell(state, resource, { type: "DELETED", object: last });
  collectGarbage(state, object.metadata.uid);
}

/** Deletes the Secrets whose only owner is gone. */
function collectGarbage(state: State, uid: string): void {
  for (const owned of state.stored.get("secrets")?.values() ?? []) {
    const owners = owned.metadata.ownerReferences ?? [];
    if (owners.length === 1 && owners[0]?.uid === uid)
      beginDelete(
        state,
        { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true },
        owned.metadata,
      )();
  }
}

function refusePreconditions(resource: Resource, { metadata }: KubeObject, asked: Partial<ObjectMeta> = {}): void {
  const stale = asked.resourceVersion !== undefined && asked.resourceVersion !== metadata.resourceVersion;
  const other = asked.uid !== undefined && asked.uid !== metadata.uid;
  if (stale || other)
    throw refusal(409, "Conflict", `Operation cannot be fulfilled on ${resource.plural} "${metadata.name}"`);
}

function tableOf({ stored }: State, { plural }: Resource): Map<string, KubeObject> {
  const table = stored.get(plural) ?? new Map<string, KubeObject>();
  stored.set(plural, table);
  return table;
}

function tell({ listeners }: State, { plural }: Resource, event: WatchEvent): void {
  for (const listener of listeners.get(plural) ?? []) listener(event);
}

function next(state: State): string {
  state.version += 1;
  return String(state.version);
}

function notFound({ plural }: Resource, { name }: ObjectRef): KubeError {
  return refusal(404, "NotFound", `${plural} "${name}" not found`);
}

function seconds(clock: Clock): string {
  return `${clock.date().toISOString().slice(0, 19)}Z`;
}
