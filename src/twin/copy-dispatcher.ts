/** Hands the requests of the operator's client to the copy of the account, and notes the requests that change the copy. */
import { AsyncLocalStorage } from "node:async_hooks";
import { gzipSync } from "node:zlib";
import { Dispatcher } from "undici";
import type { JsonObject } from "../api/types.ts";
import type { Call, Request } from "../core/kind/call.ts";
import type { CopiedAccount, LocalAnswer } from "../simulator/simulator.ts";
import type { RunClock } from "./clock.ts";

/** The reconcile that sends requests. `call`: the request that the core is about to send. */
interface Sender {
  key: string;
  call?: (Request & Partial<Call>) | undefined;
}

/** A request of the operator that changed the copy, or that the copy refused. */
export interface SentRequest {
  /** Key of the object; undefined for a request outside of a reconcile. */
  key: string | undefined;
  method: string;
  /** Without the version segment. */
  path: string;
  body: JsonObject | undefined;
  /** The request as the kind describes it. */
  call: (Request & Partial<Call>) | undefined;
  status: number;
  /** The cloud object in the path before the request. Undefined for a creation. */
  before: JsonObject | undefined;
  /** The response. */
  answer: JsonObject | undefined;
  /** Clock milliseconds. */
  atMs: number;
}

export interface CopyDispatcher {
  dispatcher: Dispatcher;
  /** Runs the reconcile of a key, to attribute its requests. */
  look: <T>(key: string, run: () => Promise<T>) => Promise<T>;
  /** Notes the request that the core is about to send. */
  leaving: (key: string, request: Request) => void;
  sent: () => readonly SentRequest[];
}

export interface CopyDispatcherOptions {
  copy: CopiedAccount;
  clock: RunClock;
  /** Base URL of the copy. The dispatcher answers other origins with an empty archive. */
  url: string;
  token: string;
}

export function createCopyDispatcher(options: CopyDispatcherOptions): CopyDispatcher {
  const { clock, url } = options;
  const senders = new AsyncLocalStorage<Sender>();
  const sent: SentRequest[] = [];
  const answerTo = async (request: Dispatcher.DispatchOptions): Promise<LocalAnswer> => {
    if (String(request.origin) !== url) return archive;
    const sender = senders.getStore();
    const call = sender?.call;
    if (sender) delete sender.call;
    return noted(options, sent, { key: sender?.key, call, request });
  };
  const dispatcher = Object.assign(new Dispatcher(), {
    dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const { controller, end } = controllerOf(handler);
      handler.onRequestStart?.(controller, {});
      if (!controller.aborted) void clock.during(respond(handler, controller, end, () => answerTo(request)));
      return true;
    },
    close: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  });
  return {
    dispatcher,
    look: (key, run) => senders.run({ key }, run),
    leaving(key, request) {
      const sender = senders.getStore();
      if (sender?.key === key) sender.call = request;
    },
    sent: () => sent,
  };
}

/** Runs a request on the copy, and notes a request that changes the copy. */
async function noted(
  options: CopyDispatcherOptions,
  sent: SentRequest[],
  { key, call, request }: Pick<SentRequest, "key" | "call"> & { request: Dispatcher.DispatchOptions },
): Promise<LocalAnswer> {
  const { copy, clock } = options;
  const { method, path } = request;
  const content = await contentOf(request.body);
  const headers = request.headers as Record<string, string>;
  const run = () => copy.send({ method, path, headers, ...(content && { body: content }) });
  if (method === "GET") return run();
  // A creation has no description, and no cloud object before the request.
  const isCreation = method === "POST" && call?.action === undefined;
  const before = isCreation ? undefined : await beforeOf(options, method, path);
  const answer = await run();
  const [plain = ""] = path.replace(/^\/v4(beta)?/, "").split("?");
  const facts = { key, call, method, path: plain, before, atMs: clock.now() };
  sent.push({ ...facts, body: parsed(content), status: answer.status, answer: parsed(answer.body) });
  return answer;
}

async function respond(
  handler: Dispatcher.DispatchHandler,
  controller: Dispatcher.DispatchController,
  end: () => boolean,
  answerTo: () => Promise<LocalAnswer>,
): Promise<void> {
  try {
    const { status, headers, body } = await answerTo();
    if (!end()) return;
    const known = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value : String(value)] as const],
    );
    handler.onResponseStart?.(controller, status, Object.fromEntries(known), "");
    handler.onResponseData?.(controller, body);
    handler.onResponseEnd?.(controller, {});
  } catch (error) {
    if (end()) handler.onResponseError?.(controller, error as Error);
  }
}

/** Content of a source outside of the cloud: no plan reads such a source. */
const archive: LocalAnswer = { status: 200, headers: {}, body: gzipSync(Buffer.alloc(1)) };

/** Reads the cloud object in the path of a request, or the object that an action in the path concerns. */
async function beforeOf(
  { copy, token }: CopyDispatcherOptions,
  method: string,
  path: string,
): Promise<JsonObject | undefined> {
  const [plain = ""] = path.split("?");
  const target = method === "POST" ? plain.replace(/\/[^/]+$/, "") : plain;
  const { status, body } = await copy.send({
    method: "GET",
    path: target,
    headers: { authorization: `Bearer ${token}` },
  });
  const row = status === 200 ? parsed(body) : undefined;
  // A list is no cloud object.
  return row && !Array.isArray(row["data"]) ? row : undefined;
}

async function contentOf(body: Dispatcher.DispatchOptions["body"]): Promise<Buffer | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body as string);
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function parsed(content: Buffer | undefined): JsonObject | undefined {
  if (!content || content.length === 0) return undefined;
  try {
    return JSON.parse(content.toString("utf8")) as JsonObject;
  } catch {
    return undefined;
  }
}

function controllerOf(handler: Dispatcher.DispatchHandler) {
  let over = false;
  const end = (): boolean => {
    if (over) return false;
    over = true;
    return true;
  };
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort(reason: Error) {
      if (!end()) return;
      controller.aborted = true;
      handler.onResponseError?.(controller, reason);
    },
    pause: () => undefined,
    resume: () => undefined,
  };
  return { controller, end };
}
