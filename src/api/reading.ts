/**
 * Text as it reads without its escapes, and where each character of that stands in the text: what has been escaped for JSON, URLs,
 * HTML or a program, once or several times, is found by comparing plain characters.
 */
import { sliceCost } from "./slices.ts";
import type { Sliced } from "./slices.ts";

export interface Reading {
  text: string;
  /** For each character, what it was written as: `[from, to[` in the text that was read first. */
  from: number[];
  to: number[];
}

/** Nobody escapes so often; what means nothing but layers would take long. */
const mostLayers = 8;

/** The text as it is, then with one more layer of escapes taken off, until there is none. */
export function readingsOf(text: string): Reading[] {
  const readings = [plainReading(text)];
  for (const last of readings) {
    const next = rewritten(last, ESCAPE, unescaped);
    if (next.text !== last.text && readings.length <= mostLayers) readings.push(next);
  }
  return readings;
}

/** Returns a text without any escapes. */
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

/** To take off an escape costs as much as to look at so many characters. */
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

/** Without case, and without the characters that escapes, wrapped lines, dumps and the alphabets of base64 add or exchange. */
export function foldedReading(reading: Reading): Reading {
  const folded = rewritten(reading, IGNORED, () => "");
  return { ...folded, text: folded.text.toLowerCase() };
}

/** The same of a text alone. */
export function folded(text: string): string {
  return text.replaceAll(IGNORED, "").toLowerCase();
}

function plainReading(text: string): Reading {
  const from = Array.from(text.split(""), (_, index) => index);
  return { text, from, to: from.map((index) => index + 1) };
}

/** The last of them is longer in small letters. */
const IGNORED = /[\s\p{C}\\"'`+/=_:\-\u0130]/gu;

/** Bytes and characters by number, one character behind a backslash, those that HTML names, and the space of a form. */
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

/** Bytes are UTF-8, where they can be. */
function textOf(bytes: number[]): string {
  try {
    return utf8.decode(Uint8Array.from(bytes));
  } catch {
    return bytes.map((byte) => String.fromCharCode(byte)).join("");
  }
}

/** Each match by what it stands for, which has the place of the whole match. */
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
