/** A request with all its bytes, as plans, approvals, refusals and the sender see it. */
import { createHash } from "node:crypto";
import type { Located } from "./context.ts";
import type { Delivery, Request } from "../kind/call.ts";
import type { Json } from "../../api/types.ts";

/** A request, and the content for the URL in the response. */
export interface Outgoing {
  request: Request;
  delivery: Delivery | undefined;
  /** SHA-256 over method, path, body and delivered content, in base64url. */
  digest: string;
}

/**
 * Returns the bytes that leave if the operator carries out `request` now. Plans and the sender use one value. A kind cannot
 * send content outside the hash of a plan.
 *
 * @throws Waiting or Invalid of the kind if the content is missing or too large
 */
export function outgoing(ctx: Pick<Located, "kind" | "spec" | "desired">, request: Request): Outgoing {
  const delivery = ctx.kind.delivery?.(request, ctx.desired);
  return { request, delivery, digest: requestDigest(request, delivery, ctx.kind.upload?.from(ctx.spec)?.url) };
}

/** `source`: URL of data that the operator reads and sends after the request. */
function requestDigest(
  { method, path, body, beta }: Request,
  delivery: Delivery | undefined,
  source: string | undefined,
) {
  const delivered = delivery && [delivery.method, delivery.contentType, delivery.content && sha256(delivery.content)];
  return sha256(JSON.stringify([method, path, body, beta, delivered, source]));
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url");
}

export function names({ path, body }: Request, id: string): boolean {
  const isInPath = [id, encodeURIComponent(id)].some((text) => `${path}/`.includes(`/${text}/`));
  return isInPath || contains(body ?? {}, id);
}

function contains(value: Json, id: string): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some((inner) => contains(inner, id));
  // A rule of a firewall contains an address with its prefix length.
  return String(value) === id || String(value).startsWith(`${id}/`);
}
