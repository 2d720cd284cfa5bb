import type { Clock } from "../queue/clock.ts";
import { KubeError } from "./errors.ts";
import type { Log } from "../queue/log.ts";
import { microTime } from "./micro-time.ts";
import type { KubeClient, KubeObject, Leadership, Resource } from "./types.ts";

export interface LeaseOptions {
  /** With a deadline of some four seconds a call, so that a hung connection leaves time for a second try. */
  client: KubeClient;
  clock: Clock;
  log: Log;
  namespace: string;
  name: string;
  /** Unique to this process, not just to its pod: a restarted process must not take its forerunner for itself. */
  identity: string;
  /** What the holder watches; undefined: all. Others read it off the lease. */
  namespaces?: string[] | undefined;
  /** How long others wait for a holder that renews it no more. Default 15, as client-go has it. */
  leaseSeconds?: number;
  /** False if the work for which this process holds the lease has hung: then the lease is not renewed, and lost. */
  holderRuns?: () => boolean;
  /** Called after each change of `deadline` or `recordsUntil`. */
  onChange?: () => void;
  /** Milliseconds that the longest mutating call of a former holder may go on at the server. Default 30,000. */
  longestCallMs?: number;
}

export const leases: Resource = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};

/** Names the namespaces that the holder watches, with commas; empty for all. It tells an operator's lease from others. */
export const namespacesAnnotation = "cloudplatform.dev/namespaces";

const defaultLeaseSeconds = 15;

/** Milliseconds for one call. A hung connection must leave time for a second try before the lease ends. */
export const leaseCallMs = 4_000;

/** Of 15 s as client-go has it: renewed every 2 s, and lost after 10. A longer lease is renewed more seldom: of 30 s every 5. */
function timing({ leaseSeconds = defaultLeaseSeconds, longestCallMs = 30_000 }: LeaseOptions) {
  const leaseMs = leaseSeconds * 1000;
  return { leaseMs, renewDeadlineMs: (leaseMs * 2) / 3, retryMs: leaseMs / 5 - 1000, longestCallMs };
}

/** What was read of the lease, and since when by our own clock it has not changed. */
interface Observed {
  resourceVersion: string;
  holder: string;
  durationMs: number;
  transitions: number;
  since: number;
}

/** Our own hold on it. */
interface Held {
  resourceVersion: string;
  transitions: number;
  /** When the renewal that was last confirmed was sent: others count from later, so this errs on the safe side. */
  renewedAt: number;
}

/**
 * Leader election with client-go's meaning of the Lease's fields, and a fence (DESIGN section 7).
 *
 * Guarantees, given clocks that run at about the same speed (wall clocks may differ): `deadline()` of a holder lies
 * before the moment from which anybody else may take the lease; a taken-over lease resolves `acquired` only after the
 * longest call of the former holder has run out; a returned lease at once. Times are monotonic milliseconds.
 * Caveat: whoever deletes the Lease object by hand lets the next holder start before the present one has noticed.
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
      // Before that time the calls of the former holder may still run, and the next would not wait for them.
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
  /** The calls of the former holder have run out. */
  mayAct: boolean;
  stopped: boolean;
  /** The next one begins at once. */
  returned: boolean;
  /** The lease was read so often before it was ours: once where nobody has held it since. */
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
    log.info({ lease: name, identity, waitMs }, "the lease is ours");
    state.options.onChange?.();
    clock.schedule(waitMs, () => {
      if (isOver(state)) return;
      state.mayAct = true;
      state.options.onChange?.();
      state.begin();
    });
    watchRenewal(state);
  } catch (error) {
    log.debug({ lease: name, error }, "the lease was not obtained; it is tried again");
  }
}

async function renew(state: State, held: Held): Promise<void> {
  const { client, clock, log, name } = state.options;
  const sentAt = clock.now();
  if (sentAt - held.renewedAt >= timing(state.options).renewDeadlineMs)
    return lose(state, "it could not be renewed in time");
  if (state.options.holderRuns?.() === false) return lose(state, "the operator does not respond");
  try {
    const patch = guardedPatch(state.options, held.resourceVersion, { renewTime: microTime(clock.date()) });
    state.held = { ...holdOf(await client.patch(leases, refOf(state.options), patch)), renewedAt: sentAt };
    state.options.onChange?.();
  } catch (error) {
    log.debug({ lease: name, error }, "the lease was not renewed; it is tried again");
    if (error instanceof KubeError && error.notFound) lose(state, "it was deleted");
    else if (error instanceof KubeError && error.conflict) await readAgain(state, held);
  }
}

/** After a conflict: a renewal whose answer was lost, or somebody's label, or somebody else's lease. */
async function readAgain(state: State, held: Held): Promise<void> {
  const { client, identity } = state.options;
  const object = await client.get(leases, refOf(state.options)).catch(() => null);
  if (object === null) return;
  const ours = object !== undefined && specOf(object).holderIdentity === identity;
  if (!ours || holdOf(object).transitions !== held.transitions) return lose(state, "another holds it");
  state.held = { ...holdOf(object), renewedAt: held.renewedAt };
}

/** Apart from the renewals, so that one that hangs cannot delay it. */
function watchRenewal(state: State): void {
  const { held, options } = state;
  if (held === undefined || isOver(state)) return;
  const left = held.renewedAt + timing(options).renewDeadlineMs - options.clock.now();
  if (left <= 0) lose(state, "it could not be renewed in time");
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

/** Creates it, or takes it over guarded by the version observed: of several who try, one succeeds. */
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

/** As client-go does: no holder, and a duration of one second for those who look at nothing else. */
async function giveBack(options: LeaseOptions, held: Held): Promise<void> {
  const spec = { holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(options.clock.date()) };
  try {
    await options.client.patch(leases, refOf(options), guardedPatch(options, held.resourceVersion, spec));
  } catch (error) {
    options.log.warn({ lease: options.name, error }, "the lease was not given back; the next holder waits it out");
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
