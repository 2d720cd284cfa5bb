/**
 * Layer `core/send`: the only exit to the cloud. The layer imports `core/secrets` and lower layers.
 *
 * The policy of an object must permit each request, and the plan counts the request. A request leaves only after two confirmations: the
 * API server confirms the facts (facts.ts), and the cloud API confirms the meaning of the IDs.
 */
import * as z from "zod";
import type { Json, SendToUrl } from "../../api/types.ts";
import type { Delivery, Request } from "../kind/call.ts";
import { realAccountOf } from "../model/ownership.ts";
import { forgetRefusal, isRefusal, noteRefusal, refuseAgain } from "./refusals.ts";
import { isHttpError } from "../kind/outcome.ts";
import { limitsOf, subjectsOf } from "../read/blockers.ts";
import { outgoing } from "../model/outgoing.ts";
import type { Outgoing } from "../model/outgoing.ts";
import type { Kind } from "../kind/owned.ts";
import { refuseUnpermitted, spendApproval } from "./permission.ts";
import { proveAgain, revalidate } from "./revalidate.ts";
import { proveUser } from "../read/lookup.ts";
import type { Located } from "../model/context.ts";
import { refuseOutdated } from "./facts.ts";
import { times } from "../kind/times.ts";

type Options = Parameters<Located["session"]["client"]["send"]>[3];

/**
 * Sends a mutating request and returns the response. Calls `prove` when the rate limit permits the request. `prove` receives the
 * time of the decision, in clock milliseconds. `prove` throws to stop the request. Throws
 * `HttpError`. Throws `Error`, a fault of the operator, if the flow did not ask the policy of the object before.
 */
export async function sendChange(
  at: Located,
  request: Request,
  options: Options,
  prove = (askedAt: number) => proveAgain(at, request, askedAt),
): Promise<Json> {
  return send(at, outgoing(at, request), options, prove);
}

type Prove = (askedAt: number) => Promise<void>;

async function send(at: Located, leaving: Outgoing, options: Options, prove: Prove): Promise<Json> {
  refuseUnpermitted(at, leaving);
  refuseAgain(at, leaving.request, leaving.digest);
  const { method, path, body, beta } = leaving.request;
  const now = at.environment.clock.now();
  const { readAt = now } = at;
  // A slow API server can delay the request after the read of the row.
  const askedAt = now - readAt > times.fresh ? readAt : now;
  const onTurn = () =>
    revalidate(at, async () => {
      if (tellsNoOwner(at.kind, method)) await proveUser(at, at.environment.clock.now() - times.fresh);
      await prove(askedAt);
    });
  const onSent = () => {
    refuseOutdated(at);
    options?.onSent?.();
  };
  try {
    const answer = await at.session.client.send(method, path, body, {
      ...options,
      onTurn,
      onSent,
      ...(beta && { beta }),
    });
    spendApproval(at, leaving);
    forgetRefusal(at, leaving.digest);
    noteChange(at, leaving.request);
    // The duration of the response does not count as a delay of the API server.
    if (at.readAt !== undefined) at.readAt = at.environment.clock.now();
    return answer;
  } catch (error) {
    if (!isHttpError(error) || error.outcome !== "refused") spendApproval(at, leaving);
    if (isRefusal(error)) noteRefusal(at, leaving.request, error);
    throw error;
  }
}

/** Wakes the objects that wait for a change of the same cloud objects. */
function noteChange(at: Located, request: Request): void {
  const { environment, key, object, next } = at;
  const limits = request.method === "DELETE" ? limitsOf(at) : [];
  // A creation ends no refusal of its dependents, and uses up a limit of the account.
  const unchanged = request.method === "POST" && next.id === undefined ? [key, ...limitsOf(at)] : [];
  const subjects = [...subjectsOf(at, request).filter((subject) => !unchanged.includes(subject)), ...limits];
  environment.changes.note({ key, account: realAccountOf(environment, object), subjects });
}

/** Tests for requests without an id that names an owner: settings of a user, and deletions of kinds without a creation time. */
function tellsNoOwner({ shape, ofUser, shownAt, createdField }: Kind, method: string): boolean {
  if (shape === "owned") return method === "DELETE" && createdField === undefined;
  return ofUser === true || shownAt === "/profile";
}

const signed = z.object({ url: z.url(), exists: z.boolean().nullish() });

/**
 * Sends a request like `sendChange`, also in two steps: the cloud API signs a URL, and the operator sends the change to the URL. The
 * response to a signed URL shows no row, so the operator reads the row afterwards. `prove` is the last
 * proof before the first step. Throws the error of `refuse` before the second step if the cloud object exists. Throws `HttpError`.
 */
export async function carryOut(
  at: Located,
  request: Request,
  options: Options,
  { prove, refuse }: { prove?: () => Promise<void>; refuse?: () => Error } = {},
): Promise<Json> {
  const leaving = outgoing(at, request);
  const { delivery } = leaving;
  let provenAt = 0;
  const answer = await send(at, leaving, options, async (askedAt) => {
    await proveAgain(at, request, askedAt);
    await prove?.();
    provenAt = at.environment.clock.now();
  });
  if (!delivery) return answer;
  const { url, exists } = signed.parse(answer);
  if (exists && refuse) throw refuse();
  try {
    await sendSigned(at, url, { ...delivery, request, provenAt });
  } finally {
    // The replacement can change the access list of the stored object.
    at.session.observer.invalidate(at.collection.path.replace(/\/[^/]+$/, "/object-acl"));
  }
  if (delivery.method === "DELETE") return {};
  return (await at.session.client.get(at.collection.path)) ?? {};
}

/** Sends data to a URL that the cloud API returned for the data. Throws as `sendChange` does. */
export async function sendData(at: Located, url: string, data: Parameters<SendToUrl>[2]): Promise<void> {
  await revalidate(at, () => Promise.resolve());
  refuseOutdated(at);
  await at.session.sendToUrl("PUT", url, data);
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
async function sendSigned(at: Located, url: string, signed: Signed): Promise<void> {
  const { method, content, contentType, request, provenAt } = signed;
  const { clock } = at.environment;
  await revalidate(at, async () => {
    if (clock.now() - provenAt > times.fresh) await proveAgain(at, request, provenAt);
  });
  refuseOutdated(at);
  const length = content && { content, contentLength: content.byteLength };
  await at.session.sendToUrl(method, url, { ...length, ...(contentType !== undefined && { contentType }) });
}
