import type { RequestMeasure } from "../api/types.ts";
import type { RequestReport } from "../cluster/transport.ts";
import type { Clock } from "../queue/clock.ts";
import type { Outcome } from "../queue/types.ts";
import type { Looks } from "./looks.ts";

/** Traces of reconciles, from what caused them to the last request. */
export interface Tracing {
  /** The queue is worked off from now on: what waited for that long was nobody's delay. */
  begin(): void;
  /** Something happened for which a key is to be looked at; the first such thing begins the trace. */
  caused(key: string, cause: string): void;
  /** Runs a look as a trace. */
  look(key: string, run: () => Promise<Outcome>): Promise<Outcome>;
  /** A request to the cloud came to an end; part of the trace if a look sent it. */
  cloudRequest(measure: RequestMeasure): void;
  /** A request to the API server came to an end; likewise. */
  kubeRequest(report: RequestReport): void;
  /** Sends what is left, for three seconds at most. */
  close(): Promise<void>;
}

export interface TracingOptions {
  looks: Looks;
  clock: Clock;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Host of the API server. */
  apiServer: string;
  version: string;
  /** Default: that of this process. */
  environment?: NodeJS.ProcessEnv;
}
