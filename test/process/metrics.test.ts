import { spawn } from "node:child_process";
import perfHooks from "node:perf_hooks";
import { describe, expect, it, vi } from "vitest";
import { createMetrics } from "../../src/process/metrics.ts";
import type { Metrics } from "../../src/process/metrics.ts";
import type { KeyState } from "../../src/queue/types.ts";
import { turnsDuring } from "../support/turns.ts";

const keys: KeyState[] = [
  { key: "Domain/team/a", state: "ready", urgency: "user", ranMs: 0 },
  { key: "Domain/team/b", state: "ready", urgency: "resync", ranMs: 0 },
  { key: "Domain/team/c", state: "delayed", urgency: "resync", ranMs: 0 },
  { key: "Domain/team/d", state: "active", urgency: "user", ranMs: 1_500 },
  { key: "Domain/team/e", state: "active", urgency: "user", ranMs: 500 },
];
const objects = {
  conditions: [{ kind: "Domain", condition: "Ready", status: "True", reason: "Ready", count: 7 }],
  notReady: [{ namespace: "team", count: 2 }],
  uncertainCreates: [{ kind: "IPAddress", count: 1 }],
  leftToOthers: [{ kind: "Domain", count: 3 }],
  monthlyCosts: [{ namespace: "team", kind: "ManagedMySQL", dollars: 36 }],
};
const sources = {
  queue: { keys: () => keys },
  workers: 16,
  objects: () => Promise.resolve(objects),
  snapshots: () => [{ account: "team/default", collection: "/domains", ageSeconds: 12.5 }],
  guards: () => [{ account: "team/default", collection: "/object-storage/buckets/*/access", ageSeconds: 42 }],
  feeds: () => [{ account: "team/default", ageSeconds: 8 }],
  rateLimits: () => [{ account: "team/default", limit: "all", remaining: 1590 }],
};
const create = (changed: Partial<typeof sources> = {}) =>
  createMetrics({
    sources: { ...sources, ...changed },
    kinds: ["Domain", "ComputeInstance"],
    apiServer: "127.0.0.1:6443",
    version: "1.2.3",
  });

async function samples(metrics: Metrics): Promise<string[]> {
  return (await metrics.render()).body.split("\n").filter((line) => !line.startsWith("#"));
}

describe("a look", () => {
  it.each([
    { outcome: "done", failed: undefined, result: "success", why: "nothing more to do" },
    { outcome: "later", failed: undefined, result: "requeue_after", why: "the resync" },
    { outcome: "backoff", failed: undefined, result: "requeue", why: "something is waited for" },
    { outcome: "backoff", failed: "passing", result: "error", why: "a side does not answer" },
    { outcome: "later", failed: "lasting", result: "error", why: "only a change mends it" },
    { outcome: "backoff", failed: "unexpected", result: "error", why: "a fault of the program" },
  ] as const)(
    "that ended as $outcome, failed: $failed, counts as $result: $why",
    async ({ outcome, failed, result }) => {
      const metrics = create();
      metrics.handled({ key: "ComputeInstance/team/web", waitedMs: 5, ranMs: 120, outcome, failed });
      const lines = await samples(metrics);
      const of = (name: string) => lines.find((line) => line.startsWith(`${name}{controller="computeinstance"`));
      expect(lines).toContain(`controller_runtime_reconcile_total{controller="computeinstance",result="${result}"} 1`);
      expect(of("controller_runtime_reconcile_errors_total")).toMatch(failed === undefined ? / 0$/ : / 1$/);
      expect(of("controller_runtime_terminal_reconcile_errors_total")).toMatch(failed === "lasting" ? / 1$/ : / 0$/);
      expect(of("controller_runtime_reconcile_panics_total")).toMatch(failed === "unexpected" ? / 1$/ : / 0$/);
      expect(lines).toContain(
        'controller_runtime_reconcile_time_seconds_bucket{le="0.1",controller="computeinstance"} 0',
      );
      expect(lines).toContain(
        'controller_runtime_reconcile_time_seconds_bucket{le="0.15",controller="computeinstance"} 1',
      );
    },
  );

  it("has its counters from the start, so that a first error is an increase", async () => {
    const lines = await samples(create());
    expect(lines).toContain('controller_runtime_reconcile_total{controller="domain",result="error"} 0');
    expect(lines).toContain('cloudplatform_drift_detected_total{kind="Domain"} 0');
    expect(lines).toContain('controller_runtime_max_concurrent_reconciles{controller="computeinstance"} 16');
  });
});

