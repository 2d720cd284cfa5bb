import { setImmediate } from "node:timers/promises";
import { authenticate, authorize, authorizeEntity } from "../auth/auth.ts";
import { ANONYMOUS } from "../auth/caller.ts";
import type { Caller } from "../auth/caller.ts";
import { ACCOUNTS } from "../auth/identity.ts";
import { ApiError, errorBody, notFound } from "../errors.ts";
import type { Fault } from "../faults/faults.ts";
import { pageOf, pageRequest } from "../lists/paging.ts";
import type { Page, RowList } from "../lists/paging.ts";
import type { Context, Operation } from "../operation.ts";
import type { Limit } from "../rate-limits.ts";
import { SHARED } from "../store/store.ts";
import { checked, parseBody, parseJson } from "../wire.ts";
import type { World } from "../world.ts";

/** An HTTP request. The path has the neutral word. */
export interface IncomingRequest {
  readonly method: string;
  /** With the version segment, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly filter: string | undefined;
  readonly rawBody: string;
  /** Address of the client. */
  readonly remoteAddress: string;
}

/** A response in the brand word. An undefined body means no body. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** ID of the request in the ledger. */
  readonly entry: number;
}

interface Call {
  readonly operation: Operation;
  readonly request: IncomingRequest;
  readonly fault: Fault | undefined;
  readonly receivedAt: number;
  readonly headers: Record<string, string>;
  caller: Caller;
}

/** The version of the documented API (part 1 section 9). */
export const SPEC_VERSION = "4.166.0";

/**
 * Runs a request: authenticate, limit, authorize, check, run, record.
 * Stores the effect and its ledger entry in one transaction before the return. Never throws: a defect in a handler
 * becomes a 500 without details.
 */
export function dispatch(
  world: World,
  operation: Operation,
  request: IncomingRequest,
  fault?: Fault,
): OutgoingAnswer | Promise<OutgoingAnswer> {
  world.jobs.runDue();
  const headers = acceptedScopes(world, operation);
  const call: Call = { operation, request, fault, receivedAt: world.clock.now(), headers, caller: ANONYMOUS };
  try {
    const answer = world.store.transaction(() => {
      const value = carryOut(world, call);
      return isSlices(value) ? value : answered(world, call, value);
    });
    return isSlices(answer) ? inTurns(world, call, answer) : answer;
  } catch (error) {
    return refusedAnswer(world, call, error);
  }
}

function answered(world: World, call: Call, value: unknown): OutgoingAnswer {
  const [status, body] = outcome(value);
  const appliedAt = call.request.method === "GET" ? null : world.clock.now();
  const shown = outbound(world, call.operation, body);
  return { status, headers: call.headers, body: shown, entry: record(world, call, status, appliedAt) };
}

function refusedAnswer(world: World, call: Call, error: unknown): OutgoingAnswer {
  const refusal = error instanceof ApiError ? error : defect(error);
  const body = world.brand.outbound(errorBody(refusal.errors));
  const entry = record(world, call, refusal.status, null);
  return { status: refusal.status, headers: { ...call.headers, ...refusal.headers }, body, entry };
}

/** Runs a long list in slices. The simulator serves other requests between slices. */
async function inTurns(world: World, call: Call, slices: Generator<undefined, Page>): Promise<OutgoingAnswer> {
  try {
    for (let step = slices.next(); ; step = slices.next()) {
      if (step.done) return answered(world, call, step.value);
      await setImmediate();
    }
  } catch (error) {
    return refusedAnswer(world, call, error);
  }
}

/** Returns true for a long list in slices. A handler never returns another generator. */
function isSlices(value: unknown): value is Generator<undefined, Page> {
  return value !== null && typeof value === "object" && Symbol.iterator in value && "next" in value;
}

