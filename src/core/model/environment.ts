/**
 * What the core needs of the other rooms, as types: handed in by the wiring, replaced by nothing in tests
 * (they run on the simulator and a real API server).
 */
import type { KeyObject } from "node:crypto";
import type { CloudClient, JsonObject, ReadSource, SendToUrl } from "../../api/types.ts";
import type { Cache, ConfigMapStore, EventRecorder, KubeClient, KubeObject, OtherLeases } from "../../cluster/types.ts";
import type { Observer } from "../../observe/types.ts";
import type { Log } from "../../queue/log.ts";
import type { Clock } from "../../queue/clock.ts";
import type { Urgency } from "../../queue/types.ts";
import type { Identity } from "../kind/account-spec.ts";
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

/** Why an object is reconciled: a watch event of its own, or a change of something that it depends on. */
export type Cause = "listed" | "added" | "modified" | "deleted" | "reference" | "secret" | "account" | "cloud";

/** An account that is connected: one token, its client and what is observed with it. */
export interface Session {
  /** `namespace/name` of the CloudAccount. */
  account: string;
  client: CloudClient;
  observer: Observer;
  /** A request to a URL that the API handed out. */
  sendToUrl: SendToUrl;
  /** Its user is limited by grants: what it does not see may still be there. */
  restricted: boolean;
  /** Whose token it was when the account was connected. */
  identity: Identity;
}

/** Which operator this is, where several may watch the same objects. */
export interface Custody {
  /** `namespace/name` of our own lease. */
  own: string;
  others: OtherLeases;
}

/** A row of a catalog, read. */
export interface Entry {
  id: string;
  /** Undefined: it could not be read. */
  report: JsonObject | undefined;
}

/** Catalogs that are kept as objects; see mirror.ts. */
export interface Catalogs {
  mirrors: ReadonlyMap<string, Mirror>;
  /** Reads at the endpoint `default` without a token. */
  anybody: CloudClient;
  /** Milliseconds between two lists of a catalog. */
  everyMs: number;
  /** What was listed last, by kind; its entries by the name of their object. `whole`: what is not among them is gone. */
  known: Map<string, { entries: ReadonlyMap<string, Entry>; whole: boolean }>;
  /** Kinds that no account could be found for. */
  waiting: Set<string>;
  /** What was last said of a key, until it succeeds. */
  failing: Map<string, string>;
}

/** The CloudAccount by which a request was decided, and its session. */
export interface UsedAccount {
  session: Session;
  cloudAccount: KubeObject | undefined;
}

export interface Environment {
  clock: Clock;
  log: Log;
  kinds: ReadonlyMap<string, Kind>;
  /** Undefined where none are kept. */
  catalogs: Catalogs | undefined;
  caches: ReadonlyMap<string, Cache>;
  /** Metadata only: that a Secret exists, its version and whether it is being deleted. */
  secretCache: Cache;
  /** Metadata only; empty where no kind refers to one. */
  configMapCache: Cache;
  kube: KubeClient;
  /** Refuses the operator's own credentials. */
  secrets: UsableSecrets;
  configMaps: ConfigMapStore;
  events: EventRecorder;
  /** Names this leadership in intents. */
  epoch: () => string;
  /** Takes up what our own write answered: the watch will not announce it. */
  stored: (before: KubeObject, written: KubeObject) => void;
  /** Puts a key into the queue. `cause`: what happened, for traces. */
  enqueue: (key: string, options: { cause: Cause; afterMs?: number; urgency?: Urgency }) => void;
  /** Told of each drift once when it is seen, and once when it was undone; for metrics. */
  drifted: (kind: string, what: "detected" | "corrected") => void;
  /** Told of each cloud object that stays without a word from its object; for metrics. */
  leftBehind: (kind: string) => void;
  /** Reads of the API server that requests share. */
  fresh: FreshReads;
  /** Reads of the CustomResourceDefinitions. */
  definitions: Definitions;
  /** Namespaces that the operator watches; undefined: all. */
  namespaces: readonly string[] | undefined;
  /** Metadata of the objects of kinds that are switched off, by kind. */
  disabled: ReadonlyMap<string, Cache>;
  /**
   * Asks the API server whether the CloudAccount and its token are still those that this reconcile uses. Returns when the API
   * server answered, in clock milliseconds. Throws `Waiting` if one of them changed. `since`: which earlier reads count.
   */
  proveAccount: (used: UsedAccount, since: Since) => Promise<number>;
  /** The account of an object. Throws `Waiting` or `Stalled` when it cannot be used. */
  openAccount: (
    object: KubeObject,
    accountRef: { name: string; namespace?: string | undefined } | undefined,
  ) => Session;
  /** Ends every sweep and wake-up of a key, in all accounts. The next reconcile can follow rows again. */
  unfollow: (key: string) => void;
  /** A call of this session was answered 401: the account is asked whether its token is rejected. */
  doubtToken: (session: Session) => void;
  /** The cloud API did not answer as it should: the account is asked, and says so. */
  doubtService: (session: Session) => void;
  dependents: Dependents;
  claims: Claims;
  /** Recent changes, and the objects that wait for changes of other objects. */
  changes: Changes;
  /** Which objects have the cloud objects that one object can have at a time. */
  holdings: Holdings;
  /** Undefined where only one operator ever runs. */
  custody: Custody | undefined;
  /** Undefined where the operator's permissions do not come from the namespaces. */
  permissions: Permissions | undefined;
  memory: Memory;
  /** The scopes that a token needs for a kind. */
  scopesOf: (kind: string) => readonly string[];
  /** Names in the cloud API's own brand word become `compute`. */
  neutral: Neutral;
  /** The tag that proves that this installation created something; undefined: none is set. */
  installationTag: string | undefined;
  /** What intents are signed with; at least 32 bytes, the same for all operators of the installation. */
  installationKey: KeyObject;
  /** When the key's Secret was created, RFC 3339: the record of a younger object counts only with a signature. */
  installationKeySince: string | undefined;
  /** What the operator was started with, of what kinds ask for. */
  settings: Readonly<Record<OperatorSetting, boolean>>;
  /** Origins that data of images may be read from, and what reads it. */
  imageSources: readonly string[];
  readSource: ReadSource;
  /** Bytes that one value of a Secret or a ConfigMap may have. */
  secretValueBytes: number;
  /** The uids of objects whose data is being sent, each with its account. */
  uploads: Map<string, string>;
  settle: { freeMs: number; billableMs: number };
  /** Milliseconds between two lists of a collection. */
  sweepMs: number;
  /** How long a settled object is left without a reconcile; a little different each time, so that reconciles spread out. */
  slowPassMs: () => number;
}

/** False once the watch has reported that this very object is gone, also where another one has its name. */
export function isPresent({ caches }: Pick<Environment, "caches">, object: KubeObject): boolean {
  return caches.get(object.kind)?.get(refOf(object))?.metadata.uid === object.metadata.uid;
}
