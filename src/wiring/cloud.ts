/** Wiring of one account: its client, its observer and its session. */
import type { Dispatcher } from "undici";
import { createCloudClient } from "../api/client.ts";
import { createDispatcher } from "../api/http.ts";
import { createSendToUrl } from "../api/send-to-url.ts";
import type { RequestMeasure } from "../api/types.ts";
import type { Connect } from "../core/account/account.ts";
import type { Log } from "../queue/log.ts";
import { createObserver } from "../observe/observer.ts";
import type { Clock } from "../queue/clock.ts";

export interface Endpoint {
  name: string;
  url: string;
  /** PEM of the authorities to trust, besides the system's. */
  ca?: string;
}

export interface ConnectOptions {
  endpoints: Endpoint[];
  brandWord: string;
  clock: Clock;
  log: Log;
  /** Clock milliseconds until which mutating calls may run. */
  deadline: () => number;
  /** Ends every call: shutdown, or a lost lease. */
  signal: AbortSignal;
  wake: (keys: string[]) => void;
  sweepMs: number;
  fastSweepMs: number;
  slowPassMs: number;
  feedMs: number;
  pageSize: number;
  /** Carries the requests of all accounts in place of connections to the endpoints. */
  dispatcher?: Dispatcher;
  onRequest?: ((measure: RequestMeasure) => void) | undefined;
  onHeldBack?: ((operation: string) => void) | undefined;
}

/** Makes the function that opens an account. Each has its own connections: a tenant whose calls hang takes none from others. */
export function createConnect(options: ConnectOptions): Connect & { close: () => Promise<void> } {
  const dispatchers = new Map<string, Dispatcher>();
  const { clock, log, signal, brandWord } = options;
  const sweepMsOf = (seconds: number | undefined) => (seconds === undefined ? options.sweepMs : seconds * 1000);

  const connect: Connect = ({ account, endpoint: name, token, sweepSeconds }) => {
    const endpoint = options.endpoints.find((one) => one.name === name);
    if (!endpoint) throw new Error(`no endpoint ${name}`);
    const pool = `${name} ${account}`;
    const dispatcher =
      options.dispatcher ??
      dispatchers.get(pool) ??
      createDispatcher(endpoint.ca === undefined ? {} : { ca: endpoint.ca });
    if (!options.dispatcher) dispatchers.set(pool, dispatcher);
    const closed = new AbortController();
    const told = {
      ...(options.onRequest && { onRequest: options.onRequest }),
      ...(options.onHeldBack && { onHeldBack: options.onHeldBack }),
    };
    const client = createCloudClient({
      baseUrl: endpoint.url,
      token: () => token,
      brandWord,
      clock,
      log,
      deadline: options.deadline,
      signal,
      closed: closed.signal,
      pageSize: options.pageSize,
      dispatcher,
      ...told,
    });
    const observer = createObserver({
      client,
      clock,
      log,
      sweepMs: sweepMsOf(sweepSeconds),
      fastSweepMs: options.fastSweepMs,
      slowPassMs: options.slowPassMs,
      feedMs: options.feedMs,
      canReadEvents: () =>
        client.scopes().some((scope) => ["*", "events:read_only", "events:read_write"].includes(scope)),
      wake: options.wake,
    });
    const sendToUrl = createSendToUrl({ clock, dispatcher, signal, ...told });
    return {
      client,
      session: (restricted) => ({ account, client, observer, sendToUrl, restricted }),
      sweepEvery: (seconds) => observer.sweepEvery(sweepMsOf(seconds)),
      retire: () => observer.close(),
      close() {
        observer.close();
        closed.abort(new Error("the account was closed"));
      },
    };
  };

  const close = async (): Promise<void> => {
    await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.close()));
  };
  return Object.assign(connect, { close });
}
