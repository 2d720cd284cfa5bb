import type { Clock } from "../queue/clock.ts";
import { createAutomaton } from "./automaton.ts";
import { readingsOf } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { base64Parts, createRuns, foldedParts, hexParts, shortestRun } from "./runs.ts";
import { formsOf, secretsIn } from "./secret-forms.ts";
import type { SecretForms } from "./secret-forms.ts";
import { inSlices } from "./slices.ts";
import type { Sliced } from "./slices.ts";
import type { Json } from "./types.ts";

/** Removes the secrets of a request from the texts of the response, which appear in conditions, events and logs. */
export type Scrub = (texts: string[]) => Promise<string[]>;

const SHORTEST_SECRET = 3;
const LONGEST_TEXT = 1_000;

/** Characters that the scrub reads of a response, and half as many of a text. The scrub does not show the rest. */
const LONGEST_READ = 8_000;

/** Characters before a cut that the scrub does not show: the cut may be inside a secret. */
const LONGEST_CUT = 500;

/**
 * Returns a scrub for one request. The scrub removes the token and every secret value of the body from the response, with
 * any escapes. The scrub cuts each text at 1,000 characters.
 *
 * The scrub replaces a whole secret and a whole line of a secret. The scrub also replaces each word that shares eight
 * characters in a row with a secret, because a response may shorten, mask or wrap a secret. Shorter parts remain: any text
 * has short parts of a secret by chance.
 *
 * The work grows with the sum of response and secrets. The scrub first cuts the texts, then indexes the texts, then reads
 * each secret once for each of the two indices. The work runs in slices, and does not delay other requests.
 */
export function scrubFor(token: string | undefined, body: Json | undefined, clock: Clock): Scrub {
  // Most responses succeed, and the operator shows no text of a success.
  return (texts) => inSlices(clock, scrubbed(texts, { token, body }));
}

interface Sent {
  token: string | undefined;
  body: Json | undefined;
}

function* scrubbed(texts: string[], { token = "", body = null }: Sent): Sliced<string[]> {
  const read = cutAll(texts);
  const secrets: SecretForms[] = [];
  for (const secret of [token, ...secretsIn(body)]) secrets.push(yield* formsOf(secret));
  const clean = yield* withoutRuns(yield* withoutWhole(read, secrets), secrets);
  return texts.map((text, index) => {
    const isWhole = read[index] === text;
    const shown = isWhole ? (clean[index] ?? "") : withoutCut(clean[index] ?? "");
    return isWhole && shown.length <= LONGEST_TEXT ? shown : `${shown.slice(0, LONGEST_TEXT)}…`;
  });
}

function cutAll(texts: string[]): string[] {
  let left = LONGEST_READ;
  return texts.map((text) => {
    const read = text.slice(0, Math.min(left, LONGEST_READ / 2));
    left -= read.length;
    return read;
  });
}

/** Removes the end of a cut text, and the last word if a part of the word was secret. */
function withoutCut(clean: string): string {
  if (!clean.endsWith(MARK)) return clean.slice(0, Math.max(0, clean.length - LONGEST_CUT));
  let end = clean.length - MARK.length;
  while (end > 0 && !/\s/.test(clean.charAt(end - 1))) end -= 1;
  return clean.slice(0, end) + MARK;
}

function* readingsOfAll(texts: string[]): Sliced<Reading[][]> {
  const all: Reading[][] = [];
  for (const text of texts) {
    const readings = readingsOf(text);
    all.push(readings);
    yield readings.length * text.length * 16;
  }
  return all;
}

function* withoutWhole(texts: string[], secrets: SecretForms[]): Sliced<string[]> {
  const all = yield* readingsOfAll(texts);
  const automaton = yield* createAutomaton(unitsOf(all.flat()));
  for (const { whole } of secrets) {
    let cost = 0;
    for (const form of whole) if (form.length >= SHORTEST_SECRET) cost += automaton.find(form) * 8;
    yield cost + whole.length;
  }
  const longest = automaton.longest();
  let at = 0;
  return texts.map((text, index) => {
    const isSecret = new Uint8Array(text.length);
    for (const reading of all[index] ?? []) {
      for (let end = 0; end < reading.text.length; end += 1, at += 1) {
        const length = longest[at] ?? 0;
        if (length > 0) isSecret.fill(1, reading.from[end - length + 1], reading.to[end]);
      }
      // Skips the border behind the reading.
      at += 1;
    }
    return replaced(text, isSecret, (all) => all.split(""));
  });
}

/** Returns the characters of all readings. A border that no form contains follows each reading. */
function unitsOf(readings: Reading[]): Int32Array {
  const units = new Int32Array(readings.reduce((sum, { text }) => sum + text.length + 1, 0));
  let at = 0;
  for (const [index, { text }] of readings.entries()) {
    for (let of = 0; of < text.length; of += 1) units[at++] = text.charCodeAt(of);
    units[at++] = 0x1_00_00 + index;
  }
  return units;
}

function* withoutRuns(texts: string[], secrets: SecretForms[]): Sliced<string[]> {
  const runs = yield* createRuns(yield* readingsOfAll(texts));
  for (const { texts: plain, lines } of secrets) {
    for (const line of lines) yield* runs.scan(foldedParts(line));
    for (const text of plain) {
      const bytes = Buffer.from(text);
      // Any text has the few encoded characters of a short secret.
      if (bytes.length < shortestRun) continue;
      yield* runs.scan(hexParts(bytes));
      for (const shift of [0, 1, 2] as const) yield* runs.scan(base64Parts(bytes, shift));
    }
  }
  const found = yield* runs.found();
  return texts.map((text, index) => replaced(text, found[index] ?? new Uint8Array(0), wordsOf));
}

/** Returns words, spaces and the ends of sentences. A word that contains a part of a secret is secret as a whole. */
function wordsOf(text: string): string[] {
  return (text.match(/\s+|\S+/g) ?? []).flatMap((word) =>
    /^\S+[.,;:]$/.test(word) ? [word.slice(0, -1), word.slice(-1)] : [word],
  );
}

const CUT = "\0";
const MARK = "(sensitive)";

/** Replaces each part of the text that has a character of a secret. Adjacent parts leave one mark. */
function replaced(text: string, isSecret: Uint8Array, partsOf: (text: string) => string[]): string {
  let at = 0;
  const shown = partsOf(text).map((part) => {
    const isCut = isSecret.subarray(at, at + part.length).includes(1);
    at += part.length;
    return isCut ? CUT : part;
  });
  return shown.join("").replaceAll(/\0+/g, MARK);
}