it("shows the queue as controller-runtime shows a queue of each kind", async () => {
  const lines = await samples(create());
  expect(lines).toEqual(
    expect.arrayContaining([
      'workqueue_depth{name="domain",controller="domain",priority="0"} 1',
      'workqueue_depth{name="domain",controller="domain",priority="-100"} 1',
      'workqueue_depth{name="computeinstance",controller="computeinstance",priority="0"} 0',
      'workqueue_unfinished_work_seconds{name="domain",controller="domain"} 2',
      'workqueue_longest_running_processor_seconds{name="domain",controller="domain"} 1.5',
      'controller_runtime_active_workers{controller="domain"} 2',
      'cloudplatform_queue_delayed{kind="Domain"} 1',
    ]),
  );
});

it("leaves turns to others while it counts the keys of the queue", async () => {
  const many = Array.from({ length: 30_000 }, (_, index): KeyState => ({
    key: `Domain/team/${index}`,
    state: "delayed",
    urgency: "resync",
    ranMs: 0,
  }));
  let lines: string[] = [];
  const turns = await turnsDuring(async () => (lines = await samples(create({ queue: { keys: () => many } }))));
  expect(lines).toContain('cloudplatform_queue_delayed{kind="Domain"} 30000');
  expect(turns).toBeGreaterThanOrEqual(5);
});

it("asks for objects, lists, feeds and limits at the scrape, and forgets what has gone", async () => {
  const conditions = [...objects.conditions];
  const metrics = create({ objects: () => Promise.resolve({ ...objects, conditions }) });
  const before = await samples(metrics);
  expect(before).toContain('cloudplatform_objects{kind="Domain",condition="Ready",status="True",reason="Ready"} 7');
  expect(before).toContain('cloudplatform_snapshot_age_seconds{account="team/default",collection="/domains"} 12.5');
  expect(before).toContain(
    'cloudplatform_guard_age_seconds{account="team/default",collection="/object-storage/buckets/*/access"} 42',
  );
  expect(before).toContain('cloudplatform_event_feed_age_seconds{account="team/default"} 8');
  expect(before).toContain('cloudplatform_rate_limit_remaining{account="team/default",limit="all"} 1590');
  expect(before).toContain('cloudplatform_uncertain_creates{kind="IPAddress"} 1');
  expect(before).toContain('cloudplatform_left_to_others{kind="Domain"} 3');
  conditions.splice(0);
  expect((await samples(metrics)).filter((line) => line.startsWith("cloudplatform_objects{"))).toEqual([]);
});

it("counts requests to the cloud, an answer that never came as code 0", async () => {
  const metrics = create();
  const measure = { method: "GET", operation: "GET /domains", server: "api.example.org", ms: 30_000, heldMs: 0 };
  metrics.cloudRequest({ ...measure, status: undefined });
  metrics.heldBack("GET /domains");
  const lines = await samples(metrics);
  expect(lines).toContain('cloudplatform_api_requests_total{operation="GET /domains",code="0"} 1');
  expect(lines).toContain('cloudplatform_rate_limit_refused_total{operation="GET /domains"} 1');
});

it("counts requests to the API server as client-go does, and what was written by resource", async () => {
  const metrics = create();
  const report = { resource: "domains", status: 200, durationMs: 3 };
  metrics.kubeRequest({ ...report, verb: "patch-status" });
  metrics.kubeRequest({ ...report, verb: "patch", status: 409 });
  metrics.kubeRequest({ ...report, verb: "get", status: undefined });
  metrics.kubeRequest({ ...report, verb: "watch", durationMs: 60_000 });
  const lines = await samples(metrics);
  expect(lines).toEqual(
    expect.arrayContaining([
      'rest_client_requests_total{code="200",host="127.0.0.1:6443",method="PATCH"} 1',
      'rest_client_requests_total{code="409",host="127.0.0.1:6443",method="PATCH"} 1',
      'rest_client_requests_total{code="<error>",host="127.0.0.1:6443",method="GET"} 1',
      'rest_client_requests_total{code="200",host="127.0.0.1:6443",method="GET"} 1',
      'rest_client_request_duration_seconds_count{verb="PATCH",host="127.0.0.1:6443"} 2',
      'rest_client_request_duration_seconds_count{verb="GET",host="127.0.0.1:6443"} 1',
      'cloudplatform_kubernetes_writes_total{resource="domains/status",verb="patch"} 1',
    ]),
  );
  expect(lines.filter((line) => line.startsWith("cloudplatform_kubernetes_writes_total"))).toHaveLength(1);
});

it("tells who leads, what drifted, what was dropped, and which version this is", async () => {
  const metrics = create();
  metrics.leading("operator", true);
  metrics.leading("operator", false);
  metrics.added("Domain/team/web");
  metrics.drifted("Domain", "detected");
  metrics.drifted("Domain", "corrected");
  metrics.leftBehind("Domain");
  metrics.eventDropped("rate");
  expect(await samples(metrics)).toEqual(
    expect.arrayContaining([
      'leader_election_master_status{name="operator"} 0',
      'workqueue_adds_total{name="domain",controller="domain"} 1',
      'cloudplatform_drift_detected_total{kind="Domain"} 1',
      'cloudplatform_drift_corrected_total{kind="Domain"} 1',
      'cloudplatform_left_behind_total{kind="Domain"} 1',
      'cloudplatform_events_dropped_total{reason="rate"} 1',
      'cloudplatform_build_info{version="1.2.3"} 1',
    ]),
  );
});

