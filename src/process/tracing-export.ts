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

/** Longest time for the last spans at the end, milliseconds. */
const closeMs = 3_000;

/**
 * Creates a tracer that sends spans to the collector in the background, in batches over OTLP/HTTP. At most 2,048 spans
 * wait. The tracer drops further spans, and spans that the collector does not accept.
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

/** Logs the first failed export, and logs again only after a successful export. */
function saidOnce(exporter: SpanExporter, log: TracingOptions["log"]): SpanExporter {
  let failing = false;
  return {
    shutdown: () => exporter.shutdown(),
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !failing)
          log.warn({ error: result.error }, "cannot send traces; dropping traces until the collector accepts them");
        failing = failed;
        done(result);
      });
    },
  };
}
