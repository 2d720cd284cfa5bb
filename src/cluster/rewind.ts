import type { Clock } from "../queue/clock.ts";
import type { ReflectedCache } from "./cache.ts";
import { KubeError } from "./errors.ts";
import { listPage } from "./list.ts";
import type { Log } from "./log.ts";
import { collectionPath } from "./paths.ts";
import type { Transport } from "./transport.ts";
import { compareVersions, newerVersion } from "./versions.ts";

export interface RewindOptions {
  transport: Transport;
  clock: Clock;
  log: Log;
  /** The cache whose resource is listed; its versions are the measure. */
  measure: ReflectedCache;
  /** Where the program may list it; all namespaces when unset. */
  namespace?: string;
  /** Those that are discarded together. */
  caches: () => Iterable<ReflectedCache>;
}

export interface RewindCheck {
  /** Checks now; what is asked during a check is answered by one more after it. Give it to caches as `onReconnect`. */
  check(): Promise<void>;
  close(): void;
}

const everyMs = 60_000;

/**
 * Notices a restored etcd (DESIGN section 7). resourceVersions then run backwards, and a watch from a version that lies
 * in the future stays silent: 200 and no event. So one object is listed every minute and on reconnect; a version below
 * one seen before, or the answer that ours lies in the future, discards all caches with their remembered writes.
 */
export function createRewindCheck(options: RewindOptions): RewindCheck {
  const { clock, log, measure, caches } = options;
  let highest: string | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let closed = false;

  async function once(): Promise<void> {
    // Before the list is sent: what is heard while it is under way may rightly be newer than its answer.
    const known = newerVersion(highest, measure.version());
    try {
      const listed = await listVersion(options);
      if (known !== undefined && compareVersions(listed, known) < 0) discard(`${listed} after ${known}`);
      highest = listed;
    } catch (error) {
      if (error instanceof KubeError && error.fromTheFuture) discard(error.message);
      else log.debug({ error }, "the check for a restored etcd failed and is repeated");
    }
  }

  function discard(evidence: string): void {
    highest = undefined;
    log.warn({ evidence }, "resourceVersions ran backwards, as after a restored etcd: everything is listed anew");
    for (const cache of caches()) cache.discard();
  }

  async function check(): Promise<void> {
    if (running !== undefined) {
      again = true;
      return running;
    }
    running = (async () => {
      await once();
      if (!again || closed) return;
      again = false;
      await once();
    })();
    await running.finally(() => (running = undefined));
  }

  let cancel = clock.schedule(everyMs, function tick() {
    void check();
    cancel = clock.schedule(everyMs, tick);
  });
  return {
    check,
    close() {
      closed = true;
      cancel();
    },
  };
}

async function listVersion({ transport, measure, namespace }: RewindOptions): Promise<string> {
  const path = collectionPath(measure.resource, namespace);
  const page = await listPage(transport, { path, resource: measure.resource.plural }, 1);
  return page.metadata.resourceVersion;
}