it("names the fifty namespaces with most objects that are not ready, and counts the others together", async () => {
  const notReady = Array.from({ length: 60 }, (_, index) => ({ namespace: `team-${index}`, count: index + 1 }));
  const lines = await samples(create({ objects: () => Promise.resolve({ ...objects, notReady }) }));
  const own = lines.filter((line) => line.startsWith("cloudplatform_objects_not_ready"));
  expect(own).toHaveLength(51);
  expect(own).toContain('cloudplatform_objects_not_ready{object_namespace="team-59"} 60');
  expect(own).toContain('cloudplatform_objects_not_ready{object_namespace="team-10"} 11');
  expect(own).toContain('cloudplatform_objects_not_ready{object_namespace=""} 55');
});

it("names the fifty namespaces with the highest monthly cost, and adds the others", async () => {
  const monthlyCosts = Array.from({ length: 60 }, (_, index) => [
    { namespace: `team-${index}`, kind: "ComputeInstance", dollars: index + 1 },
    { namespace: `team-${index}`, kind: "ManagedMySQL", dollars: 0.5 },
  ]).flat();
  const lines = await samples(create({ objects: () => Promise.resolve({ ...objects, monthlyCosts }) }));
  const own = lines.filter((line) => line.startsWith("cloudplatform_monthly_cost_dollars"));
  expect(own).toHaveLength(102);
  const name = "cloudplatform_monthly_cost_dollars";
  expect(own).toContain(`${name}{object_namespace="team-59",kind="ComputeInstance"} 60`);
  expect(own).toContain(`${name}{object_namespace="team-59",kind="ManagedMySQL"} 0.5`);
  expect(own).toContain(`${name}{object_namespace="",kind="ComputeInstance"} 55`);
  expect(own).toContain(`${name}{object_namespace="",kind="ManagedMySQL"} 5`);
});

it("asks once a scrape for what several metrics show", async () => {
  const asked = { objects: vi.fn(sources.objects), queue: { keys: vi.fn(sources.queue.keys) } };
  const metrics = create(asked);
  await metrics.render();
  await metrics.render();
  expect(asked.objects).toHaveBeenCalledTimes(2);
  expect(asked.queue.keys).toHaveBeenCalledTimes(2);
});

it("no metric wakes an idle process", () => {
  const hour = 3_600_000;
  const delays = vi.spyOn(perfHooks, "monitorEventLoopDelay");
  const timers = vi.spyOn(globalThis, "setInterval");
  create();
  const resolutions = delays.mock.calls.map(([options]) => options?.resolution ?? 0);
  expect(resolutions.filter((ms) => ms < hour)).toEqual([]);
  expect(timers.mock.calls.filter(([, ms = 0]) => ms < hour)).toEqual([]);
  expect(delays.mock.calls.length + timers.mock.calls.length).toBeGreaterThan(0);
  vi.restoreAllMocks();
});

/** What the metric says of the time since the last call. */
async function longestTurn(metrics: Metrics): Promise<number> {
  const line = (await samples(metrics)).find((each) => each.startsWith("nodejs_eventloop_lag_max_seconds "));
  return Number(line?.split(" ")[1]);
}

/** Stalls the thread on purpose: the metric measures real time. */
function stall(ms: number): void {
  const began = performance.now();
  while (performance.now() - began < ms);
}

it("the metric of the event loop shows a stall since the last scrape", async () => {
  const metrics = create();
  const nextIteration = () => new Promise((resolve) => setImmediate(resolve));
  await nextIteration();
  await longestTurn(metrics);
  stall(60);
  await nextIteration();
  await nextIteration();
  expect(await longestTurn(metrics)).toBeGreaterThanOrEqual(0.05);
});

it("the metric of the event loop shows a stall of 300 ms in the callback of a socket", async () => {
  const metrics = create();
  const child = spawn(process.execPath, ["-e", "setTimeout(() => process.stdout.write('request'), 100)"]);
  await longestTurn(metrics);
  await new Promise<void>((resolve) => child.stdout.once("data", () => (stall(300), setImmediate(resolve))));
  expect(await longestTurn(metrics)).toBeGreaterThanOrEqual(0.25);
});

it("the metric of the event loop does not count the time in which the loop waits", async () => {
  const metrics = create();
  await longestTurn(metrics);
  const began = performance.now();
  // The wait is real: only the kernel can tell it from work.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const waited = (performance.now() - began) / 1000;
  expect(await longestTurn(metrics)).toBeLessThan(waited - 0.05);
});
