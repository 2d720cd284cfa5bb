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
  resource: Resource;
  /** Namespace that the program may list; unset for the whole cluster. */
  namespace?: string;
  /** Caches to discard together. Caches of the same API group share an etcd, and their newest version counts. */
  caches: () => Iterable<ReflectedCache>;
}

export interface RewindCheck {
  /** Checks now. A call during a check starts one more check afterwards. Caches call this function in `onReconnect`. */
  check(): Promise<void>;
  close(): void;
}

const everyMs = 60_000;

/** Retry after a failure. With time, more writes hide that versions ran backwards. */
const againMs = 2_000;

/**
 * Creates the check for a restored etcd (DESIGN section 7), or an etcd that lost writes in a crash. resourceVersions
 * then run backwards. A watch from a version in the future returns 200 and never an event. The check therefore lists
 * one object every minute and on reconnect. The check discards the caches and their remembered writes if the listed
 * version is older than a version from a list, a watch or an own write, or if the server says that the version lies in
 * the future.
 */
export function createRewindCheck(options: RewindOptions): RewindCheck {
  const { clock, log, resource, caches } = options;
  let highest: string | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let cancelRetry = (): void => undefined;

  async function once(): Promise<void> {
    // Read before the list: a version that arrives during the list may be newer than its response.
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
        log.debug({ error }, "the check for a restored etcd failed; retrying");
        cancelRetry();
        if (!closed) cancelRetry = clock.schedule(againMs, () => void check());
      }
    }
  }

  function discard(evidence: string): void {
    highest = undefined;
    log.warn({ evidence }, "resourceVersions ran backwards, as after a restore of etcd: listing every object again");
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
