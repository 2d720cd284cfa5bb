import type { Clock } from "../queue/clock.ts";
import type { ReflectedCache } from "./cache.ts";
import { KubeError } from "./errors.ts";
import { listPage } from "./list.ts";
import type { Log } from "../queue/log.ts";
import { collectionPath } from "./paths.ts";
import type { Transport } from "./transport.ts";
import type { Resource } from "./types.ts";
import { compareVersions, newerVersion } from "./versions.ts";

export interface RewindOptions {
  transport: Transport;
  clock: Clock;
  log: Log;
  /** What is listed. */
  resource: Resource;
  /** Where the program may list it; all namespaces when unset. */
  namespace?: string;
  /** Those that are discarded together. What those of the same API group heard last is the measure: they share one etcd. */
  caches: () => Iterable<ReflectedCache>;
}

export interface RewindCheck {
  /** Checks now; what is asked during a check is answered by one more after it. Give it to caches as `onReconnect`. */
  check(): Promise<void>;
  close(): void;
}

const everyMs = 60_000;

/** After a failure: the longer it takes, the more writes hide that versions ran backwards. */
const againMs = 2_000;

/**
 * Notices a restored etcd (DESIGN section 7), and one that lost its last writes in a crash. resourceVersions then run
 * backwards, and a watch from a version that lies in the future stays silent: 200 and no event. So one object is listed
 * every minute and on reconnect; a version below any that a list, a watch or an own write brought before, or the answer
 * that ours lies in the future, discards all caches with their remembered writes.
 */
export function createRewindCheck(options: RewindOptions): RewindCheck {
  const { clock, log, resource, caches } = options;
  let highest: string | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let cancelRetry = (): void => undefined;

  async function once(): Promise<void> {
    // Before the list is sent: what is heard while it is under way may rightly be newer than its answer.
    const known = [...caches()]
      .filter((cache) => cache.resource.group === resource.group)
      .reduce((newest, cache) => newerVersion(newest, cache.version()), highest);
    try {
      const listed = await listVersion(options);
      if (known !== undefined && compareVersions(listed, known) < 0) discard(`${listed} after ${known}`);
      highest = listed;
    } catch (error) {
      if (error instanceof KubeError && error.fromTheFuture) discard(error.message);
      else {
        log.debug({ error }, "the check for a restored etcd failed and is repeated");
        cancelRetry();
        if (!closed) cancelRetry = clock.schedule(againMs, () => void check());
      }
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
      cancelRetry();
    },
  };
}

async function listVersion({ transport, resource, namespace }: RewindOptions): Promise<string> {
  const path = collectionPath(resource, namespace);
  const page = await listPage(transport, { path, resource: resource.plural }, { limit: 1 });
  return page.metadata.resourceVersion;
}
