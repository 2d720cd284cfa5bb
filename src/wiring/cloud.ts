/** Creates client, observer and session of an account. */
import type { Dispatcher } from "undici";
import { createCloudClient } from "../api/client.ts";
import { HttpError } from "../api/errors.ts";
import { createDispatcher } from "../api/http.ts";
import type { Proxy } from "../api/http.ts";
import { createReadSource } from "../api/read-source.ts";
import { createSendToUrl } from "../api/send-to-url.ts";
import type { CloudClient, ReadSource, RequestMeasure } from "../api/types.ts";
import type { BrandWords } from "../core/account/brand-word.ts";
import type { Connect } from "../core/lifecycle/reconcile-account.ts";
import { covers } from "../core/kind/scopes.ts";
import type { Log } from "../queue/log.ts";
import { createObserver } from "../observe/observer.ts";
import type { Clock } from "../queue/clock.ts";

export interface Endpoint {
  name: string;
  url: string;
  /** PEM of certificate authorities to trust in addition to the system's. */
  ca?: string;
  /** Requests of each account in two minutes. Default: 1,600, as documented. */
  requestsInTwoMinutes?: number | undefined;
}

export interface ConnectOptions {
  endpoints: Endpoint[];
  brandWord: string;
  /** Version of this program, for the `User-Agent` header. */
  version?: string;
  /** Proxy for endpoints and for URLs from the API. */
  proxy?: Proxy | undefined;
  clock: Clock;
  log: Log;
  /** Returns the clock milliseconds until which mutating calls may run. */
  deadline: () => number;
  /** Aborts every call, at shutdown or after the lease is lost. */
  signal: AbortSignal;
  wake: (keys: string[]) => void;
  pollMs: number;
  fastPollMs: number;
  resyncMs: number;
  feedMs: number;
  pageSize: number;
  /** Returns a number from 0 to 1 for jitter. Defaults to Math.random. */
  random?: (() => number) | undefined;
  /** Replaces the connections of every account, for tests. */
  dispatcher?: Dispatcher;
  onRequest?: ((measure: RequestMeasure) => void) | undefined;
  onHeldBack?: ((operation: string) => void) | undefined;
}

/** Opens accounts, and reads data that needs no account. */
export type Connecting = Connect & {
  /** Returns a client of the endpoint that sends no token. */
  anybody: (endpoint: string) => CloudClient;
  isServed: BrandWords["isServed"];
  /** Reads image data over separate connections. */
  readSource: ReadSource;
  close: () => Promise<void>;
};

/** Creates the function that opens an account. A tenant with hanging calls blocks no connections of other tenants. */
export function createConnect(options: ConnectOptions): Connecting {
  const { clock, log, signal, random = Math.random } = options;
  const { open, close } = createClients(options);
  const sources = options.dispatcher ?? createDispatcher({ proxy: options.proxy });
  const readSource = createReadSource({ dispatcher: sources, signal });
  const pollMsOf = (seconds: number | undefined) => (seconds === undefined ? options.pollMs : seconds * 1000);

  const connect: Connect = ({ account, endpoint, token, pollSeconds }) => {
    const closed = new AbortController();
    const { client, dispatcher } = open(endpoint, account, token, { closed: closed.signal });
    const observer = createObserver({
      client,
      clock,
      log,
      pollMs: pollMsOf(pollSeconds),
      fastPollMs: options.fastPollMs,
      resyncMs: options.resyncMs,
      feedMs: options.feedMs,
      canReadEvents: () => covers(client.scopes(), "events:read_only"),
      wake: options.wake,
      random,
    });
    const sendToUrl = createSendToUrl({ clock, dispatcher, signal, ...toldOf(options) });
    return {
      client,
      session: ({ restricted, identity }) => ({ account, client, observer, sendToUrl, restricted, identity }),
      pollEvery: (seconds) => observer.pollEvery(pollMsOf(seconds)),
      retire: () => observer.close(),
      close() {
        observer.close();
        closed.abort(new Error("the account was closed"));
      },
    };
  };

  return Object.assign(connect, {
    anybody: (endpoint: string) => open(endpoint, "", undefined).client,
    isServed: createIsServed((endpoint, brandWord) => open(endpoint, "", undefined, { brandWord }).client),
    readSource,
    async close() {
      await close();
      await sources.close();
    },
  });
}

/** Creates clients, with one pool of connections per account. A client without a token reads public data. */
function createClients(options: ConnectOptions) {
  const dispatchers = new Map<string, Dispatcher>();
  const { clock, log, signal, brandWord, deadline, pageSize, random = Math.random } = options;

  const open = (
    name: string,
    account: string,
    token: string | undefined,
    more: { closed?: AbortSignal; brandWord?: string } = {},
  ) => {
    const endpoint = options.endpoints.find((one) => one.name === name);
    if (!endpoint) throw new Error(`no endpoint ${name}`);
    const pool = `${name} ${account}`;
    const dispatcher =
      options.dispatcher ??
      dispatchers.get(pool) ??
      createDispatcher({ proxy: options.proxy, ...(endpoint.ca !== undefined && { ca: endpoint.ca }) });
    if (!options.dispatcher) dispatchers.set(pool, dispatcher);
    const shared = { brandWord, clock, log, deadline, signal, pageSize, random, dispatcher, ...toldOf(options) };
    const { url: baseUrl, requestsInTwoMinutes } = endpoint;
    const own = { baseUrl, requestsInTwoMinutes, token: () => token, ...more };
    return { client: createCloudClient({ ...shared, ...own }), dispatcher };
  };

  const close = async (): Promise<void> => {
    await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.close()));
  };
  return { open, close };
}

/** Reads a short public list with the word. Remembers a success, because a service never changes its word. */
function createIsServed(clientOf: (endpoint: string, brandWord: string) => CloudClient): BrandWords["isServed"] {
  const served = new Set<string>();
  return async (endpoint, word) => {
    const key = `${endpoint} ${word}`;
    if (served.has(key)) return true;
    try {
      await clientOf(endpoint, word).get("/compute/types?page_size=25", { urgent: true });
    } catch (error) {
      return error instanceof HttpError && error.status === 404 ? false : undefined;
    }
    served.add(key);
    return true;
  };
}

/** Returns the client options for the version and the measures. */
function toldOf({ version, onRequest, onHeldBack }: ConnectOptions) {
  return {
    ...(version !== undefined && { version }),
    ...(onRequest && { onRequest }),
    ...(onHeldBack && { onHeldBack }),
  };
}
