/**
 * The one way out to the cloud. The policy of the object permits each request, and its plan counts it. A request leaves only
 * after the API server confirmed the facts that permit it (facts.ts), and after the cloud API showed that ids mean the same.
 */
import * as z from "zod";
import type { Json, SendToUrl } from "../../api/types.ts";
import type { Delivery, Request } from "../kind/call.ts";
import { isHttpError } from "../kind/outcome.ts";
import { outgoing } from "./outgoing.ts";
import type { Outgoing } from "./outgoing.ts";
import type { Kind } from "../kind/owned.ts";
import { refuseUnpermitted, spendApproval } from "../flow/permission.ts";
import { promptMs, proveAgain, proveLately } from "../flow/held.ts";
import { proveUser } from "../flow/presence.ts";
import type { Located } from "../flow/reconciliation.ts";
import { refuseOutdated } from "./facts.ts";

type Options = Parameters<Located["session"]["client"]["send"]>[3];

/** How long ago the row may have been read that a request was decided by, milliseconds. */
const decidedMs = 250;

/**
 * `prove`: called when there is room for the request, with the clock milliseconds when it was decided, and how old what it is based
 * on may be; throws where it is not to leave. Throws `HttpError`; and `Error`, a fault of the operator itself, for what nobody asked
 * the policy of the object for.
 */
export async function sendChange(
  at: Located,
  request: Request,
  options: Options,
  prove = (askedAt: number, lateMs: number) => proveAgain(at, request, askedAt, lateMs),
): Promise<Json> {
  return send(at, outgoing(at, request), options, prove);
}

type Prove = (askedAt: number, lateMs: number) => Promise<void>;

async function send(at: Located, leaving: Outgoing, options: Options, prove: Prove): Promise<Json> {
  refuseUnpermitted(at, leaving);
  const { method, path, body, beta } = leaving.request;
  const now = at.environment.clock.now();
  const { readAt = now } = at;
  // The API server may have been slow since the row was read.
  const askedAt = now - readAt > decidedMs ? readAt : now;
  const onTurn = () =>
    proveLately(at, async (lateMs) => {
      if (tellsNoOwner(at.kind, method)) await proveUser(at, at.environment.clock.now() - lateMs);
      await prove(askedAt, lateMs);
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
    // How long the answer took says nothing about the API server.
    if (at.readAt !== undefined) at.readAt = at.environment.clock.now();
    return answer;
  } catch (error) {
    if (!isHttpError(error) || error.outcome !== "refused") spendApproval(at, leaving);
    throw error;
  }
}

/** True for what each user has, and for the removal of what has no origin but its name: no id tells whose it is. */
function tellsNoOwner({ shape, ofUser, shownAt, createdField }: Kind, method: string): boolean {
  if (shape === "owned") return method === "DELETE" && createdField === undefined;
  return ofUser === true || shownAt === "/profile";
}

const signed = z.object({ url: z.url(), exists: z.boolean().nullish() });

/**
 * …also in two steps: the API signs a URL, and what is to be done is done with it. What came of it is read afterwards, since
 * no answer shows it. `refuse` is told before anything is done where what is to be created is there. Throws `HttpError`.
 */
export async function carryOut(at: Located, request: Request, options: Options, refuse?: () => Error): Promise<Json> {
  const leaving = outgoing(at, request);
  const { delivery } = leaving;
  let provenAt = 0;
  const answer = await send(at, leaving, options, async (askedAt, lateMs) => {
    await proveAgain(at, request, askedAt, lateMs);
    provenAt = at.environment.clock.now();
  });
  if (!delivery) return answer;
  const { url, exists } = signed.parse(answer);
  if (exists && refuse) throw refuse();
  try {
    await sendSigned(at, url, { ...delivery, request, provenAt });
  } finally {
    // What was read of the parts of what is replaced is old.
    at.session.observer.invalidate(at.collection.path.replace(/\/[^/]+$/, "/object-acl"));
  }
  if (delivery.method === "DELETE") return {};
  return (await at.session.client.get(at.collection.path)) ?? {};
}

/** Sends data to a URL that the cloud API returned for it. Throws as `sendChange` does. */
export async function sendData(at: Located, url: string, data: Parameters<SendToUrl>[2]): Promise<void> {
  await proveLately(at, () => Promise.resolve());
  refuseOutdated(at);
  await at.session.sendToUrl("PUT", url, data);
}

interface Signed extends Delivery {
  /** The request that was answered with the URL, and when what it is based on was proven, clock milliseconds. */
  request: Request;
  provenAt: number;
}

/** The second step: what the object asks for, and what is there, may have changed since the first. Throws as `sendChange` does. */
async function sendSigned(at: Located, url: string, signed: Signed): Promise<void> {
  const { method, content, contentType, request, provenAt } = signed;
  const { clock } = at.environment;
  await proveLately(at, async (lateMs) => {
    if (clock.now() - provenAt > promptMs) await proveAgain(at, request, provenAt, Math.min(lateMs, promptMs));
  });
  refuseOutdated(at);
  const length = content && { content, contentLength: content.byteLength };
  await at.session.sendToUrl(method, url, { ...length, ...(contentType !== undefined && { contentType }) });
}
