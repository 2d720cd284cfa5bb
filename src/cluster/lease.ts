import type { Clock } from "../queue/clock.ts";
import { KubeError } from "./errors.ts";
import type { Log } from "../queue/log.ts";
import { microTime } from "./micro-time.ts";
import type { KubeClient, KubeObject, Leadership, Resource } from "./types.ts";

export interface LeaseOptions {
  /** Use a deadline of about four seconds per call: after a hung connection, time remains for a second attempt. */
  client: KubeClient;
  clock: Clock;
  log: Log;
  namespace: string;
  name: string;
  /** Unique to this process: a restarted process in the same pod must not use the lease of its predecessor. */
  identity: string;
  /** Namespaces that the holder watches; undefined for the whole cluster. Other operators read the list. */
  namespaces?: string[] | undefined;
  /** Seconds that another process waits for a holder without renewals. Default 15, as in client-go. */
  leaseSeconds?: number;
  /** Returns false if the work of the holder hangs. The process then stops renewing and loses the lease. */
  holderRuns?: () => boolean;
  /** Called after each change of `deadline` or `recordsUntil`. */
  onChange?: () => void;
  /** Longest time that a mutating call of a former holder may run at the server, milliseconds. Default 30,000. */
  longestCallMs?: number;
}

export const leases: Resource = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};

/** Names the namespaces of the holder, separated by commas; empty for the whole cluster. Marks an operator's lease. */
export const namespacesAnnotation = "cloudplatform.dev/namespaces";

const defaultLeaseSeconds = 15;

/** Milliseconds for one call. After a hung connection, time must remain for a second attempt before the lease ends. */
export const leaseCallMs = 4_000;

/** Returns the intervals. With 15 s, the holder renews every 2 s and loses the lease after 10, as in client-go. */
function timing({ leaseSeconds = defaultLeaseSeconds, longestCallMs = 30_000 }: LeaseOptions) {
  const leaseMs = leaseSeconds * 1000;
  return { leaseMs, renewDeadlineMs: (leaseMs * 2) / 3, retryMs: leaseMs / 5 - 1000, longestCallMs };
}

/** The last version read, and the time on the local clock since the last change. */
interface Observed {
  resourceVersion: string;
  holder: string;
  durationMs: number;
  transitions: number;
  since: number;
}

/** The lease while this process holds the lease. */
interface Held {
  resourceVersion: string;
  transitions: number;
  /** Time when the last confirmed renewal was sent. Other processes count from a later time, on the safe side. */
  renewedAt: number;
}

/**
 * Creates leader election with the Lease semantics of client-go, and a fence (DESIGN section 7).
 *
 * Guarantees, if clocks run at about the same speed (wall clocks may differ): `deadline()` of a holder lies before the
 * time when another process may take the lease. After a takeover, `acquired` resolves when the longest call of the
 * former holder has ended; after a release, `acquired` resolves immediately. Times are monotonic milliseconds.
 * Caveat: if a user deletes the Lease object, the next holder starts before the current holder notices.
 */
export function createLeadership(options: LeaseOptions): Leadership {
  const acquired = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const lost = new AbortController();
  const state: State = {
    options,
    lost,
    noteAsked: asked.resolve,
    begin: acquired.resolve,
    mayAct: false,
    stopped: false,
    returned: false,
    tries: 0,
  };
  let turn = Promise.resolve();
  const tick = (): void => {
    turn = (state.held === undefined ? tryAcquire(state) : renew(state, state.held)).then(() => {
      if (isOver(state)) return;
      state.cancel = options.clock.schedule(timing(options).retryMs, tick);
    });
  };
  state.cancel = options.clock.schedule(0, tick);
  return {
    acquired: acquired.promise,
    asked: asked.promise,
    tookOver: () => state.tries > 1,
    lost: lost.signal,
    deadline: () =>
      state.held === undefined || !state.mayAct || isOver(state)
        ? -Infinity
        : state.held.renewedAt + timing(options).leaseMs,
    recordsUntil: () => {
      if (state.returned) return -Infinity;
      const { leaseMs, longestCallMs } = timing(options);
      return state.held === undefined ? Infinity : state.held.renewedAt + leaseMs + longestCallMs;
    },
    epoch: () => (state.held === undefined ? "" : `${options.identity}/${state.held.transitions}`),
    async release() {
      if (state.stopped) return;
      state.stopped = true;
      options.onChange?.();
      state.cancel?.();
      await turn;
      // Calls of the former holder may still run, and the next holder would not wait for these calls.
      if (state.held === undefined || !state.mayAct || lost.signal.aborted) return;
      state.returned = true;
      options.onChange?.();
      await giveBack(options, state.held);
    },
  };
}

interface State {
  options: LeaseOptions;
  lost: AbortController;
  /** Resolves `asked`. */
  noteAsked: () => void;
  /** Resolves `acquired`. */
  begin: () => void;
  observed?: Observed;
  held?: Held;
  /** The calls of the former holder have ended. */
  mayAct: boolean;
  stopped: boolean;
  /** The lease is released: the next holder starts immediately. */
  returned: boolean;
  /** Reads of the lease before this process held the lease. One read means that no process has held the lease since. */
  tries: number;
  cancel?: () => void;
}

function isOver({ stopped, lost }: State): boolean {
  return stopped || lost.signal.aborted;
}

