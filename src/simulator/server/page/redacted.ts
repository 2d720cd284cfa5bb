const HIDDEN = "(hidden)";

/** Limit of a text on the page, in characters. */
const LONGEST = 4_000;

/** Names of fields whose values can be secret: passwords, keys, one-time codes, user data, answers, signed URLs. */
const SECRET = /pass|secret|token|private_key|otp|user_?data|stackscript_data|upload_to|verification|^response$/i;

/** Returns JSON without the values of secret fields, without private keys, and without the query and user of URLs. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return withoutSigned(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretField(name) && inner !== null && inner !== "" && typeof inner !== "boolean"
        ? HIDDEN
        : withoutSecrets(inner),
    ]),
  );
}

/** Returns true for a field that the page never shows and cannot change. */
export function isSecretField(name: string): boolean {
  return SECRET.test(name);
}

/** Returns the JSON text of a body without secrets. Hides text that is not JSON, because such text can contain secrets. */
export function shownBody(text: string): string {
  const body = parsed(text);
  if (body === undefined) return `(${text.length} characters that are not JSON)`;
  const shown = JSON.stringify(withoutSecrets(body), undefined, 2);
  const rest = shown.length - LONGEST;
  return rest > 0 ? `${shown.slice(0, LONGEST)}\n(${rest} more characters)` : shown;
}

function withoutSigned(text: string): string {
  if (text.includes("PRIVATE KEY-----")) return HIDDEN;
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@\s]*@/i, `$1${HIDDEN}@`)
    .replace(/^(https?:\/\/[^?\s]*)\?.*$/is, `$1?${HIDDEN}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
