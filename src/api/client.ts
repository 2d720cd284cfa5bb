/*
 * Room `api`: the cloud's HTTP API as one account (one token) sees it.
 * Guarantees: a POST is sent once at most; no mutating call leaves or lasts past the lease's deadline; lists are whole
 * or an error; every error is an `HttpError` that says whether the call may have been applied and shows no secret.
 * Speaks `compute` inwards and the cloud's brand word outwards. The only room that talks to the cloud.
 * May import `queue/clock.ts` as a type, and nothing else of ours.
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
  /** Root of the API; a version segment at its end is taken off, since each call has its own (part 1, section 9). */
  baseUrl: string;
  /** Read for every request, so that a rotated token is used at once; undefined: the client of what needs none. */
  token: () => string | undefined;
  /** The cloud's brand word (not-shown, section 7); `compute` translates nothing. */
  brandWord: string;
  /** Version of this program, which each request names. */
  version?: string;
  clock: Clock;
  log?: { debug(fields: object, message: string): void };
  /** Told of every request, for metrics. */
  onRequest?: (measure: RequestMeasure) => void;
  /** Told of every request that was not sent, since the rate limit is used up for too long. */
  onHeldBack?: (operation: string) => void;
  /** Clock milliseconds until which mutating calls may run: the end of the lease. */
  deadline?: () => number;
  /** Ends every call; at shutdown or a lost lease. */
  signal?: AbortSignal;
  /** Once it aborts no call begins; those that have begun go on. */
  closed?: AbortSignal;
  /** Rows a page, 25 to 500. */
  pageSize?: number;
  /** Connections shared with other clients; see `createDispatcher`. */
  dispatcher?: Dispatcher;
  /** How many requests the token may send in all; the documents' 1,600 if not given. */
  requestsInTwoMinutes?: number | undefined;
  /** Milliseconds for one answer; a list has them for each page. */
  timeouts?: { readMs?: number; writeMs?: number };
  /** 0 to 1; for jitter. */
  random?: () => number;
}

const program = "cloud-platform-operator";

/** A token has the same scopes for ever. So many lists that differ say nothing any more. */
const mostHeard = 16;

/** Creates the client of one account. Its rate limits are its own, so a token should have one client only. */
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

/** Fewest rows of a page that the service permits. */
const smallestPage = 25;

const PRIORITIES = { GET: "observe", DELETE: "delete", POST: "create", PUT: "update" } as const;

function describe(method: Mutation | "GET", path: string, request: RequestOptions = {}, body?: JsonObject): Call {
  const { priority = PRIORITIES[method], urgent = false, beta = false, signal, permit, onTurn, onSent } = request;
  if (!path.startsWith("/") || hasDotSegment(path)) {
    const problem = { method, path: pathOnly(path), outcome: "refused" } as const;
    throw new HttpError(`${method} ${pathOnly(path)}: not a path of the API`, problem);
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

/** URLs are normalised before they are sent: an identifier `..` would lead to another resource. */
function hasDotSegment(path: string): boolean {
  return pathOnly(path)
    .split("/")
    .some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

/** Headers carry no text beyond ASCII; JSON can write it without. */
function headerText(filter: JsonObject): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(filter).replaceAll(/[\u007F-\uFFFF]/g, escape);
}
