import type { Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  TracerProvider,
  TraceIdRatioBasedSampler,
  ParentBasedSampler,
} from "@opentelemetry/sdk-trace";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { TracingOptions } from "./tracing-types.ts";
import type { TracingSettings } from "./tracing-settings.ts";

/** How long the last spans may take at the end, milliseconds. */
const closeMs = 3_000;

/**
 * A tracer whose spans go to the collector in the background, in batches over OTLP/HTTP. At most 2,048 spans wait;
 * beyond that, and where the collector does not take them, they are dropped.
 */
export function createExport(
  settings: TracingSettings,
  { clock, log, version }: TracingOptions,
): { tracer: Tracer; close: () => Promise<void> } {
  const { serviceName, attributes, share } = settings;
  const own = { ...attributes, "service.name": serviceName, "service.version": version };
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(own)),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: saidOnce(new OTLPTraceExporter(), log) })],
  });
  return {
    tracer: provider.getTracer("cloud-platform-operator", version),
    async close() {
      const late = Promise.withResolvers<void>();
      const cancel = clock.schedule(closeMs, late.resolve);
      await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
      cancel();
    },
  };
}

/** A collector that does not take spans is said once, and once again after it took some. */
function saidOnce(exporter: SpanExporter, log: TracingOptions["log"]): SpanExporter {
  let failing = false;
  return {
    shutdown: () => exporter.shutdown(),
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !failing)
          log.warn({ error: result.error }, "traces cannot be sent and are dropped until they can");
        failing = failed;
        done(result);
      });
    },
  };
}
