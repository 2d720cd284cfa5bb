/**
 * Checks who may read the metrics, over a separate connection: the metrics server runs before and after the operator.
 */
import { loadKubeConfig } from "../cluster/credentials.ts";
import type { KubeConfigSource } from "../cluster/credentials.ts";
import { createReaderAccess } from "../cluster/reader-access.ts";
import type { Verdict } from "../cluster/reader-access.ts";
import { createTransport } from "../cluster/transport.ts";
import type { Clock } from "../queue/clock.ts";

export interface ReaderAccess {
  access: (token: string) => Promise<Verdict>;
  close: () => Promise<void>;
}

export function openReaderAccess(options: { kubeConfig: KubeConfigSource; clock: Clock }): ReaderAccess {
  const { clock } = options;
  const transport = createTransport({ config: () => loadKubeConfig(options.kubeConfig), clock });
  return { access: createReaderAccess({ transport, clock, path: "/metrics" }), close: () => transport.close() };
}
