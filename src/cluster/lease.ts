import type { Clock } from "../queue/clock.ts";
import { KubeError } from "./errors.ts";
import type { Log } from "./log.ts";
import type { KubeClient, KubeObject, Leadership, Resource } from "./types.ts";

export interface LeaseOptions {
  /** With a deadline of a few seconds a call, so that a hung connection leaves time for a second try. */
  client: KubeClient;
  clock: Clock;
  log: Log;
  namespace: string;
  name: string;
  /** Unique to this process, not just to its pod: a restarted process must not take its forerunner for itself. */
  identity: string;
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

const leaseSeconds = 15;
const renewDeadlineMs = 10_000;
const retryMs = 2_000;

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
  const { clock, log, identity } = options;
  const acquired = Promise.withResolvers<void>();
  const lost = new AbortController();
  let observed: Observed | undefined;
  let held: Held | undefined;
  /** The calls of the former holder have run out. */
  let mayAct = false;
  let stopped = false;
  let cancel = clock.schedule(0, () => void tick());
  let turn: Promise<void> = Promise.resolve();
  acquired.promise.catch(() => undefined);

  async function tick(): Promise<void> {
    turn = held === undefined ? tryAcquire() : renew(held);
    await turn;
    if (!stopped && !lost.signal.aborted) cancel = clock.schedule(retryMs, () => void tick());
  }

  async function tryAcquire(): Promise<void> {
    try {
      const seen = observe(await options.client.get(leases, refOf(options)), observed, clock.now());
      observed = seen;
      if (stopped) return;
      const free = seen === undefined || seen.holder === "";
      if (!free && clock.now() < seen.since + seen.durationMs) return;
      const sentAt = clock.now();
      const object = await take(options, seen);
      held = { ...holdOf(object), renewedAt: sentAt };
      const waitMs = free ? 0 : (options.longestCallMs ?? 30_000);
      log.info({ lease: options.name, identity, waitMs }, "the lease is ours");
      clock.schedule(waitMs, begin);
      watchRenewal();
    } catch (error) {
      log.debug({ lease: options.name, error }, "the lease was not obtained; it is tried again");
    }
  }

  function begin(): void {
    if (stopped || lost.signal.aborted) return;
    mayAct = true;
    acquired.resolve();
  }

  async function renew(hold: Held): Promise<void> {
    const sentAt = clock.now();
    if (sentAt - hold.renewedAt >= renewDeadlineMs) return lose("it could not be renewed in time");
    try {
      const spec = { renewTime: microTime(clock.date()) };
      const object = await options.client.patch(leases, refOf(options), guardedPatch(hold.resourceVersion, spec));
      held = { ...holdOf(object), renewedAt: sentAt };
    } catch (error) {
      log.debug({ lease: options.name, error }, "the lease was not renewed; it is tried again");
      if (error instanceof KubeError && error.notFound) lose("it was deleted");
      else if (error instanceof KubeError && error.conflict) await readAgain(hold);
    }
  }

  /** After a conflict: a renewal whose answer was lost, or somebody's label, or somebody else's lease. */
  async function readAgain(hold: Held): Promise<void> {
    const object = await options.client.get(leases, refOf(options)).catch(() => null);
    if (object === null) return;
    if (object === undefined || specOf(object).holderIdentity !== identity) return lose("another holds it");
    held = { ...holdOf(object), renewedAt: hold.renewedAt };
  }

  /** Apart from the renewals, so that one that hangs cannot delay it. */
  function watchRenewal(): void {
    if (held === undefined || stopped || lost.signal.aborted) return;
    const left = held.renewedAt + renewDeadlineMs - clock.now();
    if (left <= 0) lose("it could not be renewed in time");
    else clock.schedule(left, watchRenewal);
  }

  function lose(why: string): void {
    if (stopped || lost.signal.aborted) return;
    cancel();
    log.error({ lease: options.name, identity, why }, "the lease is lost");
    lost.abort(new Error(`the lease ${options.name} is lost: ${why}`));
  }

  return {
    acquired: acquired.promise,
    lost: lost.signal,
    deadline() {
      if (held === undefined || stopped || lost.signal.aborted || !mayAct) return -Infinity;
      return held.renewedAt + leaseSeconds * 1000;
    },
    epoch: () => (held === undefined ? "" : `${identity}/${held.transitions}`),
    async release() {
      if (stopped) return;
      stopped = true;
      cancel();
      await turn;
      // Before that time the calls of the former holder may still run, and the next would not wait for them.
      if (held !== undefined && !lost.signal.aborted && mayAct) await giveBack(options, held);
    },
  };
}

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  leaseTransitions?: number;
  renewTime?: string;
}

function specOf(object: KubeObject): LeaseSpec {
  return (object.spec ?? {}) as LeaseSpec;
}

function refOf({ namespace, name }: LeaseOptions): { namespace: string; name: string } {
  return { namespace, name };
}

function observe(object: KubeObject | undefined, before: Observed | undefined, now: number): Observed | undefined {
  if (object === undefined) return undefined;
  const { resourceVersion } = object.metadata;
  if (before?.resourceVersion === resourceVersion) return before;
  const { holderIdentity = "", leaseDurationSeconds = leaseSeconds, leaseTransitions = 0 } = specOf(object);
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
    leaseDurationSeconds: leaseSeconds,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: seen === undefined ? 0 : seen.transitions + 1,
  };
  if (seen !== undefined) return options.client.patch(leases, refOf(options), guardedPatch(seen.resourceVersion, spec));
  const object = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: refOf(options), spec };
  return options.client.create(leases, object);
}

/** As client-go does: no holder, and a duration of one second for those who look at nothing else. */
async function giveBack(options: LeaseOptions, held: Held): Promise<void> {
  const spec = { holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(options.clock.date()) };
  try {
    await options.client.patch(leases, refOf(options), guardedPatch(held.resourceVersion, spec));
  } catch (error) {
    options.log.warn({ lease: options.name, error }, "the lease was not given back; the next holder waits it out");
  }
}

function guardedPatch(resourceVersion: string, spec: Record<string, unknown>): Record<string, unknown> {
  return { metadata: { resourceVersion }, spec };
}

/** Kubernetes' MicroTime. */
function microTime(date: Date): string {
  return date.toISOString().replace("Z", "000Z");
}
