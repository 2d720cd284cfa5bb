/**
 * Layer `core/account`: CloudAccounts: identity, token, sharing, and the sessions of connected accounts. The layer imports `core/kind`.
 *
 * The accounts that are connected, and what became of those that are not.
 *
 * Objects ask here for their session; only the reconcile of a CloudAccount (account.ts) puts one in.
 * A token that the account finds rejected closes its session, so that nothing else is tried with it.
 */
import type { Cache, KubeObject } from "../../cluster/types.ts";
import type { Session } from "../model/environment.ts";
import type { Reason } from "../kind/reasons.ts";
import { Deferred, Stalled, Waiting } from "../kind/outcome.ts";
import { isShared, notShared } from "./sharing.ts";
import type { Probe } from "./probe.ts";

/** A session with what is needed to keep or replace it. */
export interface Connection {
  session: Session;
  /** Of the CloudAccount that it was made for. */
  uid: string;
  endpoint: string;
  token: string;
  /** Of the Secret that held the token when it was read last; see `versionOf`. */
  secretVersion: string;
  sweepSeconds: number | undefined;
  /** Clock milliseconds of the last proof of the token. */
  probedAt: number;
  /** What it showed; undefined where it failed, or has not ended yet. */
  found: Probe | undefined;
  /** …and of the last 401 that had it asked for at once. */
  doubtedAt: number;
  /** Another time between two lists; undefined: the operator's own. */
  sweepEvery: (seconds: number | undefined) => void;
  /** Ends what is observed. Reconciles that have begun with it go on with it. */
  retire: () => void;
  /** …and no call begins any more. Those in flight end by themselves: what came of a POST must be known. */
  close: () => void;
}

export interface Failure {
  reason: Reason;
  message: string;
  /** The token that failed, where it was the token's fault: not tried again until the slow pass. */
  token?: string | undefined;
  /** Clock milliseconds. */
  at: number;
}

export interface Accounts {
  open: (object: KubeObject, accountRef: { name: string; namespace?: string | undefined } | undefined) => Session;
  connection: (account: string) => Connection | undefined;
  failure: (account: string) => Failure | undefined;
  connected: (account: string, connection: Connection) => void;
  /** Closes the session; those who ask are told why. */
  failed: (account: string, why: Pick<Failure, "reason" | "message">, of: Pick<Failure, "token" | "at">) => void;
  /** It cannot be connected for now; those who ask are told why. */
  delayed: (account: string, message: string) => void;
  forget: (account: string) => void;
  /** An object is gone: no session sweeps for it any more. */
  forgetKey: (key: string) => void;
  sessions: () => Session[];
  closeAll: () => void;
}

export function createAccounts(cache: Cache): Accounts {
  const connections = new Map<string, Connection>();
  const failures = new Map<string, Failure>();
  const delays = new Map<string, string>();

  function drop(account: string): void {
    connections.get(account)?.close();
    connections.delete(account);
  }

  return {
    connection: (account) => connections.get(account),
    failure: (account) => failures.get(account),
    connected(account, connection) {
      if (connections.get(account) !== connection) connections.get(account)?.retire();
      failures.delete(account);
      delays.delete(account);
      connections.set(account, connection);
    },
    failed(account, { reason, message }, of) {
      drop(account);
      failures.set(account, { reason, message, ...of });
    },
    delayed: (account, message) => void delays.set(account, message),
    forget(account) {
      drop(account);
      failures.delete(account);
      delays.delete(account);
    },
    forgetKey: (key) => connections.forEach(({ session }) => session.observer.forget(key)),
    sessions: () => [...connections.values()].map(({ session }) => session),
    closeAll: () => [...connections.keys()].forEach(drop),
    open(object, accountRef) {
      const home = object.metadata.namespace ?? "";
      const ref = { namespace: accountRef?.namespace ?? home, name: accountRef?.name ?? "default" };
      const account = `${ref.namespace}/${ref.name}`;
      const stored = cache.get(ref);
      const isPermitted = stored ? isShared(stored, home) : ref.namespace === home;
      if (!isPermitted) throw notShared(account, home);
      if (!stored)
        throw new Waiting(
          "WaitingForAccount",
          `spec.accountRef: CloudAccount ${ref.name} does not exist in namespace ${ref.namespace}. Create it, or name another one`,
        );
      const failure = failures.get(account);
      if (failure) throw new Stalled(failure.reason, `CloudAccount ${ref.name}: ${told(failure, ref, home)}`);
      const connection = connections.get(account);
      if (connection?.uid === stored.metadata.uid) return connection.session;
      const delay = delays.get(account);
      if (delay === undefined) throw new Deferred(`CloudAccount ${ref.name} is not connected yet`);
      throw new Waiting(
        "WaitingForAccount",
        `CloudAccount ${ref.name}: ${told({ reason: "WaitingForAccount", message: delay }, ref, home)}`,
        60_000,
        { transient: true },
      );
    },
  };
}

/** Another namespace does not learn which Secret has the token, and whose it is. */
function told(
  { reason, message }: Pick<Failure, "reason" | "message">,
  { namespace, name }: { namespace: string; name: string },
  home: string,
): string {
  if (namespace === home) return message;
  return `it is not connected (${reason}). No request is sent. The condition of CloudAccount ${namespace}/${name} tells its owner what to do`;
}
