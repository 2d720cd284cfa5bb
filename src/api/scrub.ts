import type { Json } from "./types.ts";

/** Removes what a request kept secret from text that others will read. */
export type Scrub = (text: string) => string;

/** Keys whose values never appear in a log, an event or an error. */
const SECRET_KEYS = new Set([
  "authorized_keys",
  "otp",
  "otp_code",
  "password",
  "private_key",
  "response",
  "root_pass",
  "secret_key",
  "stackscript_data",
  "user_data",
]);

const SHORTEST_SECRET = 3;
const LONGEST_TEXT = 1_000;

/**
 * A scrub for one request: the token and every secret value of its body are replaced, also where the cloud
 * echoes them with JSON escapes or one line at a time. Text is cut at 1,000 characters.
 */
export function scrubFor(token: string | undefined, body: Json | undefined): Scrub {
  let known: string[] | undefined;
  return (text) => {
    // Most answers are good, and nothing of them is ever shown.
    known ??= secretTexts(token, body);
    const clean = known.reduce((rest, secret) => rest.replaceAll(secret, "(sensitive)"), text);
    return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean;
  };
}

/** The longest first: one secret may be part of another. */
function secretTexts(token: string | undefined, body: Json | undefined): string[] {
  const secrets = [token ?? "", ...(body === undefined ? [] : secretsIn(body, false))]
    .flatMap(formsOf)
    .filter((secret) => secret.length >= SHORTEST_SECRET);
  return [...new Set(secrets)].sort((a, b) => b.length - a.length);
}

function secretsIn(value: Json, secret: boolean): string[] {
  if (typeof value === "string" || typeof value === "number") return secret ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, secret));
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, secret || SECRET_KEYS.has(key)));
}

function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 16);
  return [secret, escaped, encodeURIComponent(secret), ...lines];
}