async function tryAcquire(state: State): Promise<void> {
  const { client, clock, log, identity, name } = state.options;
  state.tries += 1;
  try {
    const object = await client.get(leases, refOf(state.options)).finally(state.noteAsked);
    const seen = observe(object, state.observed, clock.now());
    if (seen === undefined) delete state.observed;
    else state.observed = seen;
    const free = seen === undefined || seen.holder === "";
    if (isOver(state) || (!free && clock.now() < seen.since + seen.durationMs)) return;
    const sentAt = clock.now();
    state.held = { ...holdOf(await take(state.options, seen)), renewedAt: sentAt };
    const waitMs = free ? 0 : timing(state.options).longestCallMs;
    log.info({ lease: name, identity, waitMs }, "this process holds the lease");
    state.options.onChange?.();
    clock.schedule(waitMs, () => {
      if (isOver(state)) return;
      state.mayAct = true;
      state.options.onChange?.();
      state.begin();
    });
    watchRenewal(state);
  } catch (error) {
    log.debug({ lease: name, error }, "could not acquire the lease; retrying");
  }
}

async function renew(state: State, held: Held): Promise<void> {
  const { client, clock, log, name } = state.options;
  const sentAt = clock.now();
  if (sentAt - held.renewedAt >= timing(state.options).renewDeadlineMs)
    return lose(state, "the operator did not renew the lease in time");
  if (state.options.holderRuns?.() === false) return lose(state, "the operator does not respond");
  try {
    const patch = guardedPatch(state.options, held.resourceVersion, { renewTime: microTime(clock.date()) });
    state.held = { ...holdOf(await client.patch(leases, refOf(state.options), patch)), renewedAt: sentAt };
    state.options.onChange?.();
  } catch (error) {
    log.debug({ lease: name, error }, "could not renew the lease; retrying");
    if (error instanceof KubeError && error.notFound) lose(state, "the Lease object was deleted");
    else if (error instanceof KubeError && error.conflict) await readAgain(state, held);
  }
}

/** Reads the lease after a conflict: a response was lost, a user changed a label, or another process is the holder. */
async function readAgain(state: State, held: Held): Promise<void> {
  const { client, identity } = state.options;
  const object = await client.get(leases, refOf(state.options)).catch(() => null);
  if (object === null) return;
  const ours = object !== undefined && specOf(object).holderIdentity === identity;
  if (!ours || holdOf(object).transitions !== held.transitions) return lose(state, "another process holds the lease");
  state.held = { ...holdOf(object), renewedAt: held.renewedAt };
}

/** Checks the deadline on a separate timer, because a renewal can hang. */
function watchRenewal(state: State): void {
  const { held, options } = state;
  if (held === undefined || isOver(state)) return;
  const left = held.renewedAt + timing(options).renewDeadlineMs - options.clock.now();
  if (left <= 0) lose(state, "the operator did not renew the lease in time");
  else options.clock.schedule(left, () => watchRenewal(state));
}

function lose(state: State, why: string): void {
  if (isOver(state)) return;
  const { log, name, identity } = state.options;
  state.cancel?.();
  log.error({ lease: name, identity, why }, "the lease is lost");
  state.lost.abort(new Error(`the lease ${name} is lost: ${why}`));
  state.options.onChange?.();
}

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  leaseTransitions?: number;
  renewTime?: string;
}

function specOf(object: KubeObject): LeaseSpec {
  return object.spec ?? {};
}

function refOf({ namespace, name }: LeaseOptions): { namespace: string; name: string } {
  return { namespace, name };
}

function observe(object: KubeObject | undefined, before: Observed | undefined, now: number): Observed | undefined {
  if (object === undefined) return undefined;
  const { resourceVersion } = object.metadata;
  if (before?.resourceVersion === resourceVersion) return before;
  const { holderIdentity = "", leaseDurationSeconds = defaultLeaseSeconds, leaseTransitions = 0 } = specOf(object);
  const durationMs = leaseDurationSeconds * 1000;
  return { resourceVersion, holder: holderIdentity, durationMs, transitions: leaseTransitions, since: now };
}

function holdOf(object: KubeObject): Pick<Held, "resourceVersion" | "transitions"> {
  return { resourceVersion: object.metadata.resourceVersion, transitions: specOf(object).leaseTransitions ?? 0 };
}

/** Creates the lease, or takes over the lease with the observed resourceVersion. Of several processes, one succeeds. */
function take(options: LeaseOptions, seen: Observed | undefined): Promise<KubeObject> {
  const now = microTime(options.clock.date());
  const spec = {
    holderIdentity: options.identity,
    leaseDurationSeconds: options.leaseSeconds ?? defaultLeaseSeconds,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: seen === undefined ? 0 : seen.transitions + 1,
  };
  const annotations = annotationsOf(options.namespaces);
  if (seen !== undefined) {
    const metadata = { resourceVersion: seen.resourceVersion, annotations };
    return options.client.patch(leases, refOf(options), { metadata, spec });
  }
  const metadata = { ...refOf(options), annotations };
  return options.client.create(leases, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
}

/** Releases the lease as client-go does: no holder, and a duration of one second. */
async function giveBack(options: LeaseOptions, held: Held): Promise<void> {
  const spec = { holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(options.clock.date()) };
  try {
    await options.client.patch(leases, refOf(options), guardedPatch(options, held.resourceVersion, spec));
  } catch (error) {
    options.log.warn(
      { lease: options.name, error },
      "could not release the lease; the next holder waits until the lease expires",
    );
  }
}

function guardedPatch(
  { namespaces }: LeaseOptions,
  resourceVersion: string,
  spec: Record<string, unknown>,
): Record<string, unknown> {
  return { metadata: { resourceVersion, annotations: annotationsOf(namespaces) }, spec };
}

function annotationsOf(namespaces: string[] | undefined): Record<string, string> {
  return { [namespacesAnnotation]: namespaces?.join(",") ?? "" };
}
