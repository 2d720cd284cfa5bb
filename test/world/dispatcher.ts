/** undici's `Dispatcher` in memory: the real client's requests reach the service without a socket. */
import { Dispatcher } from "undici";
import type { JsonObject } from "../../src/api/types.ts";
import type { Clock } from "../../src/queue/clock.ts";
import type { Fault, Faults } from "./faults.ts";
import { reconciling } from "./author.ts";
import type { Gate } from "./gate.ts";
import { refuse } from "./answers.ts";
import { busy, ruleFor, serve } from "./service.ts";
import type { CloudRow } from "./rows.ts";
import { serveStored } from "./storage.ts";
import type { Service, ServiceAnswer, User } from "./service.ts";

/** A request that the operator made. */
export interface LedgerEntry {
  number: number;
  atMs: number;
  process: number;
  method: string;
  path: string;
  body: JsonObject | undefined;
  /** What is no JSON, in base64. */
  content?: string;
  token: string;
  /** Key of the object whose reconcile sent it; undefined: a poll of a list, or a test. */
  author?: string | undefined;
  /** No connection was made for it, which its sender knows. */
  unsent?: boolean;
  /** True once the service has done what it asks for. */
  applied: boolean;
  /** Of the answer that was given; undefined: none came. */
  status: number | undefined;
  answeredAtMs?: number;
  /** The process gave it up before an answer came. */
  givenUpAtMs?: number;
}

export interface CloudOptions {
  service: Service;
  faults: Faults;
  users: Map<string, User>;
  ledger: LedgerEntry[];
  /** How far the `Date` header is ahead of `created`. */
  dateAheadMs: () => number;
  /** Of every token. */
  scopes: () => string;
  latencyMs: () => number;
  /** What the service writes where everything here says `compute`. */
  brandWord: string;
  clock: Clock;
  /** Told of each row that the operator is about to change or remove, or has just made. */
  onTouch: ((entry: LedgerEntry, row: CloudRow) => void)[];
}

interface Exchange {
  entry: LedgerEntry;
  query: URLSearchParams;
  filter: JsonObject;
  answer: (answer: ServiceAnswer, headers?: Record<string, string>) => void;
  /** The request leaves; false where its sender keeps it back. */
  leave: () => boolean;
  fail: (error: Error) => void;
}

/** What one process sends its requests through. */
export function createCloudDispatcher(options: CloudOptions, gate: Gate): Dispatcher {
  return Object.assign(new Dispatcher(), {
    dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      if (!gate.step()) return true;
      const exchange = begin(options, gate, request, handler);
      const after = options.latencyMs();
      if (after > 0) gate.clock.schedule(after, () => handle(options, exchange));
      else handle(options, exchange);
      return true;
    },
    close: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  });
}

function begin(
  { ledger, clock, dateAheadMs, scopes, brandWord }: CloudOptions,
  gate: Gate,
  request: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): Exchange {
  const { heard, said } = wordsOf(brandWord);
  const [path = "", query = ""] = heard(request.path).split("?");
  const headers = request.headers as Record<string, string>;
  const { controller, ended } = controllerOf(handler, () => {
    entry.givenUpAtMs = clock.now();
  });
  const entry: LedgerEntry = {
    number: (ledger.at(-1)?.number ?? -1) + 1,
    atMs: clock.now(),
    process: gate.process,
    method: request.method,
    path: path.replace(/^\/v4(beta)?/, ""),
    body: typeof request.body === "string" ? (JSON.parse(heard(request.body)) as JsonObject) : undefined,
    token: (headers["authorization"] ?? "").replace("Bearer ", ""),
    author: reconciling.getStore(),
    ...(request.body instanceof Uint8Array && { content: Buffer.from(request.body).toString("base64") }),
    applied: false,
    status: undefined,
  };
  ledger.push(entry);
  let left = false;
  const leave = () => {
    if (!left) handler.onRequestStart?.(controller, {});
    left = true;
    return !controller.aborted;
  };
  return {
    leave,
    entry,
    query: new URLSearchParams(query),
    filter: headers["x-filter"] === undefined ? {} : (JSON.parse(heard(headers["x-filter"])) as JsonObject),
    answer({ status, body }, more) {
      if (!gate.step() || !ended(true)) return;
      entry.status = status;
      entry.answeredAtMs = clock.now();
      const date = new Date(clock.date().getTime() + dateAheadMs()).toUTCString();
      const text = typeof body === "string" ? body : body === undefined ? "" : said(JSON.stringify(body));
      const known = { "content-type": "application/json", date, "x-oauth-scopes": scopes(), ...more };
      leave();
      handler.onResponseStart?.(controller, status, known, "");
      handler.onResponseData?.(controller, Buffer.from(text));
      handler.onResponseEnd?.(controller, {});
    },
    fail(error) {
      if (!gate.alive() || !ended(true)) return;
      handler.onResponseError?.(controller, error);
    },
  };

  function controllerOf(target: Dispatcher.DispatchHandler, gaveUp: () => void) {
    let over = false;
    const ended = (now: boolean): boolean => {
      if (over) return false;
      over = now;
      return true;
    };
    const controller = {
      aborted: false,
      paused: false,
      reason: null,
      abort(reason: Error) {
        if (!ended(true)) return;
        controller.aborted = true;
        if (gate.alive()) gaveUp();
        target.onResponseError?.(controller, reason);
      },
      pause: () => undefined,
      resume: () => undefined,
    };
    return { controller, ended };
  }
}

