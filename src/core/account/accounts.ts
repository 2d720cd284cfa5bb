/**
 * Layer `core/account`: identity, token, sharing and sessions of CloudAccounts. The layer imports `core/kind`.
 *
 * This file keeps the session of every connected account, and the last failure of the accounts without a session. Objects open
 * their session with `open`. Only the reconcile of a CloudAccount (lifecycle/reconcile-account.ts) adds sessions. If the cloud
 * API rejects a token, the operator closes the session and sends no further request with the token.
 */
import type { Cache, KubeObject } from "../../cluster/types.ts";
import type { Session } from "../model/environment.ts";
import type { Reason } from "../kind/reasons.ts";
import { Deferred, Stalled, Waiting } from "../kind/outcome.ts";
import { isShared, notShared } from "./sharing.ts";
import type { Probe } from "./probe.ts";

/** A session, and the data to keep or replace the session. */
export interface Connection {
  session: Session;
  /** UID of the CloudAccount of the session. */
  uid: string;
  endpoint: string;
  token: string;
  /** Version of the Secret at the last read of the token; see `versionOf`. */
  secretVersion: string;
  pollSeconds: number | undefined;
  /** Time of the last proof of the token, clock milliseconds. */
  probedAt: number;
  /** Result of the last proof. Undefined if the proof failed or still runs. */
  found: Probe | undefined;
  /** Time of the last response 401 that started an immediate proof, clock milliseconds. */
  doubtedAt: number;
  /** Sets the interval between two lists, in seconds. Undefined: the interval of the operator. */
  pollEvery: (seconds: number | undefined) => void;
  /** Ends the observation. A reconcile that runs with the session continues. */
  retire: () => void;
  /**
   * Ends the observation, and refuses new calls. Calls in flight continue, because the operator must know the result of a POST.
   */
  close: () => void;
}

export interface Failure {
  reason: Reason;
  message: string;
  /** The failed token, if the token caused the failure. The operator does not use the token again before the resync. */
  token?: string | undefined;
  /** Time of the failure, clock milliseconds. */
  at: number;
}

export interface Accounts {
  open: (object: KubeObject, accountRef: { name: string; namespace?: string | undefined } | undefined) => Session;
  connection: (account: string) => Connection | undefined;
  failure: (account: string) => Failure | undefined;
  connected: (account: string, connection: Connection) => void;
  /** Closes the session, and records the reason. `open` then throws `Stalled` with the reason. */
  failed: (account: string, why: Pick<Failure, "reason" | "message">, of: Pick<Failure, "token" | "at">) => void;
  /** Records the reason of a temporary failure. `open` then throws `Waiting` with the reason. */
  delayed: (account: string, message: string) => void;
  forget: (account: string) => void;
  /** Ends the polls for a deleted object, in all sessions. */
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
          `spec.accountRef: CloudAccount ${ref.name} does not exist in namespace ${ref.namespace}. Create it there. To use an account of another namespace, which must share it, create this object again with spec.accountRef.namespace`,
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

/** Returns the message for an object. A different namespace gets neither the name of the Secret nor the owner of the token. */
function told(
  { reason, message }: Pick<Failure, "reason" | "message">,
  { namespace, name }: { namespace: string; name: string },
  home: string,
): string {
  if (namespace === home) return message;
  return `it is not connected (${reason}). No request is sent. The condition of CloudAccount ${namespace}/${name} tells its owner what to do`;
}
