import { createCache } from "../../src/cluster/cache.ts";
import { loadKubeConfig } from "../../src/cluster/credentials.ts";
import { createTransport } from "../../src/cluster/transport.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { resourceOf } from "../../src/core/kind/resource.ts";
import type { Kind } from "../../src/core/kind/owned.ts";
import { systemClock } from "../../src/process/clock.ts";

export interface Recording {
  /** Every version of every object that was seen. */
  states: KubeObject[];
  close: () => Promise<void>;
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Keeps every state of a kind's objects in a namespace, as a GitOps tool that watches would see them. */
export async function record(
  kubeconfig: string,
  kind: Pick<Kind, "kind" | "plural">,
  namespace: string,
): Promise<Recording> {
  const transport = createTransport({ config: () => loadKubeConfig({ text: kubeconfig }), clock: systemClock });
  const resource = resourceOf(kind);
  const cache = createCache({
    transport,
    clock: systemClock,
    log: silent,
    resource,
    namespaces: [namespace],
    kept: "all",
  });
  const states: KubeObject[] = [];
  cache.onChange(({ type, object }) => {
    if (type !== "deleted") states.push(structuredClone(object));
  });
  await cache.synced;
  return {
    states,
    async close() {
      cache.close();
      await transport.close();
    },
  };
}
