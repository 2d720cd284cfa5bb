import type { Clock } from "../queue/clock.ts";
import { KubeError } from "./errors.ts";
import { leases, namespacesAnnotation } from "./lease.ts";
import type { KubeClient, KubeObject, ObjectRef, OtherLeases } from "./types.ts";

interface Options {
  client: KubeClient;
  clock: Clock;
}

interface Seen {
  lease: KubeObject | undefined;
  /** Clock milliseconds of the last read. */
  readAt: number;
  /** Clock milliseconds since the last renewal, on the local clock, because wall clocks may differ. */
  since: number;
}

/** Longest time without a renewal, for example while the pod of the holder restarts, milliseconds. */
const absentMs = 75_000;
const rereadMs = 20_000;

/** Creates the check for other operators, by their leases. */
export function createOtherLeases({ client, clock }: Options): OtherLeases {
  const known = new Map<string, Seen>();

  async function read(ref: ObjectRef): Promise<Seen> {
    const key = `${ref.namespace}/${ref.name}`;
    const before = known.get(key);
    if (before && clock.now() - before.readAt < rereadMs) return before;
    const lease = await client.get(leases, ref);
    const readAt = clock.now();
    const unchanged = before?.lease?.metadata.resourceVersion === lease?.metadata.resourceVersion;
    const seen = { lease, readAt, since: before && unchanged ? before.since : readAt };
    known.set(key, seen);
    return seen;
  }

  return {
    async holds(ref, namespace) {
      try {
        const { lease, readAt, since } = await read(ref);
        return watches(lease, namespace) && readAt - since < absentMs ? "yes" : "no";
      } catch (error) {
        if (error instanceof KubeError && error.status === 403) return "unknown";
        throw error;
      }
    },
  };
}

/** Returns true if an operator that watches the namespace holds the lease. */
function watches(lease: KubeObject | undefined, namespace: string): boolean {
  const named = lease?.metadata.annotations?.[namespacesAnnotation];
  return named !== undefined && (named === "" || named.split(",").includes(namespace));
}