/** No test names anything of its own so that it holds one of the words. */
function wordsOf(brandWord: string): Record<"heard" | "said", (text: string) => string> {
  if (brandWord === "compute") return { heard: (text) => text, said: (text) => text };
  const capital = `${brandWord.charAt(0).toUpperCase()}${brandWord.slice(1)}`;
  return {
    heard: (text) => text.replaceAll(brandWord, "compute"),
    said: (text) => text.replaceAll("compute", brandWord).replaceAll("Compute", capital),
  };
}

function handle(options: CloudOptions, exchange: Exchange): void {
  const { entry } = exchange;
  const fault = options.faults.take(entry);
  if (fault?.kind !== "unreachable" && !exchange.leave())
    return void options.ledger.splice(options.ledger.indexOf(entry), 1);
  const apply = () => applyRequest(options, entry, exchange.query, exchange.filter);
  if (fault) spoil(options, exchange, fault, apply);
  else exchange.answer(apply());
}

/** Who sends no token. */
const nobody: User = {
  token: "",
  username: "",
  uid: 0,
  account: "",
  restricted: true,
  hidden: new Set(),
  phone: { codes: [] },
  settings: { preferences: {}, answers: {} },
};

/** Does what a request asks for, and notes it in its entry of the ledger. */
export function applyRequest(
  { users, service, onTouch }: CloudOptions,
  entry: LedgerEntry,
  query: URLSearchParams,
  filter: JsonObject,
): ServiceAnswer {
  const { token, path, method, process } = entry;
  // A pre-signed URL needs no token.
  if (path.startsWith("/objects/")) return serveStored(service, entry);
  const user = users.get(token) ?? (token === "" && ruleFor(path)?.catalog === "public" ? nobody : undefined);
  if (!user) return refuse(401, "Invalid Token");
  const touch = (row: CloudRow) => onTouch.forEach((listener) => listener(entry, row));
  // The service changes its copy. The ledger keeps the body as the operator sent it.
  const sent = { ...entry.body };
  const body = service.normalise?.({ method, path, body: sent }) ?? sent;
  const refused = method === "GET" ? undefined : service.refuses?.({ method, path, body, author: entry.author });
  const answer = refused
    ? refuse(400, refused.reason, refused.field)
    : serve(service, { method, path, query, filter, body, user, process, entry: entry.number, touch });
  entry.applied = answer.status < 300;
  return answer;
}

/** The request left, and no answer will come. */
function lost(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

function spoil(
  { clock }: CloudOptions,
  exchange: Exchange,
  { kind, ms: given, brokenMs, reason = "Refused", row }: Fault,
  apply: () => ServiceAnswer,
): void {
  const { answer, fail } = exchange;
  const ms = given ?? 1_000;
  const html = { "content-type": "text/html" };
  switch (kind) {
    case "unreachable":
      exchange.entry.unsent = true;
      return fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
    case "lostBefore":
      return fail(lost());
    case "lostAfter":
      apply();
      if (brokenMs === undefined) return fail(lost());
      return void clock.schedule(brokenMs, () => fail(lost()));
    case "lateApply":
      clock.schedule(ms, () => void apply());
      return fail(lost());
    case "html502":
    case "html502After": {
      if (kind === "html502After") apply();
      const badGateway = { status: 502, body: "<html>Bad Gateway</html>" };
      if (brokenMs === undefined) return answer(badGateway, html);
      return void clock.schedule(brokenMs, () => answer(badGateway, html));
    }
    case "maintenance": {
      const headers = { "x-maintenance-mode": "true", "retry-after": String(Math.ceil(ms / 1_000)) };
      return answer(refuse(503, "Down for maintenance"), headers);
    }
    case "notFound":
      return answer(refuse(404, "Not found"));
    case "empty":
      return answer({ status: 200, body: {} });
    case "tooMany":
      return answer(refuse(429, "Too many requests"), { "retry-after": String(Math.ceil(ms / 1_000)) });
    case "answersFor":
      apply();
      return void clock.schedule(given ?? 0, () => answer({ status: 200, body: row?.fields ?? {} }));
    case "unauthorized":
      return answer(refuse(401, "Invalid Token"));
    case "forbidden":
      return answer(refuse(403, "Unauthorized"));
    case "refused":
      return answer(refuse(400, reason));
    case "busy":
      return answer(busy());
    case "slow": {
      const late = apply();
      clock.schedule(ms, () => answer(late));
      return;
    }
    case "slowApply":
      clock.schedule(ms, () => answer(apply()));
      return;
    case "silent":
      return;
  }
}