function carryOut(world: World, call: Call): unknown {
  const { operation, request } = call;
  call.caller = authenticate(world, operation, request.authorization);
  if (!call.caller.anonymous) call.headers["X-OAuth-Scopes"] = world.brand.outboundScopes(call.caller.token.scopes);
  Object.assign(call.headers, world.limits.take(call.caller.token.token, limitOf(world, call)));
  authorize(operation, call.caller);
  const { entity } = operation;
  if (entity) authorizeEntity(call.caller, entity.category, request.params[entity.param] ?? "", entity.permission);
  const context: Context = {
    world,
    account: call.caller.token.account,
    caller: call.caller,
    params: checkedParams(operation, request.params),
    query: request.query,
    body: operation.body ? checked(operation.body, inboundBody(world, operation, request.rawBody)) : undefined,
    remoteAddress: request.remoteAddress,
    rawBody: request.rawBody,
    now: call.receivedAt,
  };
  const value = operation.handler(context);
  return operation.paged ? paged(world, call, value as RowList, operation.paged.filterable) : value;
}

function paged(world: World, call: Call, list: RowList, filterable: readonly string[]): unknown {
  const { filter, query } = call.request;
  const wanted = filter === undefined ? undefined : world.brand.inbound(parseJson(filter, "X-Filter"));
  const { fault } = call;
  const shift = fault?.kind === "shift" ? fault.by : 0;
  const youngest = fault?.kind === "absent" ? call.receivedAt - fault.seconds * 1000 : undefined;
  const kept = youngest !== undefined && ((row: object) => (world.store.insertedAt(row) ?? 0) <= youngest);
  return pageOf(list, pageRequest(query), { filter: wanted, filterable, shift, ...(kept && { kept }) });
}

/** Throws 404 for an ID that is not an integer, so a handler never gets `/instances/abc`. */
function checkedParams(
  operation: Operation,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(params)) {
    const kind = operation.params?.[name] ?? (name.endsWith("Id") ? "integer" : "text");
    if (kind === "integer" && !/^\d{1,15}$/.test(value)) throw notFound();
  }
  return params;
}

function inboundBody(world: World, operation: Operation, raw: string): unknown {
  const body = parseBody(raw);
  return operation.verbatim ? body : world.brand.inbound(body);
}

function outcome(value: unknown): [status: number, body: unknown] {
  return value === undefined ? [204, undefined] : [200, value];
}

function outbound(world: World, operation: Operation, body: unknown): unknown {
  return operation.verbatim ? body : world.brand.outbound(body);
}

/** Returns the limit of the operation, raised for some accounts. */
function limitOf({ store }: World, { operation, caller }: Call): Limit {
  const { limit } = operation;
  if (limit) {
    const raised = limit.raised !== undefined && store.get(ACCOUNTS, SHARED, caller.token.account)?.raisedLimits;
    return raised ? { ...limit, requests: limit.raised ?? limit.requests } : limit;
  }
  const bucket = `${operation.method} ${operation.path}`;
  return { bucket, requests: operation.paged ? 400 : 800, seconds: 60 };
}

function acceptedScopes(world: World, operation: Operation): Record<string, string> {
  const scopes = world.brand.outboundScopes((operation.scopes ?? []).join(" "));
  return { "X-Spec-Version": SPEC_VERSION, "X-Accepted-OAuth-Scopes": scopes };
}

function record(world: World, call: Call, status: number, appliedAt: number | null): number {
  const { operation, request, caller, receivedAt, fault } = call;
  return world.ledger.append({
    receivedAt,
    account: caller.anonymous ? null : caller.token.account,
    token: caller.anonymous ? null : caller.token.label,
    method: request.method,
    path: request.path,
    query: new URLSearchParams(request.query).toString(),
    operation: operation.path,
    body: request.rawBody,
    status,
    appliedAt,
    changes: appliedAt === null ? [] : world.store.changes(),
    fault: fault?.kind ?? null,
  });
}

/** Warns the user of the simulator. The client gets no details. */
function defect(error: unknown): ApiError {
  process.emitWarning(error instanceof Error ? (error.stack ?? error.message) : String(error), "SimulatorDefect");
  return new ApiError(500, [{ reason: "Internal server error" }]);
}
