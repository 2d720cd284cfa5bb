/**
 * Room `core/send`: requests that change the cloud, on their way out. It guarantees that an approval and a refusal are about
 * all bytes of a request. It imports `core/kind`, and types of `core/flow`.
 */
import { createHash } from "node:crypto";
import type { Located } from "../flow/reconciliation.ts";
import type { Delivery, Request } from "../kind/call.ts";

/** A request together with the content that the operator sends to the URL in its response. */
export interface Outgoing {
  request: Request;
  delivery: Delivery | undefined;
  /** SHA-256 over method, path, body and delivered content, in base64url. Equal for the same bytes alone. */
  digest: string;
}

/**
 * Returns what leaves if the operator carries out `request` now. Plans and the sender both use this value, so that a kind
 * cannot send content that the hash of its plan does not cover.
 *
 * @throws what the kind throws if the content is missing or too large
 */
export function outgoing(at: Pick<Located, "kind" | "spec" | "wanted">, request: Request): Outgoing {
  const delivery = at.kind.delivery?.(request, at.wanted);
  return { request, delivery, digest: digestOf(request, delivery, at.kind.upload?.from(at.spec)?.url) };
}

/** `source`: the URL of data that the operator sends later. The operator does not know these bytes before it reads them. */
function digestOf({ method, path, body, beta }: Request, delivery: Delivery | undefined, source: string | undefined) {
  const delivered = delivery && [delivery.method, delivery.contentType, delivery.content && sha256(delivery.content)];
  return sha256(JSON.stringify([method, path, body, beta, delivered, source]));
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url");
}
