/** Metadata of a Kubernetes object, without unused fields. Never contains `managedFields`. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Only in caches: a digest of the annotations and labels that the cache does not keep. */
  othersDigest?: string;
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

export interface Secret extends ConfigMap {
  type?: string;
}

/** A ConfigMap with its values. Both maps have no prototype. */
export interface ConfigMap extends KubeObject {
  /** Values that are UTF-8 text. */
  data: Record<string, string>;
  /** Every value, in base64. */
  encoded: Record<string, string>;
}

export interface Resource {
  /** Empty for the core group. */
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
}

export interface ObjectRef {
  namespace?: string;
  name: string;
}

export interface PatchOptions {
  subresource?: "status";
  /** Called when the API server has authorised the patch and waits for the body. Such a patch is never repeated. */
  beforeBody?: () => Promise<void>;
  /** Validates the request without storing the object. */
  dryRun?: boolean;
}

export interface ListOptions {
  /** Unset for the whole cluster. */
  namespace?: string | undefined;
  /**
   * Values of selectable fields, such as `{"spec.domainRef.id": "12"}`. An object without the field has the value ``.
   */
  fields?: Record<string, string> | undefined;
  metadataOnly?: boolean | undefined;
}

/** The Kubernetes API over one pooled transport. Every method throws `KubeError` (cluster/errors.ts). */
export interface KubeClient {
  /** Reads one object, or only its metadata with `metadataOnly`. Returns `undefined` for a 404. */
  get(resource: Resource, ref: ObjectRef, options?: { metadataOnly?: boolean }): Promise<KubeObject | undefined>;
  /** Lists the current objects in pages. Returns the objects without `managedFields`. */
  list(resource: Resource, options: ListOptions): Promise<KubeObject[]>;
  create(
    resource: Resource,
    object: Record<string, unknown>,
    options?: Pick<PatchOptions, "dryRun">,
  ): Promise<KubeObject>;
  /** Sends a JSON merge patch. If the patch has a stale `metadata.resourceVersion`, throws a 409. */
  patch(
    resource: Resource,
    ref: ObjectRef,
    patch: Record<string, unknown>,
    options?: PatchOptions,
  ): Promise<KubeObject>;
  /** Writes the status of exactly this object, never of a new object with the same name (patch-status.ts). */
  patchStatus(resource: Resource, object: KubeObject, status: Record<string, unknown>): Promise<KubeObject>;
  /** Deletes an object. A 404 counts as success. */
  delete(resource: Resource, ref: ObjectRef, preconditions?: { uid?: string; resourceVersion?: string }): Promise<void>;
  /** GETs any path, for example for discovery. */
  raw(path: string): Promise<unknown>;
}

export interface CacheChange {
  type: "added" | "modified" | "deleted";
  object: KubeObject;
  previous?: KubeObject;
  /** True for objects of a list: changes by users can then go first. */
  initial: boolean;
}

/** A resource kept in memory by a reflector. Keys are `namespace/name`, or `name` for a cluster-scoped object. */
export interface Cache {
  /** The cache has only objects that a caller has requested by name. */
  isPartial?: boolean;
  get(ref: ObjectRef): KubeObject | undefined;
  list(namespace?: string): KubeObject[];
  /** Yields the objects one by one. A loop may take several turns of the event loop, and sees changes in between. */
  objects(): Iterable<KubeObject>;
  /** Stores the response to a write. `get` and `list` return the object immediately. */
  written(object: KubeObject): void;
  /** Stores the object of a read, if newer, and announces the change. */
  noteRead(object: KubeObject): void;
  /** Registers a handler for changes except own writes. A handler must only enqueue. The cache logs its errors. */
  onChange(handler: (change: CacheChange) => void): void;
  /** Resolves after the first list. */
  synced: Promise<void>;
}

export interface SecretWrite {
  data: Record<string, string>;
  /** The owner. Kubernetes deletes the Secret with its owner. The store writes only a Secret with this owner. */
  owner: OwnerReference;
  /** Default `Opaque`. Immutable after creation. */
  type?: string;
  /** null removes the label. Other labels stay. */
  labels?: Record<string, string | null>;
  annotations?: Record<string, string | null>;
}

/** Reads and writes single Secrets, without a cache. Every method throws `KubeError`. */
export interface SecretStore {
  read(ref: ObjectRef): Promise<Secret | undefined>;
  /**
   * Creates the Secret, or sets its data to exactly `data`. Sends nothing without a difference. Throws 409 with reason
   * `AlreadyExists` for a Secret that the owner does not control.
   */
  write(ref: ObjectRef, secret: SecretWrite): Promise<Secret>;
  /** Throws the errors that `write` would throw. Stores nothing. */
  rehearse(ref: ObjectRef, secret: SecretWrite): Promise<void>;
  /** Deletes the Secret if this owner still controls the Secret. Otherwise does nothing. */
  remove(ref: ObjectRef, ownerUid: string): Promise<void>;
  /** Removes the owner reference, so that the Secret stays after the deletion of its owner. */
  disown(ref: ObjectRef, ownerUid: string): Promise<void>;
  /**
   * Adds a finalizer and annotations. Returns the new Secret. Returns the Secret unchanged if its deletion has started,
   * and `undefined` if the Secret does not exist.
   */
  addFinalizer(ref: ObjectRef, finalizer: string, annotations?: Record<string, string>): Promise<Secret | undefined>;
  removeFinalizer(ref: ObjectRef, finalizer: string): Promise<void>;
}

/** Reads single ConfigMaps, without a cache. Throws `KubeError`. */
export interface ConfigMapStore {
  read(ref: ObjectRef): Promise<ConfigMap | undefined>;
}

export interface EventNote {
  type: "Normal" | "Warning";
  reason: string;
  /** The action in UpperCamelCase: `Create`, `Update`, `Delete`, … */
  action: string;
  note: string;
}

/** Records `events.k8s.io/v1` events as series. Never blocks and never throws. */
export interface EventRecorder {
  emit(regarding: KubeObject, note: EventNote): void;
  /** Sends waiting events, at shutdown. */
  flush(): Promise<void>;
}

/** Leadership by a Lease, with the semantics of client-go. */
export interface Leadership {
  /**
   * Resolves when this process may act: this process holds the lease, and the calls of the former holder have ended.
   */
  acquired: Promise<void>;
  /** Resolves after the first read of the lease, or after its failure. */
  asked: Promise<void>;
  /** Returns true if another process may have held the lease since `asked`. Earlier reads may be outdated. */
  tookOver(): boolean;
  /** Aborts when the lease is lost. The process must then exit. */
  lost: AbortSignal;
  /** Returns the clock milliseconds until which mutating calls may run. Never later than the end of the lease. */
  deadline(): number;
  /**
   * Returns the clock milliseconds until which the process may record results, because no other process starts earlier.
   * `Infinity` before the first leadership.
   */
  recordsUntil(): number;
  /** Returns a value that changes with each leadership. Part of journal entries. */
  epoch(): string;
  /** Releases the lease, so that the next holder need not wait. */
  release(): Promise<void>;
}

/** Checks whether other operators run. */
export interface OtherLeases {
  /**
   * Returns `yes` while an operator that watches the namespace holds the lease, or recently held the lease; `unknown`
   * without permission to read. Ignores leases of other programs. Throws `KubeError`.
   */
  holds(lease: ObjectRef, namespace: string): Promise<Holding>;
}

export type Holding = "yes" | "no" | "unknown";
