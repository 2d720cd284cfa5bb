/**
 * Room `api`: the HTTP API of the cloud for one account (one token).
 * Guarantees: a POST is sent once at most. No mutating call starts or continues after the deadline of the lease. A list
 * is complete or an error. Every error is an `HttpError` that says whether the call may have been applied, and shows no
 * secret.
 * Uses `compute` towards callers and the brand word towards the cloud. Only this room talks to the cloud.
 * May import `queue/clock.ts` as a type, and no other room.
 */
import type { Dispatcher } from "undici";
import type { Clock } from "../queue/clock.ts";
import { readPages } from "./paging.ts";
import { createBrand, type Brand } from "./brand.ts";
import { pathOnly } from "./answer.ts";
import { createCaller, type Call, type Caller } from "./call.ts";
import { HttpError } from "./errors.ts";
import { createDispatcher, TooLarge } from "./http.ts";
import { createLimiter } from "./limiter.ts";
import { operationOf } from "./operation.ts";
import { createServiceClock } from "./service-clock.ts";
import type { CloudClient, JsonObject, Listing, Mutation, RequestMeasure, RequestOptions } from "./types.ts";

export interface ClientOptions {
  /** Root of the API. Each call adds a version segment, so a version segment here is removed (part 1, section 9). */
  baseUrl: string;
  /** Read for every request: a rotated token takes effect immediately. Undefined for requests that need no token. */
  token: () => string | undefined;
  /** Brand word of the cloud (not-shown, section 7). `compute` translates nothing. */
  brandWord: string;
  /** Version of this program, for the `User-Agent` header. */
  version?: string;
  clock: Clock;
  log?: { debug(fields: object, message: string): void };
  /** Called for every request, for metrics. */
  onRequest?: (measure: RequestMeasure) => void;
  /** Called for every request that was not sent because the rate limit is used up for too long. */
  onHeldBack?: (operation: string) => void;
  /** Clock milliseconds until which mutating calls may run: the end of the lease. */
  deadline?: () => number;
  /** Aborts every call, at shutdown or after the lease is lost. */
  signal?: AbortSignal;
  /** Stops new calls. Running calls continue. */
  closed?: AbortSignal;
  /** Rows per page, 25 to 500. */
  pageSize?: number;
  /** Connections shared with other clients; see `createDispatcher`. */
  dispatcher?: Dispatcher;
  /** Requests that the token may send in two minutes. Default: 1,600, as documented. */
  requestsInTwoMinutes?: number | undefined;
  /** Milliseconds for one response. In a list, each page has the full time. */
  timeouts?: { readMs?: number; writeMs?: number };
  /** Random number from 0 to 1, for jitter. */
  random?: () => number;
}

const program = "cloud-platform-operator";

/** The scopes of a token never change. After so many different lists, the headers prove nothing. */
const mostHeard = 16;

/** Creates the client of one account. Create only one client for a token, because the client counts the rate limits. */
export function createCloudClient(options: ClientOptions): CloudClient {
  const { clock, deadline = () => Infinity, timeouts = {}, pageSize = 500, random = Math.random } = options;
  const brand = createBrand(options.brandWord);
  const serviceClock = createServiceClock(clock);
  let scopes: string[] = [];
  const heard = new Map<string, string[]>();
  const large = new Set<string>();
  const limiter = createLimiter({ clock, requestsInTwoMinutes: options.requestsInTwoMinutes });
  const { send, reserve } = createCaller({
    ...options,
    deadline,
    random,
    brand,
    serviceClock,
    userAgent: options.version === undefined ? program : `${program}/${options.version}`,
    root: options.baseUrl.replace(/(?<!\/)\/+$/, "").replace(/\/v4(beta)?$/, ""),
    dispatcher: options.dispatcher ?? createDispatcher(),
    limiter,
    timeouts: { readMs: timeouts.readMs ?? 30_000, writeMs: timeouts.writeMs ?? 60_000 },
    onScopes(list) {
      scopes = heard.get(list) ?? brand.scopes(list);
      if (heard.size < mostHeard) heard.set(list, scopes);
      else heard.set("", []);
    },
  });
  return {
    get: async (path, request) => send(describe("GET", path, request)),
    list: async (path, request = {}) => list({ send, brand, pageSize, large }, path, request),
    send: async (method, path, body, request) => (await send(describe(method, path, request, body))) ?? {},
    reserve: async (method, path, request) => reserve(describe(method, path, request)),
    serverTime: () => serviceClock.now(),
    scopes: () => [...scopes],
    scopesHeard: () => [...heard.values()],
    limits: () => limiter.remaining(),
    paces: (path, { paged, share }) => limiter.paces({ operation: operationOf("GET", path), paged }, share),
  };
}

interface ListContext {
  send: Caller["send"];
  brand: Brand;
  pageSize: number;
  /** Paths of lists whose pages were too large. */
  large: Set<string>;
}

function list(
  { send, brand, pageSize, large }: ListContext,
  path: string,
  request: RequestOptions & { filter?: JsonObject },
) {
  const described = describe("GET", path, request);
  const filter = request.filter && { filter: headerText(brand.toWire(request.filter, path)) };
  const separator = path.includes("?") ? "&" : "?";
  const read = (size: number): Promise<Listing> =>
    readPages(path, (page) =>
      send({ ...described, ...filter, paged: true, path: `${path}${separator}page=${page}&page_size=${size}` }),
    );
  if (large.has(path)) return read(smallestPage);
  return read(pageSize).catch((error: unknown) => {
    if (!(error instanceof HttpError && error.cause instanceof TooLarge)) throw error;
    large.add(path);
    return read(smallestPage);
  });
}

/** Smallest page size that the API accepts. */
const smallestPage = 25;

const PRIORITIES = { GET: "observe", DELETE: "delete", POST: "create", PUT: "update" } as const;

function describe(method: Mutation | "GET", path: string, request: RequestOptions = {}, body?: JsonObject): Call {
  const { priority = PRIORITIES[method], urgent = false, beta = false, signal, permit, onTurn, onSent } = request;
  if (!path.startsWith("/") || hasDotSegment(path)) {
    const problem = { method, path: pathOnly(path), outcome: "refused" } as const;
    throw new HttpError("was not sent: the path is not a path of the API", problem);
  }
  const given = {
    ...(signal && { signal }),
    ...(permit && { permit }),
    ...(onTurn && { onTurn }),
    ...(onSent && { onSent }),
    ...(body && { body }),
  };
  return { method, path, priority, urgent, beta, paged: false, ...given };
}

/** Returns true for a path with a dot segment: an identifier `..` would lead to another resource. */
function hasDotSegment(path: string): boolean {
  return pathOnly(path)
    .split("/")
    .some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

/** Writes a filter as ASCII. HTTP headers carry only ASCII. */
function headerText(filter: JsonObject): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(filter).replaceAll(/[\u007F-\uFFFF]/g, escape);
}
