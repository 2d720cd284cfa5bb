/** Trace settings from the standard OpenTelemetry variables. */
export interface TracingSettings {
  serviceName: string;
  /** `key=value` pairs of `OTEL_RESOURCE_ATTRIBUTES`. */
  attributes: Record<string, string>;
  /** Share of traces to keep, 0 to 1. */
  share: number;
}

/** Why the operator sends no traces although the variables request traces. */
export interface TracingRefusal {
  refused: string;
}

/**
 * Reads the variables. Returns undefined if traces are off: no endpoint and no exporter `otlp`, or `OTEL_SDK_DISABLED`,
 * or the exporter `none`. The exporter itself reads endpoint, headers, certificates, timeout and compression
 * (`OTEL_EXPORTER_OTLP_…`).
 */
export function tracingSettings(environment: NodeJS.ProcessEnv): TracingSettings | TracingRefusal | undefined {
  const read = (name: string): string => environment[name]?.trim() ?? "";
  const either = (name: string): string =>
    read(`OTEL_EXPORTER_OTLP_TRACES_${name}`) || read(`OTEL_EXPORTER_OTLP_${name}`);
  const exporter = read("OTEL_TRACES_EXPORTER") || (either("ENDPOINT") === "" ? "none" : "otlp");
  if (exporter === "none" || read("OTEL_SDK_DISABLED").toLowerCase() === "true") return undefined;
  if (exporter !== "otlp") return { refused: `OTEL_TRACES_EXPORTER must be otlp or none, not ${exporter}` };
  if (either("PROTOCOL") === "grpc") return { refused: "OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, not grpc" };
  const share = shareOf(read("OTEL_TRACES_SAMPLER"), read("OTEL_TRACES_SAMPLER_ARG"));
  if (typeof share === "string") return { refused: share };
  const attributes = attributesOf(read("OTEL_RESOURCE_ATTRIBUTES"));
  const serviceName = read("OTEL_SERVICE_NAME") || attributes["service.name"] || "cloud-platform-operator";
  return { serviceName, attributes, share };
}

/** Returns the share of a sampler. A reconcile has no external parent: `parentbased_` makes no difference. */
function shareOf(sampler: string, argument: string): number | string {
  switch (sampler.replace(/^parentbased_/, "")) {
    case "":
    case "always_on":
      return 1;
    case "always_off":
      return 0;
    case "traceidratio": {
      const share = argument === "" ? 1 : Number(argument);
      return share >= 0 && share <= 1 ? share : `OTEL_TRACES_SAMPLER_ARG must be from 0 to 1, not ${argument}`;
    }
    default:
      return `OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, not ${sampler}`;
  }
}

function attributesOf(list: string): Record<string, string> {
  const pairs = list.split(",").flatMap((pair) => {
    const [key = "", value] = pair.split(/=(.*)/s, 2).map((part) => part.trim());
    return key === "" || value === undefined ? [] : [[key, decoded(value)] as const];
  });
  return Object.fromEntries(pairs);
}

/** Decodes a percent-encoded value. Returns an invalid value unchanged. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
