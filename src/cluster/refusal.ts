/** The text of the API server about a request, without text that can quote a Secret or a token. */

/** A request, as an error names the request. */
export interface Called {
  verb: string;
  resource: string;
  name?: string | undefined;
}

/** Resources with secret values. A policy or a webhook for their writes can quote the request and the stored object. */
const confidential = new Set(["secrets", "tokenreviews"]);

const reading = new Set(["get", "list", "watch"]);

/**
 * Returns true for a request whose response can quote secret values. The operator then shows the HTTP status and names, and no text
 * of other programs. A search for the values in the text is not enough: a policy can quote the stored object, or a part or an
 * encoding of a value. No policy and no webhook sees a read.
 */
export function isConfidential({ verb, resource }: Pick<Called, "verb" | "resource">): boolean {
  return confidential.has(resource) && !reading.has(verb);
}

const name = "[A-Za-z0-9@.:_-]{1,253}";

/** How the API server itself begins the text of a refusal. */
const openings = [
  `admission webhook "${name}" denied the request`,
  `failed calling webhook "${name}"`,
  `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request`,
  `User "${name}" cannot [a-z]{1,20} resource "[a-z]{1,40}" in API group "[a-z0-9.]{0,253}" in the namespace "${name}"`,
  `exceeded quota: ${name}`,
  `unable to create new content in namespace ${name} because it is being terminated`,
];
const prefix = `(?:secrets "${name}" is forbidden: |Internal error occurred: )?`;
const known = new RegExp(`^${prefix}(${openings.join("|")})`);

/** Reasons of the API server. A webhook can choose any text as the reason. */
const reasons = new Set([
  "AlreadyExists",
  "BadRequest",
  "Conflict",
  "Expired",
  "Forbidden",
  "Gone",
  "InternalError",
  "Invalid",
  "MethodNotAllowed",
  "NotAcceptable",
  "NotFound",
  "RequestEntityTooLarge",
  "ServerTimeout",
  "ServiceUnavailable",
  "Timeout",
  "TooManyRequests",
  "Unauthorized",
  "UnsupportedMediaType",
]);

/** The parts of a `Status` object that an error uses. */
export interface Refusal {
  message: string;
  reason: string;
  causes: string[];
}

/** Returns what an error may show of a refusal. The message begins with the request. */
export function shownOf(call: Called, status: number, refusal: Refusal): Refusal {
  if (!isConfidential(call)) return { ...refusal, message: `${call.verb} ${call.resource}: ${refusal.message}` };
  const reason = reasons.has(refusal.reason) ? refusal.reason : `HTTP${status}`;
  const [, opening = "the API server refused the request"] = known.exec(refusal.message.slice(0, 2_000)) ?? [];
  const object = call.name === undefined ? "" : ` "${call.name}"`;
  const answer = reasons.has(reason) ? `${status} ${reason}` : status;
  const hidden = "The operator does not show the rest of the response, because the response can contain secret values";
  return { message: `${call.verb} ${call.resource}${object}: ${opening} (${answer}). ${hidden}`, reason, causes: [] };
}
