/**
 * A text without its escapes, with the original position of each character. The scrub compares plain characters to find
 * secrets that were escaped once or several times, for JSON, URLs, HTML or a program.
 */
import { sliceCost } from "./slices.ts";
import type { Sliced } from "./slices.ts";

export interface Reading {
  text: string;
  /** The original range of each character: `[from, to[`. */
  from: number[];
  to: number[];
}

/** Most layers of escapes. A text made only of layers would take long. */
const mostLayers = 8;

/** Returns the text, then the text with one, two or more layers of escapes removed. */
export function readingsOf(text: string): Reading[] {
  const readings = [plainReading(text)];
  for (const last of readings) {
    const next = rewritten(last, ESCAPE, unescaped);
    if (next.text !== last.text && readings.length <= mostLayers) readings.push(next);
  }
  return readings;
}

export function* withoutEscapes(text: string): Sliced<string> {
  let last = text;
  for (let layer = 0; layer <= mostLayers; layer += 1) {
    if (!/[%\\&+]/.test(last)) break;
    const next = yield* withoutOneLayer(last);
    if (next === last) break;
    last = next;
  }
  return last;
}

/** Removing an escape costs as much as reading so many characters. */
const escapeCost = 64;

function* withoutOneLayer(text: string): Sliced<string> {
  const parts: string[] = [];
  let at = 0;
  let cost = 0;
  for (const { 0: match, index } of text.matchAll(ESCAPE)) {
    parts.push(text.slice(at, index), unescaped(match));
    cost += index + match.length - at + escapeCost;
    at = index + match.length;
    if (cost < sliceCost) continue;
    yield cost;
    cost = 0;
  }
  return at === 0 ? text : parts.join("") + text.slice(at);
}

/**
 * Returns the text in lower case, without the characters that escapes, wrapped lines, dumps and base64 alphabets add or
 * exchange.
 */
export function foldedReading(reading: Reading): Reading {
  const folded = rewritten(reading, IGNORED, () => "");
  return { ...folded, text: folded.text.toLowerCase() };
}

/** Folds a text without positions. */
export function folded(text: string): string {
  return text.replaceAll(IGNORED, "").toLowerCase();
}

function plainReading(text: string): Reading {
  const from = Array.from(text.split(""), (_, index) => index);
  return { text, from, to: from.map((index) => index + 1) };
}

/** `\u0130` becomes longer in lower case. */
const IGNORED = /[\s\p{C}\\"'`+/=_:\-\u0130]/gu;

/** Bytes and characters by number, a character after a backslash, HTML names, and the space of a form. */
const ESCAPE =
  /(?:%[0-9a-f]{2})+|(?:\\x[0-9a-f]{2})+|(?:\\[0-3][0-7]{2})+|[\\%]u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\[^]|&#\d{1,7};|&#x[0-9a-f]{1,6};|&(?:amp|apos|gt|lt|nbsp|quot);|\+/gi;

const NAMED: Record<string, string> = {
  "&amp;": "&",
  "&apos;": "'",
  "&gt;": ">",
  "&lt;": "<",
  "&nbsp;": " ",
  "&quot;": '"',
  "+": " ",
  "\\b": "\b",
  "\\f": "\f",
  "\\n": "\n",
  "\\r": "\r",
  "\\t": "\t",
};

function unescaped(escape: string): string {
  const named = NAMED[escape.toLowerCase()];
  if (named !== undefined) return named;
  if (/^\\[0-3][0-7]{2}/.test(escape)) return textOf(numbersIn(escape, /[0-7]{3}/g, 8));
  if (/^(?:%|\\x)[0-9a-f]{2}/i.test(escape)) return textOf(numbersIn(escape, /[0-9a-f]{2}/gi, 16));
  if (/^.[u#]./i.test(escape)) {
    const [number = NaN] = /^&#\d/.test(escape) ? numbersIn(escape, /\d+/g, 10) : numbersIn(escape, /[0-9a-f]+/gi, 16);
    return number <= 0x10_ff_ff ? String.fromCodePoint(number) : "";
  }
  return escape.slice(1);
}

function numbersIn(escape: string, digits: RegExp, radix: number): number[] {
  return Array.from(escape.match(digits) ?? [], (number) => Number.parseInt(number, radix));
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes bytes as UTF-8, or as Latin-1 if the bytes are not valid UTF-8. */
function textOf(bytes: number[]): string {
  try {
    return utf8.decode(Uint8Array.from(bytes));
  } catch {
    return bytes.map((byte) => String.fromCharCode(byte)).join("");
  }
}

/** Replaces each match. Each new character has the range of the match. */
function rewritten({ text, from, to }: Reading, pattern: RegExp, by: (match: string) => string): Reading {
  const units: string[] = [];
  const result = { from: [] as number[], to: [] as number[] };
  const add = (part: string, first: number, last: number): void => {
    for (const unit of part.split("")) {
      units.push(unit);
      result.from.push(from[first] ?? 0);
      result.to.push(to[last] ?? 0);
    }
  };
  let at = 0;
  const keepUntil = (end: number): void => {
    for (; at < end; at += 1) add(text.charAt(at), at, at);
  };
  for (const { 0: match, index } of text.matchAll(pattern)) {
    keepUntil(index);
    at += match.length;
    add(by(match), index, at - 1);
  }
  keepUntil(text.length);
  return { ...result, text: units.join("") };
}
