/** What the standard variables of OpenTelemetry say of traces. */
export interface TracingSettings {
  serviceName: string;
  /** `key=value` pairs of `OTEL_RESOURCE_ATTRIBUTES`. */
  attributes: Record<string, string>;
  /** Which share of the traces is kept, 0 to 1. */
  share: number;
}

/** Why no traces are made although somebody seems to want them. */
export interface TracingRefusal {
  refused: string;
}

/**
 * Reads the variables; undefined: no traces are wanted. They are where an endpoint is named (or the exporter `otlp`),
 * and `OTEL_SDK_DISABLED` or the exporter `none` does not say otherwise. Endpoint, headers, certificates, timeout and
 * compression (`OTEL_EXPORTER_OTLP_…`) are read by the exporter itself.
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

/** A reconcile has no parent outside the program, so that samplers with and without `parentbased_` are the same. */
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

/** Values are percent-encoded; one that is not is taken as it stands. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
