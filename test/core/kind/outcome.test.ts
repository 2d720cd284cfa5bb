import { describe, expect, test } from "vitest";
import { HttpError } from "../../../src/api/errors.ts";
import { KubeError } from "../../../src/cluster/errors.ts";
import { Deferred, Invalid, queueOutcome, verdictOf, Waiting } from "../../../src/core/kind/outcome.ts";

const http = (status: number | undefined, reason = "no", field: string | null = null) =>
  new HttpError("text", {
    method: "POST",
    path: "/x",
    ...(status !== undefined && { status }),
    errors: [{ field, reason }],
    outcome: "refused",
  });

describe("what an error means", () => {
  test.each([
    {
      error: http(400, "too long", "label"),
      state: "stalled",
      reason: "Refused",
      because: "only another spec mends it",
    },
    { error: http(400, "Compute busy."), state: "waiting", reason: "Busy", because: "a job runs and ends" },
    {
      error: http(401),
      state: "waiting",
      reason: "CloudUnavailable",
      because: "only the account can tell that its token is rejected",
    },
    { error: http(403), state: "stalled", reason: "Forbidden", because: "only a scope or a grant mends it" },
    { error: http(404), state: "waiting", reason: "CloudUnavailable", because: "what contains it may be on its way" },
    { error: http(408), state: "waiting", reason: "CloudUnavailable", because: "a time-out passes" },
    { error: http(429), state: "waiting", reason: "RateLimited", because: "the limit passes" },
    { error: http(502), state: "waiting", reason: "CloudUnavailable", because: "a fault of the cloud passes" },
    { error: http(undefined), state: "waiting", reason: "CloudUnavailable", because: "no answer came" },
    {
      error: new KubeError("stale", { status: 409, reason: "Conflict" }),
      state: "superseded",
      because: "somebody wrote first",
    },
    {
      error: new KubeError("exists", { status: 409, reason: "AlreadyExists" }),
      state: "stalled",
      reason: "Conflict",
      because: "a foreign Secret",
    },
    {
      error: new KubeError("down", {}),
      state: "waiting",
      reason: "ClusterUnavailable",
      because: "the API server comes back",
    },
    { error: new Waiting("Provisioning", "soon", 5), state: "waiting", reason: "Provisioning", because: "said so" },
    { error: new Invalid("spec.port", "too big"), state: "stalled", reason: "InvalidSpec", because: "said so" },
    { error: new Deferred("not connected"), state: "superseded", because: "nothing can be told yet" },
    {
      error: new TypeError("bug"),
      state: "waiting",
      reason: "InternalError",
      because: "it must neither crash nor be given up",
    },
  ])("$error.message $because", ({ error, state, reason }) => {
    expect(verdictOf(error)).toMatchObject({ state, ...(reason && { reason }) });
  });

  test("the API's own field and reason are in the message", () => {
    expect(verdictOf(http(400, "Label must be unique", "label"))).toMatchObject({
      message: "the cloud API refused a request: label: Label must be unique",
    });
  });
});

describe("when to reconcile again", () => {
  test.each([
    {
      verdict: { state: "ready", reason: "Ready", message: "" },
      outcome: { type: "later", afterMs: 600 },
      because: "the resync",
    },
    {
      verdict: { state: "stalled", reason: "Refused", message: "" },
      outcome: { type: "later", afterMs: 600, failed: "lasting" },
      because: "a grant may have come",
    },
    {
      verdict: { state: "stalled", reason: "Conflict", message: "", afterMs: 30 },
      outcome: { type: "backoff", firstMs: 30, failed: "lasting" },
      because: "it may mend itself, and what lasts is asked for ever more seldom",
    },
    {
      verdict: { state: "waiting", reason: "CloudUnavailable", message: "", afterMs: undefined },
      outcome: { type: "backoff", failed: "passing" },
      because: "the cloud may come back, and counts as failing until then",
    },
    {
      verdict: { state: "waiting", reason: "InternalError", message: "", afterMs: 7, unexpected: new Error("bug") },
      outcome: { type: "later", afterMs: 7, failed: "unexpected" },
      because: "a fault of the program counts as one",
    },
    {
      verdict: { state: "waiting", reason: "Busy", message: "", afterMs: 7 },
      outcome: { type: "later", afterMs: 7 },
      because: "it said when",
    },
    {
      verdict: { state: "waiting", reason: "Busy", message: "", afterMs: undefined },
      outcome: { type: "backoff" },
      because: "nobody knows",
    },
    { verdict: { state: "gone" }, outcome: { type: "done" }, because: "nothing is left" },
  ] as const)("$verdict.state: $because", ({ verdict, outcome }) => {
    expect(queueOutcome(verdict, 600)).toEqual(outcome);
  });
});
