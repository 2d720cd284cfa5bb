import type { RequestMeasure } from "../api/types.ts";
import type { RequestReport } from "../cluster/transport.ts";
import type { Clock } from "../queue/clock.ts";
import type { Outcome } from "../queue/types.ts";
import type { Looks } from "./looks.ts";
import { tracingSettings } from "./tracing-settings.ts";

/** Traces of looks, from what caused them to the last request. */
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

/**
 * Begins to trace where the standard variables of OpenTelemetry ask for it; undefined: they do not, and nothing of its
 * SDK is loaded. What cannot be used is said once and traces are left out: they are never worth a failure.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { log, environment = process.env } = options;
  const settings = tracingSettings(environment);
  if (settings === undefined) return undefined;
  if ("refused" in settings) {
    log.warn({ why: settings.refused }, "no traces are made");
    return undefined;
  }
  try {
    const [{ createExport }, { createSpans }] = await Promise.all([
      import("./tracing-export.ts"),
      import("./tracing-spans.ts"),
    ]);
    const { tracer, close } = createExport(settings, options);
    log.info({ service: settings.serviceName, share: settings.share }, "traces are made");
    return { ...createSpans(tracer, options), close };
  } catch (error) {
    log.warn({ error }, "no traces are made");
    return undefined;
  }
}
