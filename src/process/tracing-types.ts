import type { RequestMeasure } from "../api/types.ts";
import type { RequestReport } from "../cluster/transport.ts";
import type { Clock } from "../queue/clock.ts";
import type { Outcome } from "../queue/types.ts";
import type { Looks } from "./looks.ts";

/** Traces of reconciles, from the cause to the last request. */
export interface Tracing {
  /** Notes that the queue has started. Earlier waiting does not count as delay. */
  begin(): void;
  /** Notes a cause for a reconcile of the key. The first cause starts the trace. */
  caused(key: string, cause: string): void;
  look(key: string, run: () => Promise<Outcome>): Promise<Outcome>;
  /** Adds a finished request to the cloud to the trace of the current reconcile. */
  cloudRequest(measure: RequestMeasure): void;
  /** Adds a finished request to the API server to the trace of the current reconcile. */
  kubeRequest(report: RequestReport): void;
  /** Sends the remaining spans, for three seconds at most. */
  close(): Promise<void>;
}

export interface TracingOptions {
  looks: Looks;
  clock: Clock;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  apiServer: string;
  version: string;
  /** Default: the environment of this process. */
  environment?: NodeJS.ProcessEnv;
}
