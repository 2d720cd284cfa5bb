import { expect, onTestFinished, test, vi } from "vitest";
import { createLooks } from "../../src/process/looks.ts";
import { systemClock } from "../../src/process/clock.ts";
import { startTracing } from "../../src/process/tracing.ts";
import type { Tracing } from "../../src/process/tracing-types.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { attributesOf, startCollector } from "./collector.ts";
import type { Collector, Span } from "./collector.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

/** An operator whose traces go to a collector of the test. */
async function traced(): Promise<{ world: World; tracing: Tracing; collector: Collector }> {
  const collector = await startCollector();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
  const cluster = sharedControlPlane();
  const log = { info: () => undefined, warn: () => undefined };
  const apiServer = new URL(cluster.server).host;
  const looks = createLooks("cloudplatform.dev");
  const tracing = await startTracing({ looks, clock: systemClock, log, apiServer, version: "1.2.3" });
  if (tracing === undefined) throw new Error("tracing is off");
  const onRequest = (measure: Parameters<Tracing["cloudRequest"]>[0]): void => tracing.cloudRequest(measure);
  const world = await startWorld(cluster, { operator: { measures: tracing, onRequest } });
  onTestFinished(() => world.stop());
  // An object that waits for its account is reconciled for the account's sake, and not for its own.
  await world.ready("CloudAccount", "default");
  return { world, tracing, collector };
}

/** `parent > child` for each span of the trace that made the POST. */
function treeOf(spans: Span[]): { trace: Span[]; tree: string[] } {
  const post = spans.find(({ name }) => name === "POST /profile/sshkeys");
  const trace = spans.filter(({ traceId }) => traceId === post?.traceId);
  const nameOf = (id: string | undefined) => trace.find(({ spanId }) => spanId === id)?.name;
  return { trace, tree: trace.map(({ name, parentSpanId }) => `${nameOf(parentSpanId) ?? ""} > ${name}`) };
}

test("the creation of a key is one trace, from the watch event to the POST and the closing patch, without a secret", async () => {
  const { world, tracing, collector } = await traced();
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  await world.ready("SSHKey", "laptop");
  await world.stopOperator();
  await tracing.close();

  const { trace, tree } = treeOf(collector.spans());
  expect(tree).toEqual(
    expect.arrayContaining([
      " > watch SSHKey",
      "watch SSHKey > queued",
      "watch SSHKey > reconcile SSHKey",
      "reconcile SSHKey > GET /profile/sshkeys",
      "reconcile SSHKey > patch sshkeys",
      "reconcile SSHKey > POST /profile/sshkeys",
      "reconcile SSHKey > patch sshkeys/status",
    ]),
  );
  const named = (name: string) => attributesOf(trace.find((span) => span.name === name) as Span);
  expect(named("watch SSHKey")).toMatchObject({
    "cloudplatform.kind": "SSHKey",
    "cloudplatform.name": "laptop",
    "k8s.namespace.name": world.namespace,
    "cloudplatform.causes": { values: [{ stringValue: "added" }] },
  });
  const cloud = new URL(world.simulator.url);
  // A busy machine takes a moment between a request's turn and its sending.
  const { "cloudplatform.rate_limit.wait_ms": _, ...post } = named("POST /profile/sshkeys");
  expect(post).toEqual({
    "http.request.method": "POST",
    "url.template": "/profile/sshkeys",
    "http.response.status_code": 200,
    "server.address": cloud.hostname,
    "server.port": Number(cloud.port),
  });
  expect(named("patch sshkeys/status")).toMatchObject({
    "http.request.method": "PATCH",
    "k8s.resource": "sshkeys/status",
  });
  expect(collector.resource()).toMatchObject({ "service.name": "cloud-platform-operator", "service.version": "1.2.3" });
  const order = (name: string) => BigInt(trace.find((span) => span.name === name)?.startTimeUnixNano ?? 0);
  expect(order("watch SSHKey")).toBeLessThanOrEqual(order("reconcile SSHKey"));
  expect(order("reconcile SSHKey")).toBeLessThan(order("POST /profile/sshkeys"));

  const sent = collector.bodies.join("\n");
  expect(sent).not.toContain(world.simulator.token);
  expect(sent).not.toContain(sshKey.split(" ")[1]);
  expect(sent.toLowerCase()).not.toMatch(/bearer|authorization/);
});

test("a request that fails is an error in the trace, and so is the look that waits for the service", async () => {
  const { world, tracing, collector } = await traced();
  world.simulator.control.faults.add({
    kind: "status",
    status: 502,
    method: "GET",
    path: "/profile/sshkeys",
    times: 9,
  });
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  await world.condition("SSHKey", "laptop", "Reconciling", "CloudUnavailable");
  await world.stopOperator();
  await tracing.close();
  const failed = collector.spans().find((span) => span.name === "GET /profile/sshkeys") as Span;
  expect(attributesOf(failed)).toMatchObject({ "http.response.status_code": 502, "error.type": "502" });
  expect(failed.status).toMatchObject({ code: 2 });
  const look = collector.spans().find(({ spanId }) => spanId === failed.parentSpanId) as Span;
  expect(attributesOf(look)).toMatchObject({ "cloudplatform.outcome": "backoff", "cloudplatform.failed": "passing" });
});
