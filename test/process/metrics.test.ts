import { expect, it } from "vitest";
import { createMetrics } from "../../src/process/metrics.ts";

const sources = {
  queue: { depth: () => ({ ready: 3, delayed: 5, active: 2 }) },
  workers: 16,
  objects: () => [{ kind: "Domain", condition: "Ready", status: "True", count: 7 }],
  uncertainCreates: () => [{ kind: "IPAddress", count: 1 }],
  snapshots: () => [{ account: "team/default", collection: "/domains", ageSeconds: 12.5 }],
  rateLimits: () => [{ account: "team/default", limit: "all", remaining: 1590 }],
};
const create = () => createMetrics(sources, "127.0.0.1:6443");

async function samples(metrics: ReturnType<typeof create>): Promise<string[]> {
  return (await metrics.render()).body.split("\n").filter((line) => !line.startsWith("#"));
}

it.each([
  ["done", "success"],
  ["later", "requeue_after"],
  ["backoff", "requeue"],
  ["error", "error"],
] as const)("counts a key that ended as %s under controller-runtime's result %s", async (outcome, result) => {
  const metrics = create();
  metrics.handled({ key: "ComputeInstance/team/web", waitedMs: 5, ranMs: 120, outcome });
  const lines = await samples(metrics);
  expect(lines).toContain(`controller_runtime_reconcile_total{controller="computeinstance",result="${result}"} 1`);
  expect(lines).toContain('controller_runtime_reconcile_time_seconds_bucket{le="0.1",controller="computeinstance"} 0');
  expect(lines).toContain('controller_runtime_reconcile_time_seconds_bucket{le="0.15",controller="computeinstance"} 1');
  const errors = 'controller_runtime_reconcile_errors_total{controller="computeinstance"} 1';
  expect(lines.includes(errors)).toBe(outcome === "error");
});

it("asks for depth, objects, lists and limits at the scrape, and forgets what has gone", async () => {
  const gone = { ...sources, objects: () => [...sources.objects()] };
  const metrics = createMetrics(gone, "host");
  const before = await samples(metrics);
  expect(before).toContain('workqueue_depth{name="all",controller="all"} 3');
  expect(before).toContain('cloudplatform_objects{kind="Domain",condition="Ready",status="True"} 7');
  expect(before).toContain('cloudplatform_snapshot_age_seconds{account="team/default",collection="/domains"} 12.5');
  expect(before).toContain('cloudplatform_rate_limit_remaining{account="team/default",limit="all"} 1590');
  gone.objects = () => [];
  expect((await samples(metrics)).filter((line) => line.startsWith("cloudplatform_objects"))).toEqual([]);
});

it("counts requests to both sides, an answer that never came as code 0", async () => {
  const metrics = create();
  metrics.cloudRequest({ method: "GET", operation: "GET /domains", status: undefined, ms: 30_000, heldMs: 0 });
  metrics.kubeRequest({ verb: "patch", resource: "domains", status: 200, durationMs: 3 });
  metrics.kubeRequest({ verb: "watch", resource: "domains", status: 200, durationMs: 3 });
  const lines = await samples(metrics);
  expect(lines).toContain('cloudplatform_api_requests_total{operation="GET /domains",code="0"} 1');
  expect(lines).toContain('rest_client_requests_total{code="200",host="127.0.0.1:6443",method="PATCH"} 1');
  expect(lines).toContain('rest_client_requests_total{code="200",host="127.0.0.1:6443",method="GET"} 1');
});

it("tells who leads and which creations are uncertain", async () => {
  const metrics = create();
  metrics.leading("operator", true);
  metrics.leading("operator", false);
  metrics.added("Domain/team/web");
  const lines = await samples(metrics);
  expect(lines).toContain('leader_election_master_status{name="operator"} 0');
  expect(lines).toContain('cloudplatform_uncertain_creates{kind="IPAddress"} 1');
  expect(lines).toContain('workqueue_adds_total{name="domain",controller="domain"} 1');
});
