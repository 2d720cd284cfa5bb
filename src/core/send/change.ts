/**
 * Layer `core/send`: the only exit to the cloud. The layer imports `core/secrets` and lower layers.
 *
 * The policy of an object must permit each request, and the plan counts the request. A request leaves only after two confirmations: the
 * API server confirms the facts (facts.ts), and the cloud API confirms the meaning of the IDs.
 */
import * as z from "zod";
import type { Json, SendToUrl } from "../../api/types.ts";
import type { Delivery, Request } from "../kind/call.ts";
import { realAccountOf } from "../model/owners.ts";
import { forgetRefusal, isRefusal, noteRefusal, refuseAgain } from "./refusals.ts";
import { isHttpError } from "../kind/outcome.ts";
import { limitsOf, subjectsOf } from "../read/blockers.ts";
import { outgoing } from "../model/outgoing.ts";
import type { Outgoing } from "../model/outgoing.ts";
import type { Kind } from "../kind/owned.ts";
import { refuseReadOnly, refuseUnpermitted, spendApproval } from "./permission.ts";
import { proveAgain, revalidate } from "./revalidate.ts";
import { proveUser } from "../read/lookup.ts";
import type { Located } from "../model/context.ts";
import { refuseOutdated } from "./facts.ts";
import { times } from "../kind/times.ts";

/** Checks each request last. Throws `Waiting` if the operator is read-only, or if a fact changed. */
function checkLast(ctx: Located, { method, path }: Pick<Request, "method" | "path">): void {
  refuseReadOnly(ctx, `${method} ${path}`);
  refuseOutdated(ctx);
}

type SendOptions = Parameters<Located["session"]["client"]["send"]>[3];

/**
 * Sends a mutating request and returns the response. Calls `prove` when the rate limit permits the request. `prove` receives the
 * time of the decision, in clock milliseconds. `prove` throws to stop the request. Throws
 * `HttpError`. Throws `Error`, a fault of the operator, if the flow did not ask the policy of the object before.
 */
export async function sendChange(
  ctx: Located,
  request: Request,
  options: SendOptions,
  prove = (askedAt: number) => proveAgain(ctx, request, askedAt),
): Promise<Json> {
  return sendProven(ctx, outgoing(ctx, request), options, prove);
}

type Prove = (askedAt: number) => Promise<void>;

async function sendProven(ctx: Located, leaving: Outgoing, options: SendOptions, prove: Prove): Promise<Json> {
  refuseUnpermitted(ctx, leaving);
  refuseAgain(ctx, leaving.request, leaving.digest);
  const { method, path, body, beta } = leaving.request;
  const now = ctx.environment.clock.now();
  const { readAt = now } = ctx;
  // A slow API server can delay the request after the read of the row.
  const askedAt = now - readAt > times.fresh ? readAt : now;
  const onTurn = () =>
    revalidate(ctx, async () => {
      if (tellsNoOwner(ctx.kind, method)) await proveUser(ctx, ctx.environment.clock.now() - times.fresh);
      await prove(askedAt);
    });
  const onSent = () => {
    checkLast(ctx, leaving.request);
    options?.onSent?.();
    ctx.environment.leaving(ctx.key, leaving.request);
  };
  try {
    const answer = await ctx.session.client.send(method, path, body, {
      ...options,
      onTurn,
      onSent,
      ...(beta && { beta }),
    });
    spendApproval(ctx, leaving);
    forgetRefusal(ctx, leaving.digest);
    noteSentChange(ctx, leaving.request);
    // The duration of the response does not count as a delay of the API server.
    if (ctx.readAt !== undefined) ctx.readAt = ctx.environment.clock.now();
    return answer;
  } catch (error) {
    if (isHttpError(error)) error.action ??= actionOf(leaving.request);
    if (!isHttpError(error) || error.outcome !== "refused") spendApproval(ctx, leaving);
    if (isRefusal(error)) noteRefusal(ctx, leaving.request, error);
    throw error;
  }
}

