/**
 * Who owns a cloud object when two objects claim it: design, section 4, "Ownership".
 *
 * A recorded id beats any claim without one; between recorded ones the older object wins, then the smaller UID.
 */
import type { KubeObject } from "../cluster/types.ts";
import type { AccountSpec } from "./account-spec.ts";
import type { CommonSpec, CommonStatus } from "./common-schema.ts";
import type { Environment } from "./environment.ts";
import { keyOfObject, parseKey } from "./environment.ts";
import { intentOf } from "./intent.ts";
import { Stalled } from "./outcome.ts";
import type { Connected } from "./reconciliation.ts";

/** Index of recorded identifiers: which objects say that they manage a given id. */
export interface Recorded {
  update: (key: string, object: KubeObject | undefined) => void;
  /** Records an id before the status that holds it is stored. */
  note: (key: string, id: string) => void;
  /** Keys of the objects of this kind that recorded the id. */
  of: (kind: string, id: string) => string[];
}

export function createRecorded(): Recorded {
  const idOf = new Map<string, string>();
  const keysOf = new Map<string, Set<string>>();
  const slot = (kind: string, id: string): string => `${kind}|${id}`;

  function note(key: string, id: string | undefined): void {
    const before = idOf.get(key);
    if (before === id) return;
    const { kind } = parseKey(key);
    if (before !== undefined) {
      const keys = keysOf.get(slot(kind, before));
      keys?.delete(key);
      if (keys?.size === 0) keysOf.delete(slot(kind, before));
    }
    if (id === undefined) return void idOf.delete(key);
    idOf.set(key, id);
    keysOf.set(slot(kind, id), (keysOf.get(slot(kind, id)) ?? new Set()).add(key));
  }

  return {
    note,
    update(key, object) {
      const id = (object?.status as CommonStatus | undefined)?.id;
      // An id in memory is newer than a status that has none yet.
      if (object === undefined || id !== undefined) note(key, id);
    },
    of: (kind, id) => [...(keysOf.get(slot(kind, id)) ?? [])],
  };
}

interface Claim {
  id: string;
  /** `namespace/name` of the CloudAccount. */
  account: string;
  collection: string;
}

/** The object other than `self` with the strongest recorded claim on this cloud object. Objects that only observe claim nothing. */
export function ownerOf(
  environment: Environment,
  self: KubeObject,
  { id, account, collection }: Claim,
): KubeObject | undefined {
  const cache = environment.caches.get(self.kind);
  return environment.recorded
    .of(self.kind, id)
    .map((key) => cache?.get(parseKey(key)))
    .filter((object) => object !== undefined)
    .filter((object) => object.metadata.uid !== self.metadata.uid && accountOf(object) === account && !observes(object))
    .filter((object) => (intentOf(object)?.collection ?? collection) === collection)
    .sort(byStrength)[0];
}

/** True when the recorded claim of `a` is stronger than that of `b`. */
export function beats(a: KubeObject, b: KubeObject): boolean {
  return byStrength(a, b) < 0;
}

/** `namespace/name` of the account that an object names. */
export function accountOf(object: KubeObject): string {
  const { accountRef } = (object.spec ?? {}) as CommonSpec;
  return `${accountRef?.namespace ?? object.metadata.namespace ?? ""}/${accountRef?.name ?? "default"}`;
}

/**
 * What exists in an account is taken over or referred to by id from the account's own namespace, and from those that its
 * owner names: whoever may use an account could otherwise take what others made. Throws `Stalled`.
 */
export function requireExisting({ environment, object, session }: Connected, field: string): void {
  const [namespace, name] = session.account.split("/");
  const own = object.metadata.namespace ?? "";
  if (own === namespace) return;
  const account = environment.caches.get("CloudAccount")?.get({ namespace: namespace ?? "", name: name ?? "" });
  const granted = ((account?.spec ?? {}) as Partial<AccountSpec>).sharing?.existing ?? [];
  if (granted.includes(own) || granted.includes("*")) return;
  const message = `${field}: CloudAccount ${session.account} does not let namespace ${own} use what exists already; its owner may add it to spec.sharing.existing`;
  throw new Stalled("NotShared", message);
}

/** For messages: `ComputeInstance shop/web-1`. */
export function nameOf(object: KubeObject): string {
  const { kind, namespace, name } = parseKey(keyOfObject(object));
  return `${kind} ${namespace}/${name}`;
}

function observes(object: KubeObject): boolean {
  return ((object.spec ?? {}) as CommonSpec).management?.policy === "Observe";
}

function byStrength(a: KubeObject, b: KubeObject): number {
  return (
    a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) ||
    a.metadata.uid.localeCompare(b.metadata.uid)
  );
}
