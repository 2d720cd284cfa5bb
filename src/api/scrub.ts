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
 * A scrub for one request: the token and every secret value of its body are replaced, also where the cloud echoes them
 * escaped, encoded or decoded, whole or one line at a time. Text is cut at 1,000 characters.
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

/** All that an error may show of a secret: the cloud, and what is in front of it, write into JSON, HTML, forms and URLs. */
function formsOf(secret: string): string[] {
  const decoded = decodedText(secret);
  const parts = secret.includes("\n") ? linesOf(secret) : [];
  if (decoded !== undefined) parts.push(decoded, decoded.trim(), ...linesOf(decoded));
  return [...[secret, ...parts].flatMap(writtenForms), ...inBase64(secret)];
}

function writtenForms(text: string): string[] {
  const inURL = encodeURIComponent(text);
  // What `encodeURIComponent` leaves, others encode.
  const allInURL = inURL.replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const inForm = new URLSearchParams({ text }).toString().slice("text=".length);
  const inURLs = [inURL, allInURL, inForm, inURL.replaceAll("%20", "+"), allInURL.replaceAll("%20", "+")];
  return [text, JSON.stringify(text).slice(1, -1), ...inURLs, ...inHtml(text)];
}

/** Quotes need no escape in the text of HTML; of a single one there are three. */
function inHtml(text: string): string[] {
  const plain = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = plain.replaceAll('"', "&quot;");
  return [plain, quoted, ...["&#39;", "&#039;", "&#x27;"].map((quote) => quoted.replaceAll("'", quote))];
}

/** The base64 of fewer bytes, and shorter parts of a text, are found by chance in what is no secret. */
const SHORTEST_PART = 8;

function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  if (bytes.length < SHORTEST_PART) return [];
  const text = bytes.toString("base64");
  return [text, text.replaceAll("=", ""), bytes.toString("base64url")];
}

/** What a secret is the base64 of, such as user data, where that is text. */
function decodedText(secret: string): string | undefined {
  const bytes = Buffer.from(secret, "base64");
  if (bytes.length < SHORTEST_PART || bytes.toString("base64") !== secret) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Text has none of these. */
const CONTROL = /[^\P{Cc}\t\r\n]/u;

/** A name of a field and its value, as in YAML, a script, or the settings of a program. */
const NAMED_VALUE = /^(?:- |export )?[\w."'][\w."'-]*\s*[:=]\s*(.*)$/;

/**
 * The lines of a text, and the values on them: who checks user data names one of the two. Comments are among them, for they
 * may hold what was in use. Left out is what says nothing and is needed to understand an error: a first line that names
 * the format (`#cloud-config`, `#!/bin/sh`), and a line that has just the name of a field (`write_files:`).
 */
function linesOf(text: string): string[] {
  const [first = "", ...rest] = text.split("\n").map((line) => line.trim());
  const lines = /^#(!.*|[a-z-]+)$/.test(first) ? rest : [first, ...rest];
  return lines.flatMap(partsOf).filter((part) => part.length >= SHORTEST_PART);
}

function partsOf(line: string): string[] {
  if (/^(- )?[a-z_]+:$/.test(line)) return [];
  const [, value = ""] = NAMED_VALUE.exec(line) ?? [];
  return [line, value.replaceAll(/^["']|["']$/g, "")];
}
