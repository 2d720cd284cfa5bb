import { tracingSettings } from "./tracing-settings.ts";
import type { Tracing, TracingOptions } from "./tracing-types.ts";

/**
 * Starts tracing if the standard OpenTelemetry variables request traces. Otherwise returns undefined and does not load
 * the SDK. Logs an unusable setting once and continues without traces.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { log, environment = process.env } = options;
  const settings = tracingSettings(environment);
  if (settings === undefined) return undefined;
  if ("refused" in settings) {
    log.warn({ why: settings.refused }, "tracing is off");
    return undefined;
  }
  try {
    const [{ createExport }, { createSpans }] = await Promise.all([
      import("./tracing-export.ts"),
      import("./tracing-spans.ts"),
    ]);
    const { tracer, close } = createExport(settings, options);
    log.info({ service: settings.serviceName, share: settings.share }, "tracing is on");
    return { ...createSpans(tracer, options), close };
  } catch (error) {
    log.warn({ error }, "tracing is off");
    return undefined;
  }
}
