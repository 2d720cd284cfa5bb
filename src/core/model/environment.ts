/** Dependencies of the core, as types. `wiring` passes the values. */
import type { KeyObject } from "node:crypto";
import type { CloudClient, JsonObject, ReadSource, SendToUrl } from "../../api/types.ts";
import type { Cache, ConfigMapStore, EventRecorder, KubeClient, KubeObject, OtherLeases } from "../../cluster/types.ts";
import type { Observer } from "../../observe/types.ts";
import type { Log } from "../../queue/log.ts";
import type { Clock } from "../../queue/clock.ts";
import type { Urgency } from "../../queue/types.ts";
import type { Identity } from "../kind/account-spec.ts";
import type { Request } from "../kind/call.ts";
import type { Mirror } from "../kind/mirror.ts";
import type { Kind } from "../kind/owned.ts";
import type { OperatorSetting } from "../kind/live.ts";
import type { Dependents } from "../watch/dependents.ts";
import { refOf } from "../kind/resource.ts";
import type { Memory } from "./memory.ts";
import type { Neutral } from "../kind/neutral.ts";
import type { Claims } from "../watch/claims.ts";
import type { Changes } from "../watch/changes.ts";
import type { Holdings } from "../watch/holdings.ts";
import type { Permissions } from "../store/permissions.ts";
import type { Definitions } from "../read/definitions.ts";
import type { FreshReads, Since } from "../read/fresh.ts";
import type { UsableSecrets } from "../secrets/guarded-secrets.ts";

/** The reason for a reconcile: a watch event of the object, or a change of a dependency. */
export type Cause = "listed" | "added" | "modified" | "deleted" | "reference" | "secret" | "account" | "cloud";

export interface Session {
  /** `namespace/name` of the CloudAccount. */
  account: string;
  client: CloudClient;
  observer: Observer;
  sendToUrl: SendToUrl;
  /** The user of the token has grants. An invisible cloud object can still exist. */
  restricted: boolean;
  /** The owner of the token at the time of the connection. */
  identity: Identity;
}

/** Identifies this operator, if several operators can watch the same objects. */
export interface Operators {
  /** `namespace/name` of the Lease of this operator. */
  own: string;
  others: OtherLeases;
}

export interface Entry {
  id: string;
  /** Undefined if the row cannot be read. */
  report: JsonObject | undefined;
}

/** Catalogs of the cloud that the operator mirrors as objects: see kind/mirror.ts. */
export interface Catalogs {
  mirrors: ReadonlyMap<string, Mirror>;
  /** Reads at the endpoint `default` without a token. */
  anybody: CloudClient;
  /** Milliseconds between two lists of a catalog. */
  everyMs: number;
  /**
   * The last list of each kind, by the names of the objects. `whole`: the list is complete, so the operator may delete
   * objects without an entry.
   */
  known: Map<string, { entries: ReadonlyMap<string, Entry>; whole: boolean }>;
  /** Kinds that wait for an account with access to the catalog. */
  waiting: Set<string>;
  /** The last reported failure of each key, until the key succeeds. */
  failing: Map<string, string>;
}

export interface UsedAccount {
  session: Session;
  cloudAccount: KubeObject | undefined;
}

export interface Environment {
  clock: Clock;
  log: Log;
  kinds: ReadonlyMap<string, Kind>;
  /** Undefined if the operator mirrors no catalogs. */
  catalogs: Catalogs | undefined;
  caches: ReadonlyMap<string, Cache>;
  /** Metadata: existence, version and deletion of each Secret. */
  secretCache: Cache;
  /** Metadata; empty if no kind refers to a ConfigMap. */
  configMapCache: Cache;
  kube: KubeClient;
  /** Refuses the operator's own credentials. */
  secrets: UsableSecrets;
  configMaps: ConfigMapStore;
  events: EventRecorder;
  /** Returns the name of the current leadership, for journal entries. */
  epoch: () => string;
  /** Processes the object in the response to a write of this operator. The watch does not report this version again. */
  stored: (before: KubeObject, written: KubeObject) => void;
  enqueue: (key: string, options: { cause: Cause; afterMs?: number; urgency?: Urgency }) => void;
  drifted: (kind: string, what: "detected" | "corrected") => void;
  /** Counts a cloud object that stays in the cloud without a custom resource, for metrics. */
  leftBehind: (kind: string) => void;
  /** Receives each request that changes the cloud, immediately before the request leaves. For plans. */
  leaving: (key: string, request: Request) => void;
  fresh: FreshReads;
  definitions: Definitions;
  /** Watched namespaces; undefined: all. */
  namespaces: readonly string[] | undefined;
  /** Metadata of the objects of disabled kinds, by kind. */
  disabled: ReadonlyMap<string, Cache>;
  /**
   * Confirms at the API server that the CloudAccount and its token did not change since the reconcile began. Returns
   * the time of the answer, clock milliseconds. Throws `Waiting` after a change. `since`: limits for earlier reads.
   */
  proveAccount: (used: UsedAccount, since: Since) => Promise<number>;
  /** Returns the session of an object. Throws `Waiting` or `Stalled` if the account cannot be used. */
  openAccount: (
    object: KubeObject,
    accountRef: { name: string; namespace?: string | undefined } | undefined,
  ) => Session;
  /** Stops all polls and wake-ups of a key, in all accounts. The next reconcile can follow rows again. */
  unfollow: (key: string) => void;
  /** Checks the account after a 401 to a request of the session. */
  doubtToken: (session: Session) => void;
  /** Checks the account after a failure of the cloud API. The condition of the account reports the result. */
  doubtService: (session: Session) => void;
  dependents: Dependents;
  claims: Claims;
  changes: Changes;
  holdings: Holdings;
  /** Undefined if only one operator runs. */
  operators: Operators | undefined;
  /** Undefined if Roles in namespaces do not give the permissions. */
  permissions: Permissions | undefined;
  memory: Memory;
  scopesOf: (kind: string) => readonly string[];
  /** Translates the brand word of the cloud API in names to `compute`. */
  neutral: Neutral;
  /** The tag on every cloud object that this installation creates; undefined: no tag. */
  installationTag: string | undefined;
  /** The key for signatures: at least 32 bytes, the same for all operators of the installation. */
  installationKey: KeyObject;
  /** When the Secret of the key was created, RFC 3339. A record on a younger object needs a valid signature. */
  installationKeySince: string | undefined;
  /**
   * `readOnly`: the operator sends no request that changes the cloud. `protectByDefault`: objects with data in the cloud are
   * protected unless `spec.management.protect` is false.
   */
  settings: Readonly<Record<OperatorSetting | "readOnly" | "protectByDefault", boolean>>;
  /** Permitted origins for the data of images. */
  imageSources: readonly string[];
  readSource: ReadSource;
  secretValueBytes: number;
  /** The account of each upload in progress, by the UID of the object. */
  uploads: Map<string, string>;
  settle: { freeMs: number; billableMs: number };
  /** Milliseconds between two lists of a collection. */
  pollMs: number;
  /** Returns the resync interval of a settled object, milliseconds. The interval varies, to spread the reconciles. */
  resyncMs: () => number;
}

/** Returns false after the watch reported the deletion of the object, even if another object now has the same name. */
export function isPresent({ caches }: Pick<Environment, "caches">, object: KubeObject): boolean {
  return caches.get(object.kind)?.get(refOf(object))?.metadata.uid === object.metadata.uid;
}
