/** Metadata of a Kubernetes object, as far as we use it; `managedFields` is never kept. */
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

/** A Secret with its values. */
export interface Secret extends ConfigMap {
  type?: string;
}

/** A ConfigMap with its values. Both maps have keys of it alone, and no prototype. */
export interface ConfigMap extends KubeObject {
  /** The values that are UTF-8 text. */
  data: Record<string, string>;
  /** All values as they are, in base64. */
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
  /** Done when the API server has authorised the patch and waits for its content. Such a patch is sent once. */
  beforeBody?: () => Promise<void>;
  /** Nothing is stored: it is said whether it would be. */
  dryRun?: boolean;
}

/** Which objects of a collection a list returns. */
export interface ListOptions {
  /** All namespaces if not given. */
  namespace?: string | undefined;
  /** Values of selectable fields, such as `{"spec.domainRef.id": "12"}`. An object without the field has the value ``. */
  fields?: Record<string, string> | undefined;
  /** Reads metadata alone. */
  metadataOnly?: boolean | undefined;
}

/** The Kubernetes API over one pooled transport. Every method throws `KubeError` (cluster/errors.ts). */
export interface KubeClient {
  /** Reads one object; with `metadataOnly`, its metadata alone. Returns `undefined` for a 404. */
  get(resource: Resource, ref: ObjectRef, options?: { metadataOnly?: boolean }): Promise<KubeObject | undefined>;
  /** Lists objects as they are now, by pages. Returns them without `managedFields`. */
  list(resource: Resource, options: ListOptions): Promise<KubeObject[]>;
  create(
    resource: Resource,
    object: Record<string, unknown>,
    options?: Pick<PatchOptions, "dryRun">,
  ): Promise<KubeObject>;
  /** A JSON merge patch; with `metadata.resourceVersion` in it, a stale version is a 409. */
  patch(
    resource: Resource,
    ref: ObjectRef,
    patch: Record<string, unknown>,
    options?: PatchOptions,
  ): Promise<KubeObject>;
  /** Writes the status of just this object, never that of another one of its name (patch-status.ts). */
  patchStatus(resource: Resource, object: KubeObject, status: Record<string, unknown>): Promise<KubeObject>;
  /** A 404 counts as done. */
  delete(resource: Resource, ref: ObjectRef, preconditions?: { uid?: string; resourceVersion?: string }): Promise<void>;
  /** GET of any path, for discovery and the like. */
  raw(path: string): Promise<unknown>;
}

export interface CacheChange {
  type: "added" | "modified" | "deleted";
  object: KubeObject;
  previous?: KubeObject;
  /** True for objects of a (re)list, so that they can be queued behind users' changes. */
  initial: boolean;
}

/** A resource kept in memory by a reflector. Keys are `namespace/name`, or `name` where cluster-scoped. */
export interface Cache {
  /** It knows only what was asked for by name. */
  isPartial?: boolean;
  get(ref: ObjectRef): KubeObject | undefined;
  list(namespace?: string): KubeObject[];
  /** One after the other, in a cluster of thousands over several turns of the event loop: what changes meanwhile is seen as it is then. */
  objects(): Iterable<KubeObject>;
  /** What a write answered: seen by `get` and `list` at once, until the watch has passed it. */
  written(object: KubeObject): void;
  /** Takes up what a read returned, if that is newer: `get` and `list` show it at once, and it is announced like a change that the watch brings. */
  noteRead(object: KubeObject): void;
  /** Called for every change; must only enqueue. A throwing handler is logged and hurts nothing. A change that is our own write coming back is not announced. */
  onChange(handler: (change: CacheChange) => void): void;
  /** Resolves when the first list is in. */
  synced: Promise<void>;
}

export interface SecretWrite {
  data: Record<string, string>;
  /** Whose Secret it is: deleted with it, and written only while it names it. */
  owner: OwnerReference;
  /** Default `Opaque`; fixed at creation. */
  type?: string;
  /** null: there must be none of this name. Others are left as they are. */
  labels?: Record<string, string | null>;
  annotations?: Record<string, string | null>;
}

/** Secrets, read singly and never cached. Every method throws `KubeError`. */
export interface SecretStore {
  read(ref: ObjectRef): Promise<Secret | undefined>;
  /**
   * Creates it, or makes its data exactly `data`; nothing is sent when it is so already. A Secret that this owner does
   * not control is never touched: 409 with reason `AlreadyExists`.
   */
  write(ref: ObjectRef, secret: SecretWrite): Promise<Secret>;
  /** Throws what `write` would throw. Nothing is stored. */
  rehearse(ref: ObjectRef, secret: SecretWrite): Promise<void>;
  /** Deletes it as it was read, where this owner controls it; what is gone, or is controlled by it no more, is left so. */
  remove(ref: ObjectRef, ownerUid: string): Promise<void>;
  /** Takes the owner's reference off, so that the Secret outlives it. */
  disown(ref: ObjectRef, ownerUid: string): Promise<void>;
  /**
   * Adds the finalizer and these annotations. Returns the Secret after that; without them if the Secret is being deleted,
   * `undefined` if the Secret does not exist.
   */
  addFinalizer(ref: ObjectRef, finalizer: string, annotations?: Record<string, string>): Promise<Secret | undefined>;
  removeFinalizer(ref: ObjectRef, finalizer: string): Promise<void>;
}

/** ConfigMaps, read singly and never cached. Throws `KubeError`. */
export interface ConfigMapStore {
  read(ref: ObjectRef): Promise<ConfigMap | undefined>;
}

export interface EventNote {
  type: "Normal" | "Warning";
  reason: string;
  /** What was done or tried, in UpperCamelCase: `Create`, `Update`, `Delete`, … */
  action: string;
  note: string;
}

/** `events.k8s.io/v1`, aggregated into series; never blocks and never throws. */
export interface EventRecorder {
  emit(regarding: KubeObject, note: EventNote): void;
  /** Sends what is waiting; at shutdown. */
  flush(): Promise<void>;
}

/** Leadership by a Lease, with client-go's meaning of its fields. */
export interface Leadership {
  /** Resolves when this process may act: the lease is ours, and the former holder's calls have run out. */
  acquired: Promise<void>;
  /** Resolves when the lease was read for the first time, or could not be. */
  asked: Promise<void>;
  /** Another process may have held the lease since `asked`: what was read before it was acquired may be older than what that one did. */
  tookOver(): boolean;
  /** Aborts when the lease is lost; the process must then exit. */
  lost: AbortSignal;
  /** Clock milliseconds until which mutating calls may run; never later than the end of the lease. */
  deadline(): number;
  /** …and until which what they did may be recorded: before that nobody else begins. `Infinity` before the first leadership. */
  recordsUntil(): number;
  /** Changes with each new leadership; goes into intents. */
  epoch(): string;
  /** Gives the lease back, so that the next need not wait it out. */
  release(): Promise<void>;
}

/** Whether other operators are at work. */
export interface OtherLeases {
  /**
   * `yes` while the lease is held, or was until lately, by an operator that watches the namespace; `unknown` where it may
   * not be read. What is no lease of an operator holds nothing. Throws `KubeError`.
   */
  holds(lease: ObjectRef, namespace: string): Promise<Holding>;
}

export type Holding = "yes" | "no" | "unknown";
