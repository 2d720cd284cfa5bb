import { spawnSync } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/process/clock.ts";
import { createLooks } from "../../src/process/looks.ts";
import { tracingSettings } from "../../src/process/tracing-settings.ts";
import { startTracing } from "../../src/process/tracing.ts";
import type { Tracing } from "../../src/process/tracing-types.ts";
import { createMovedClock } from "../support/clock.ts";
import { startCollector } from "./collector.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
const on = { serviceName: "cloud-platform-operator", attributes: {}, share: 1 };

describe("whether traces are made", () => {
  it.each([
    { why: "nothing asks for them", environment: {}, settings: undefined },
    { why: "an endpoint is named", environment: endpoint, settings: on },
    { why: "an endpoint for traces", environment: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c/v1" }, settings: on },
    { why: "the exporter is named", environment: { OTEL_TRACES_EXPORTER: "otlp" }, settings: on },
    {
      why: "none wins over an endpoint",
      environment: { ...endpoint, OTEL_TRACES_EXPORTER: "none" },
      settings: undefined,
    },
    { why: "disabled as a whole", environment: { ...endpoint, OTEL_SDK_DISABLED: "TRUE" }, settings: undefined },
    { why: "a name", environment: { ...endpoint, OTEL_SERVICE_NAME: "cpo" }, settings: { ...on, serviceName: "cpo" } },
    {
      why: "attributes, percent-encoded, the name among them",
      environment: { ...endpoint, OTEL_RESOURCE_ATTRIBUTES: "service.name=shard-a, team=a%2Cb,broken" },
      settings: { ...on, serviceName: "shard-a", attributes: { "service.name": "shard-a", team: "a,b" } },
    },
    {
      why: "a share of the traces",
      environment: { ...endpoint, OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" },
      settings: { ...on, share: 0.1 },
    },
    {
      why: "another exporter is none we have",
      environment: { OTEL_TRACES_EXPORTER: "zipkin" },
      settings: { refused: "OTEL_TRACES_EXPORTER must be otlp or none, not zipkin" },
    },
    {
      why: "gRPC is not spoken",
      environment: { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      settings: { refused: "OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, not grpc" },
    },
    {
      why: "a share that is none",
      environment: { ...endpoint, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "10%" },
      settings: { refused: "OTEL_TRACES_SAMPLER_ARG must be from 0 to 1, not 10%" },
    },
    {
      why: "a sampler that is none",
      environment: { ...endpoint, OTEL_TRACES_SAMPLER: "jaeger_remote" },
      settings: { refused: "OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, not jaeger_remote" },
    },
  ])("$why", ({ environment, settings }) => {
    expect(tracingSettings(environment)).toEqual(settings);
  });

  it("is said where they were wanted and cannot be, which ends nothing", async () => {
    const { tracing, warnings } = await start({ OTEL_TRACES_EXPORTER: "zipkin" });
    expect(tracing).toBeUndefined();
    expect(warnings).toEqual(["tracing is off"]);
  });
});

/** Modules of OpenTelemetry that a program loads, by its own account of what it resolves. */
function loaded(program: string, environment: Record<string, string> = {}): string[] {
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.startsWith("@opentelemetry/")) console.log(specifier);
      return next(specifier, context);
    } });`;
  const hooks = `data:text/javascript,${encodeURIComponent(hook)}`;
  const ended = spawnSync(process.execPath, ["--import", hooks, "--input-type=module", "--eval", program], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...environment },
  });
  expect(ended.stderr).toBe("");
  return ended.stdout.split("\n").filter((line) => line.startsWith("@opentelemetry/"));
}

describe("without configuration", () => {
  const program = `const { startTracing } = await import("./src/process/tracing.ts");
    const log = { info() {}, warn() {} };
    await startTracing({ log, looks: {}, clock: {}, apiServer: "", version: "1" });`;

  it("nothing of OpenTelemetry is loaded", () => {
    expect(loaded(program)).toEqual([]);
  });

  it("and that is seen of what is loaded with it", () => {
    expect(loaded(program, endpoint)).toContain("@opentelemetry/sdk-trace");
  });

  it("nor does the program as a whole load more than the metrics' library asks for", () => {
    const whole = `process.argv.push("operator", "--version"); await import("./src/main.ts");`;
    expect(loaded(`await import("@prometheus-io/client")`)).toEqual(["@opentelemetry/api"]);
    expect(loaded(whole)).toEqual(["@opentelemetry/api"]);
  });
}, 30_000);

async function start(environment: Record<string, string>, clock = systemClock) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (_fields: object, message: string) => warnings.push(message) };
  const looks = createLooks("cloudplatform.dev");
  const tracing = await startTracing({ looks, clock, log, apiServer: "127.0.0.1:6443", version: "1.2.3" });
  return { tracing, warnings, looks };
}

async function looksAt(tracing: Tracing | undefined, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await tracing?.look(`SSHKey/team/k-${n}`, () => Promise.resolve({ type: "done" }));
}

describe("a collector", () => {
  it("that takes nothing is said once, and hurts no look", async () => {
    const collector = await startCollector(400);
    const { tracing, warnings } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await looksAt(tracing, 700);
    await tracing?.close();
    expect(collector.bodies.length).toBeGreaterThan(1);
    expect(warnings).toEqual(["cannot send traces; dropping traces until the collector accepts them"]);
  });

  it("that is not there holds up the end for three seconds at most", async () => {
    const clock = createMovedClock();
    const { tracing } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }, clock);
    await looksAt(tracing, 1);
    const closed = tracing?.close();
    await clock.advance(3_000);
    await closed;
    expect(clock.waiting()).toBe(0);
  });

  it("gets only the share of the traces that was asked for", async () => {
    const collector = await startCollector();
    const sampler = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" };
    const { tracing } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...sampler });
    await looksAt(tracing, 20);
    await tracing?.close();
    expect(collector.bodies).toEqual([]);
  });
});

it("a look without a cause is a timer's, and requests that no look sent are in no trace", async () => {
  const collector = await startCollector();
  const { tracing } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await looksAt(tracing, 1);
  tracing?.kubeRequest({ verb: "get", resource: "sshkeys", status: 200, durationMs: 3 });
  await tracing?.close();
  expect(collector.spans().map(({ name }) => name)).toEqual(["reconcile SSHKey", "timer SSHKey"]);
});

it("what waited while another replica led is nobody's delay", async () => {
  const collector = await startCollector();
  const clock = createMovedClock();
  const { tracing } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock);
  tracing?.caused("SSHKey/team/k-0", "listed");
  await clock.advance(3_600_000);
  tracing?.begin();
  await clock.advance(2_000);
  await looksAt(tracing, 1);
  await tracing?.close();
  const queued = collector.spans().find(({ name }) => name === "queued");
  const tookMs = (Number(queued?.endTimeUnixNano) - Number(queued?.startTimeUnixNano)) / 1e6;
  expect(tookMs).toBeCloseTo(2_000, 0);
});

it("lines of the log name the trace they belong to, and the look's own span in it", async () => {
  const collector = await startCollector();
  const { tracing, looks } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  let fields: Record<string, unknown> = {};
  await tracing?.look("SSHKey/team/laptop", () => {
    fields = looks.fields();
    return Promise.resolve({ type: "done" });
  });
  await tracing?.close();
  const span = collector.spans().find(({ name }) => name === "reconcile SSHKey");
  expect(fields).toMatchObject({ trace_id: span?.traceId, span_id: span?.spanId });
});