function actionOf(request: Request & { action?: string }): string | undefined {
  return request.action ?? { POST: "Create", PUT: undefined, DELETE: "Delete" }[request.method];
}

/** Wakes the objects that wait for a change of the same cloud objects. */
function noteSentChange(ctx: Located, request: Request): void {
  const { environment, key, object, next } = ctx;
  const limits = request.method === "DELETE" ? limitsOf(ctx) : [];
  // A creation ends no refusal of its dependents, and uses up a limit of the account.
  const unchanged = request.method === "POST" && next.id === undefined ? [key, ...limitsOf(ctx)] : [];
  const subjects = [...subjectsOf(ctx, request).filter((subject) => !unchanged.includes(subject)), ...limits];
  environment.changes.note({ key, account: realAccountOf(environment, object), subjects });
}

/** Tests for requests without an id that names an owner: settings of a user, and deletions of kinds without a creation time. */
function tellsNoOwner({ shape, ofUser, shownAt, createdField }: Kind, method: string): boolean {
  if (shape === "owned") return method === "DELETE" && createdField === undefined;
  return ofUser === true || shownAt === "/profile";
}

const signedAnswer = z.object({ url: z.url(), exists: z.boolean().nullish() });

/**
 * Sends a request like `sendChange`, also in two steps: the cloud API signs a URL, and the operator sends the change to the URL. The
 * response to a signed URL shows no row, so the operator reads the row afterwards. `prove` is the last
 * proof before the first step. Throws the error of `refuse` before the second step if the cloud object exists. Throws `HttpError`.
 */
export async function carryOut(
  ctx: Located,
  request: Request,
  options: SendOptions,
  { prove, refuse }: { prove?: () => Promise<void>; refuse?: () => Error } = {},
): Promise<Json> {
  const leaving = outgoing(ctx, request);
  const { delivery } = leaving;
  let provenAt = 0;
  const answer = await sendProven(ctx, leaving, options, async (askedAt) => {
    await proveAgain(ctx, request, askedAt);
    await prove?.();
    provenAt = ctx.environment.clock.now();
  });
  if (!delivery) return answer;
  const { url, exists } = signedAnswer.parse(answer);
  if (exists && refuse) throw refuse();
  try {
    await sendSigned(ctx, url, { ...delivery, request, provenAt });
  } finally {
    // The replacement can change the access list of the stored object.
    ctx.session.observer.invalidate(ctx.collection.path.replace(/\/[^/]+$/, "/object-acl"));
  }
  if (delivery.method === "DELETE") return {};
  return (await ctx.session.client.get(ctx.collection.path)) ?? {};
}

/** Sends data to a URL that the cloud API returned for the data. Throws as `sendChange` does. */
export async function sendData(ctx: Located, url: string, data: Parameters<SendToUrl>[2]): Promise<void> {
  await revalidate(ctx, () => Promise.resolve());
  checkLast(ctx, { method: "PUT", path: new URL(url).pathname });
  await ctx.session.sendToUrl("PUT", url, data);
}

interface Signed extends Delivery {
  /** The first step: the response contained the URL. */
  request: Request;
  /** The time of the proof for the first step, clock milliseconds. */
  provenAt: number;
}

/**
 * Sends the second step. Proves the facts again, because the spec and the cloud can change after the first step. Throws as
 * `sendChange` does.
 */
async function sendSigned(ctx: Located, url: string, signed: Signed): Promise<void> {
  const { method, content, contentType, request, provenAt } = signed;
  const { clock } = ctx.environment;
  await revalidate(ctx, async () => {
    if (clock.now() - provenAt > times.fresh) await proveAgain(ctx, request, provenAt);
  });
  checkLast(ctx, request);
  const length = content && { content, contentLength: content.byteLength };
  await ctx.session.sendToUrl(method, url, { ...length, ...(contentType !== undefined && { contentType }) });
}
