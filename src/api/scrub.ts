import { folded, foldedReading, readingsOf, withoutEscapes } from "./reading.ts";
import { createRuns, shortestRun } from "./runs.ts";
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

/** So much of a response is looked through, and of one text half of it: nothing else is shown. */
const LONGEST_READ = 8_000;

/** A text that is cut before it is looked through may end within a secret: so much before that is not shown. */
const LONGEST_CUT = 500;

/**
 * A scrub for one request: of the token and every secret value of its body nothing is left in a text that the cloud echoes them
 * in, escaped in whatever way. Text is cut at 1,000 characters.
 *
 * A value, or a line of one, that is there as a whole is replaced. So is each word with eight characters in a row that a secret has,
 * whatever their case: an echo may be shortened, masked or wrapped. Shorter parts are found in any text by chance.
 */
export function scrubFor(token: string | undefined, body: Json | undefined): Scrub {
  let known: Known | undefined;
  let left = LONGEST_READ;
  return (text) => {
    // Most answers are good, and nothing of them is ever shown.
    known ??= knownOf([token ?? "", ...(body === undefined ? [] : secretsIn(body, false))]);
    const read = text.slice(0, Math.min(left, LONGEST_READ / 2));
    left -= read.length;
    const clean = withoutRuns(withoutWhole(read, known), known);
    const shown = read === text ? clean : withoutCut(clean);
    return read === text && shown.length <= LONGEST_TEXT ? shown : `${shown.slice(0, LONGEST_TEXT)}…`;
  };
}

/** Without the end of a text that was cut there; of a word that is taken out as a whole the rest is, too. */
function withoutCut(clean: string): string {
  if (clean.endsWith(MARK)) return clean.replace(/\S*\(sensitive\)$/, MARK);
  return clean.slice(0, Math.max(0, clean.length - LONGEST_CUT));
}

interface Known {
  /** Secrets and their lines. */
  whole: string[];
  /** Whether one of them, or one that is encoded, has this run of folded characters. */
  hasRun: (run: string) => boolean;
}

function knownOf(secrets: string[]): Known {
  const texts = secrets.flatMap((secret) => [secret, decodedText(secret) ?? ""]);
  const forms = texts.flatMap((text) => [text, text.trim(), ...linesOf(text)]);
  const whole = [...new Set(forms.flatMap((form) => [form, withoutEscapes(form)]))];
  // Of several lines, each is a form too, but for those that say nothing.
  const lines = whole.filter((form) => !form.includes("\n"));
  return {
    whole: whole.filter(({ length }) => length >= SHORTEST_SECRET),
    hasRun: createRuns([...lines, ...texts.flatMap(encoded)].map(folded)),
  };
}

function withoutWhole(text: string, { whole }: Known): string {
  const isSecret = new Uint8Array(text.length);
  for (const reading of readingsOf(text))
    for (const secret of whole.filter(mayBeIn(reading.text)))
      for (let at = reading.text.indexOf(secret); at >= 0; at = reading.text.indexOf(secret, at + 1))
        isSecret.fill(1, reading.from[at], reading.to[at + secret.length - 1]);
  return replaced(text, isSecret, /[^]/g);
}

/** User data has thousands of lines: of those that are not there few are searched for. */
function mayBeIn(text: string): (secret: string) => boolean {
  const runs = new Set(Array.from({ length: text.length }, (_, at) => text.slice(at, at + shortestRun)));
  return (secret) =>
    secret.length < shortestRun || (runs.has(secret.slice(0, shortestRun)) && runs.has(secret.slice(-shortestRun)));
}

function withoutRuns(text: string, { hasRun }: Known): string {
  const isSecret = new Uint8Array(text.length);
  for (const { text: plain, from, to } of readingsOf(text).map(foldedReading))
    for (let at = 0; at + shortestRun <= plain.length; at += 1)
      if (hasRun(plain.slice(at, at + shortestRun))) isSecret.fill(1, from[at], to[at + shortestRun - 1]);
  // What is beside a part of a secret is another part of it, but for the end of a sentence.
  return replaced(text, isSecret, /\s+|\S+?(?=[.,;:]?(?:\s|$))/g);
}

const CUT = "\0";
const MARK = "(sensitive)";

/** Without each `part` of the text that has a character of a secret: several in a row leave one mark. */
function replaced(text: string, isSecret: Uint8Array, part: RegExp): string {
  const isCut = (one: string, index: number) => isSecret.subarray(index, index + one.length).includes(1);
  const cut = text.replaceAll(part, (one: string, index: number) => (isCut(one, index) ? CUT : one));
  return cut.replaceAll(/\0+/g, MARK);
}

function secretsIn(value: Json, secret: boolean): string[] {
  if (typeof value === "string" || typeof value === "number") return secret ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, secret));
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, secret || SECRET_KEYS.has(key)));
}

/** In hex, and in base64, where it may begin at any of the three bytes that four characters stand for. */
function encoded(secret: string): string[] {
  const bytes = Buffer.from(secret);
  if (bytes.length < shortestRun) return [];
  const inBase64 = (before: number) => Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  // The first character of what is shifted is of two bytes.
  return [bytes.toString("hex"), inBase64(0), inBase64(1).slice(2), inBase64(2).slice(3)];
}

/** What a secret is the base64 of, such as user data, where that is text. */
function decodedText(secret: string): string | undefined {
  const bytes = Buffer.from(secret, "base64");
  if (bytes.length < shortestRun || bytes.toString("base64") !== secret) return undefined;
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
 * the format (`#cloud-config`, `#!/bin/sh`), a line that has just the name of a field (`write_files:`), and the first and
 * the last of a PEM block.
 */
function linesOf(text: string): string[] {
  const [first = "", ...rest] = text.split("\n").map((line) => line.trim());
  const lines = /^#(!.*|[a-z-]+)$/.test(first) ? rest : [first, ...rest];
  return lines.flatMap(partsOf).filter((part) => part.length >= shortestRun);
}

function partsOf(line: string): string[] {
  if (/^(- )?[a-z_]+:$|^-----(BEGIN|END) [A-Z ]+-----$/.test(line)) return [];
  const [, value = ""] = NAMED_VALUE.exec(line) ?? [];
  return [line, value.replaceAll(/^["']|["']$/g, "")];
}
