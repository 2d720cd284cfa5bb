/**
 * The API server as a model: the rules that the operator lives by, on objects in memory.
 *
 * resourceVersion, generation, uid; merge patches guarded by resourceVersion and uid; status as a subresource;
 * finalizers and deletion; a DELETE that began before a finalizer was added (kubernetes/kubernetes#77988); removal of
 * what only gone owners own.
 */
import { isDeepStrictEqual } from "node:util";
import { KubeError } from "../../src/cluster/errors.ts";
import { apiVersionOf, keyOf } from "../../src/cluster/paths.ts";
import type { KubeObject, ObjectMeta, ObjectRef, Resource } from "../../src/cluster/types.ts";
import type { Clock } from "../../src/queue/clock.ts";

export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: KubeObject;
}

type Body = Record<string, unknown>;
export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

export interface Objects {
  create: (resource: Resource, object: Body) => KubeObject;
  get: (resource: Resource, ref: ObjectRef) => KubeObject | undefined;
  list: (resource: Resource) => KubeObject[];
  patch: (resource: Resource, ref: ObjectRef, patch: Body, subresource?: "status") => KubeObject;
  /** The API server reads the object now and removes it when the returned function is called. */
  beginDelete: (resource: Resource, ref: ObjectRef, preconditions?: Preconditions) => () => void;
  watch: (resource: Resource, listener: (event: WatchEvent) => void) => void;
  /** The newest resourceVersion. */
  version: () => string;
}

export interface ObjectsOptions {
  clock: Clock;
  /** What the definition of a resource finds wrong with a status; undefined: nothing. */
  statusProblem?: (object: KubeObject) => string | undefined;
}

interface State extends ObjectsOptions {
  stored: Map<string, Map<string, KubeObject>>;
  listeners: Map<string, ((event: WatchEvent) => void)[]>;
  version: number;
  made: number;
}

export function createObjects(options: ObjectsOptions): Objects {
  const state: State = { ...options, stored: new Map(), listeners: new Map(), version: 100, made: 0 };
  return {
    create: (resource, object) => create(state, resource, object),
    get: (resource, ref) => tableOf(state, resource).get(keyOf(ref)),
    list: (resource) => [...tableOf(state, resource).values()],
    patch: (resource, ref, patch, subresource) => change(state, resource, ref, patch, subresource),
    beginDelete: (resource, ref, preconditions) => beginDelete(state, resource, ref, preconditions),
    watch(resource, listener) {
      state.listeners.set(resource.plural, [...(state.listeners.get(resource.plural) ?? []), listener]);
    },
    version: () => String(state.version),
  };
}

function create(state: State, resource: Resource, given: Body): KubeObject {
  const { metadata, status: _status, stringData, ...rest } = copy(given) as Body & { metadata: Partial<ObjectMeta> };
  const ref: ObjectRef = { name: metadata.name ?? "", ...(metadata.namespace && { namespace: metadata.namespace }) };
  const table = tableOf(state, resource);
  if (table.has(keyOf(ref))) throw refusal(409, "AlreadyExists", `${resource.plural} "${ref.name}" already exists`);
  state.made += 1;
  const custom = resource.group === "cloudplatform.dev";
  const object: KubeObject = {
    ...rest,
    ...(stringData !== undefined && { data: encoded(stringData as Record<string, string>) }),
    ...(custom && { status: { observedGeneration: -1 } }),
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      ...metadata,
      ...ref,
      uid: `00000000-0000-4000-8000-${String(state.made).padStart(12, "0")}`,
      resourceVersion: next(state),
      creationTimestamp: seconds(state.clock),
      ...(custom && { generation: 1 }),
    },
  };
  table.set(keyOf(ref), object);
  tell(state, resource, { type: "ADDED", object });
  for (const { uid } of object.metadata.ownerReferences ?? [])
    if (!exists(state, uid)) state.clock.schedule(garbageMs, () => collectGarbage(state, uid));
  return object;
}

