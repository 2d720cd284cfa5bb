/**
 * Requests that are carried out in two steps: the API signs a URL, and what is to be done is done with it. What came of it
 * is read afterwards, since no answer shows it.
 */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import type { Delivery, Request } from "../kind/call.ts";
import { sendChange } from "./change.ts";
import type { Located } from "./reconciliation.ts";

const signed = z.object({ url: z.url(), exists: z.boolean().nullish() });

/** Sends it. `refuse` is told before anything is done where what is to be created is there. Throws `HttpError`. */
export async function carryOut(
  at: Located,
  request: Request,
  options: Parameters<typeof sendChange>[2],
  refuse?: () => Error,
): Promise<Json> {
  const delivery = at.kind.delivery?.(request, at.wanted);
  const answer = await sendChange(at, request, options);
  if (!delivery) return answer;
  const { url, exists } = signed.parse(answer);
  if (exists && refuse) throw refuse();
  await deliver(at, url, delivery);
  if (delivery.method === "DELETE") return {};
  return (await at.session.client.get(at.collection.path)) ?? {};
}

/** What was read of the parts of what is replaced is old. */
async function deliver({ session, collection }: Located, url: string, delivery: Delivery): Promise<void> {
  const { method, content, contentType } = delivery;
  const length = content && { content, contentLength: content.byteLength };
  try {
    await session.sendToUrl(method, url, { ...length, ...(contentType !== undefined && { contentType }) });
  } finally {
    session.observer.invalidate(collection.path.replace(/\/[^/]+$/, "/object-acl"));
  }
}
