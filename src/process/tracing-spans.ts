import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
import type { RequestMeasure } from "../api/types.ts";
import type { RequestReport } from "../cluster/transport.ts";
import type { Clock } from "../queue/clock.ts";
import type { Outcome } from "../queue/types.ts";
import type { Look } from "./looks.ts";
import { describeRequest } from "./metrics-cluster.ts";
import type { Tracing, TracingOptions } from "./tracing-types.ts";

interface Pending {
  /** Clock milliseconds of the first cause. */
  at: number;
  causes: Set<string>;
}

/** The trace of one reconcile. */
interface Standing {
  context: Context;
  /** Offset from clock milliseconds to milliseconds since 1970. */
  epoch: number;
}

/**
 * Creates spans. A trace is `watch Kind`, from the cause to the end of the reconcile, with `queued` and `reconcile
 * Kind` below, and one span for each request. Spans contain no body, header or query.
 */
export function createSpans(tracer: Tracer, { looks, clock, apiServer }: TracingOptions): Omit<Tracing, "close"> {
  const pending = new Map<string, Pending>();
  const standing = new WeakMap<Look, Standing>();

  /** Adds a finished request to the reconcile that sent the request. */
  function request(name: string, durationMs: number, attributes: Attributes, status: number | undefined): void {
    const look = looks.current();
    const at = look && standing.get(look);
    if (at === undefined) return;
    const end = at.epoch + clock.now();
    const options = { kind: SpanKind.CLIENT, startTime: end - durationMs, attributes };
    const span = tracer.startSpan(name, options, at.context);
    noteStatus(span, status);
    span.end(end);
  }

  return {
    begin: () => pending.forEach((each) => (each.at = clock.now())),
    caused(key, cause) {
      const known = pending.get(key);
      if (known === undefined) pending.set(key, { at: clock.now(), causes: new Set([cause]) });
      else known.causes.add(cause);
    },
    look: (key, run) =>
      looks.run(key, async (look) => {
        const cause = pending.get(key);
        pending.delete(key);
        const opened = open(tracer, look, cause, clock);
        standing.set(look, opened);
        look.trace = opened.reconcile.spanContext();
        try {
          const outcome = await run();
          noteOutcome(opened.reconcile, outcome);
          return outcome;
        } finally {
          const end = opened.epoch + clock.now();
          opened.reconcile.end(end);
          opened.root.end(end);
        }
      }),
    cloudRequest: ({ method, operation, server, status, ms, heldMs }: RequestMeasure) =>
      request(operation, ms, cloudAttributes({ method, operation, server, heldMs }), status),
    kubeRequest({ verb, resource, status, durationMs }: RequestReport) {
      const { name, target, method } = describeRequest(verb, resource);
      const attributes = { ...addressOf(apiServer), "http.request.method": method, "k8s.resource": target };
      request(`${name} ${target}`, durationMs, attributes, status);
    },
  };
}

/** Starts the spans of a reconcile: the cause, the finished wait for a worker, and the reconcile. */
function open(tracer: Tracer, look: Look, cause: Pending | undefined, clock: Clock) {
  const { kind, namespace, name, reconcileID } = look;
  const now = clock.now();
  const epoch = clock.date().getTime() - now;
  const causes = [...(cause?.causes ?? ["timer"])];
  const startTime = epoch + (cause?.at ?? now);
  const attributes = {
    "cloudplatform.kind": kind,
    "cloudplatform.name": name,
    "k8s.namespace.name": namespace,
    "cloudplatform.reconcile_id": reconcileID,
    "cloudplatform.causes": causes,
  };
  const watched = causes.some((one) => ["listed", "added", "modified", "deleted"].includes(one));
  const root = tracer.startSpan(
    `${watched ? "watch" : (causes[0] ?? "")} ${kind}`,
    { startTime, attributes },
    ROOT_CONTEXT,
  );
  const below = trace.setSpan(ROOT_CONTEXT, root);
  if (cause) tracer.startSpan("queued", { startTime }, below).end(epoch + now);
  const reconcile = tracer.startSpan(`reconcile ${kind}`, { startTime: epoch + now }, below);
  return { root, reconcile, context: trace.setSpan(ROOT_CONTEXT, reconcile), epoch };
}

function noteOutcome(span: Span, outcome: Outcome): void {
  span.setAttribute("cloudplatform.outcome", outcome.type);
  if (outcome.type === "done" || outcome.failed === undefined) return;
  span.setAttribute("cloudplatform.failed", outcome.failed);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Sets the status by the conventions of HTTP: a status from 400 on, or no response, is an error. */
function noteStatus(span: Span, status: number | undefined): void {
  if (status !== undefined) span.setAttribute("http.response.status_code", status);
  if (status !== undefined && status < 400) return;
  span.setAttribute("error.type", status === undefined ? "no_answer" : String(status));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

type Sent = Pick<RequestMeasure, "method" | "operation" | "server" | "heldMs">;

function cloudAttributes({ method, operation, server, heldMs }: Sent): Attributes {
  return {
    ...addressOf(server),
    "http.request.method": method,
    "url.template": operation.slice(operation.indexOf(" ") + 1),
    ...(heldMs >= 1 && { "cloudplatform.rate_limit.wait_ms": Math.round(heldMs) }),
  };
}

/** Splits `host:port`, as the conventions require. */
function addressOf(host: string): Attributes {
  const [, name = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return { "server.address": name, ...(port !== undefined && { "server.port": Number(port) }) };
}