/** The garbage collector looks up an owner that it does not know so much later. */
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
): KubeObject {
  const patch = copy(given) as Body & { metadata?: Partial<ObjectMeta> };
  const before = tableOf(state, resource).get(keyOf(ref));
  if (before === undefined) throw notFound(resource, ref);
  refusePreconditions(resource, before, patch.metadata);
  const after = subresource === "status" ? withStatus(before, patch) : withMain(resource, before, patch);
  if (after.metadata.deletionTimestamp !== undefined) refuseNewFinalizers(before, after);
  const problem = subresource === "status" ? state.statusProblem?.(after) : undefined;
  if (problem !== undefined) throw refusal(422, "Invalid", `${resource.kind} "${ref.name}" is invalid: ${problem}`);
  if (isDeepStrictEqual(before, after)) return before;
  const ends = after.metadata.deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0;
  if (ends) {
    // The answer has the version that the object had before.
    removeNow(state, resource, after);
    return after;
  }
  return store(state, resource, after);
}

function withStatus(before: KubeObject, { status }: Body): KubeObject {
  return status === undefined ? before : (merged(before, { status }) as unknown as KubeObject);
}

/** What a patch of metadata leaves as it is. */
const fixed = new Set([
  "uid",
  "resourceVersion",
  "name",
  "namespace",
  "creationTimestamp",
  "deletionTimestamp",
  "generation",
]);

function withMain(resource: Resource, before: KubeObject, { metadata = {}, ...patch }: Body): KubeObject {
  const changed = Object.fromEntries(Object.entries(metadata as Body).filter(([field]) => !fixed.has(field)));
  const { stringData, status: _status, ...rest } = patch;
  const texts = stringData === undefined ? {} : { data: encoded(stringData as Record<string, string>) };
  const after = merged(before, { ...rest, ...texts, metadata: changed }) as unknown as KubeObject;
  if (resource.group === "" || isDeepStrictEqual(before.spec, after.spec)) return after;
  return { ...after, metadata: { ...after.metadata, generation: (before.metadata.generation ?? 0) + 1 } };
}

function beginDelete(state: State, resource: Resource, ref: ObjectRef, preconditions?: Preconditions): () => void {
  const read = tableOf(state, resource).get(keyOf(ref));
  if (read === undefined) throw notFound(resource, ref);
  refusePreconditions(resource, read, preconditions);
  const free = (read.metadata.finalizers ?? []).length === 0;
  return () => {
    const now = tableOf(state, resource).get(keyOf(ref));
    if (now === undefined || now.metadata.uid !== read.metadata.uid) return;
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

/** Secrets are all that is owned here. */
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

function refuseNewFinalizers(before: KubeObject, after: KubeObject): void {
  const added = (after.metadata.finalizers ?? []).filter((one) => !before.metadata.finalizers?.includes(one));
  if (added.length > 0) throw refusal(422, "Invalid", "no new finalizers can be added if the object is being deleted");
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

function refusal(status: number, reason: string, message: string): KubeError {
  return new KubeError(message, { status, reason });
}

function notFound({ plural }: Resource, { name }: ObjectRef): KubeError {
  return refusal(404, "NotFound", `${plural} "${name}" not found`);
}

/** A JSON merge patch (RFC 7386). What is not touched is shared with the object before. */
function merged(target: unknown, patch: Body): Body {
  const result: Body = { ...(isRecord(target) ? target : {}) };
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else result[field] = isRecord(value) ? merged(result[field], value) : value;
  }
  return result;
}

function isRecord(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As it comes over the wire: what is undefined is left out, and nothing is shared. */
function copy(value: Body): Body {
  return JSON.parse(JSON.stringify(value)) as Body;
}

function encoded(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
}

function seconds(clock: Clock): string {
  return `${clock.date().toISOString().slice(0, 19)}Z`;
}
