/**
 * Reads the text of a large list row by row, in slices. Parsing sixteen million characters in one step would block the
 * event loop for every tenant.
 */
import { createHash } from "node:crypto";
import { sliceCost } from "./slices.ts";
import type { Sliced } from "./slices.ts";
import type { Json, JsonObject } from "./types.ts";

/** Shorter texts are parsed in one step, characters. */
export const mostParsedAtOnce = 65_536;

/** Most characters of one row. The largest firewall has 301,000. */
const mostRowCharacters = 524_288;

/** Most rows of a response, and most other members of the object. A page has 500 rows. */
const mostRows = 10_000;
const mostMembers = 100;

/** Shortest row with a digest, characters. For a shorter row, parsing costs no more than a digest. */
const leastDigested = 16_384;

const digests = new WeakMap<JsonObject, string>();

/**
 * Returns a digest of the text of a large row: rows with equal digests are equal. Returns undefined for a small row.
 */
export function digestOf(row: JsonObject): string | undefined {
  return digests.get(row);
}

/**
 * Parses an object with a list `data`, and translates each row. Returns undefined for every other text.
 *
 * @throws RangeError if a row or a member is too long for one turn of the event loop, or if the list has too many rows
 */
export function* parsedList(text: string, translate: (value: Json) => Json): Sliced<Json | undefined> {
  const start = pastSpace(text, 0);
  if (text.charCodeAt(start) !== code("{")) return undefined;
  const place = yield* placeOfData(text, start + 1);
  if (!place) return undefined;
  const rows: Json[] = [];
  for (const [from, to] of place.elements) {
    const part = text.slice(from, to);
    const row = parse(part);
    if (row === undefined) return undefined;
    const translated = translate(row);
    if (
      part.length >= leastDigested &&
      typeof translated === "object" &&
      translated !== null &&
      !Array.isArray(translated)
    )
      digests.set(translated, createHash("sha256").update(part).digest("base64"));
    rows.push(translated);
    yield part.length;
  }
  const envelope = parse(`${text.slice(0, place.from)}[]${text.slice(place.to)}`);
  return envelope === undefined ? undefined : { ...(translate(envelope) as JsonObject), data: rows };
}

interface Place {
  /** Position of the list in the text: `[from, to[`. */
  from: number;
  to: number;
  elements: [from: number, to: number][];
}

function* placeOfData(text: string, start: number): Sliced<Place | undefined> {
  let at = pastSpace(text, start);
  for (let members = 0; members < mostMembers; members += 1) {
    const key = pastString(text, at);
    if (key === undefined) return undefined;
    const separator = pastSpace(text, key);
    if (text.charCodeAt(separator) !== code(":")) return undefined;
    const value = pastSpace(text, separator + 1);
    if (text.slice(at, key) === '"data"') {
      return text.charCodeAt(value) === code("[") ? yield* elementsOf(text, value) : undefined;
    }
    const end = yield* pastValue(text, value);
    if (end === undefined) return undefined;
    const next = pastSpace(text, end);
    if (text.charCodeAt(next) !== code(",")) return undefined;
    at = pastSpace(text, next + 1);
  }
  return undefined;
}

function* elementsOf(text: string, from: number): Sliced<Place | undefined> {
  const elements: Place["elements"] = [];
  let at = pastSpace(text, from + 1);
  if (text.charCodeAt(at) === code("]")) return { from, to: at + 1, elements };
  for (;;) {
    const end = yield* pastValue(text, at);
    if (end === undefined) return undefined;
    if (elements.length === mostRows) throw new RangeError(`has more than ${mostRows} rows in one response`);
    elements.push([at, end]);
    const next = pastSpace(text, end);
    const separator = text.charCodeAt(next);
    if (separator === code("]")) return { from, to: next + 1, elements };
    if (separator !== code(",")) return undefined;
    at = pastSpace(text, next + 1);
  }
}

/**
 * Returns the position behind a value without parsing the value. Returns undefined if the text ends before the value.
 */
function* pastValue(text: string, from: number): Sliced<number | undefined> {
  let depth = 0;
  let nextSlice = from + sliceCost;
  for (let at = from; at < text.length;) {
    if (at > nextSlice) {
      if (at - from > mostRowCharacters) throw new RangeError(`has a row of more than ${mostRowCharacters} characters`);
      yield at - nextSlice + sliceCost;
      nextSlice = at + sliceCost;
    }
    const character = text.charCodeAt(at);
    if (character === code('"')) {
      const end = pastString(text, at);
      if (end === undefined || depth === 0) return end;
      at = end;
      continue;
    }
    const opens = character === code("{") || character === code("[");
    const closes = character === code("}") || character === code("]");
    // The next character ends a number or a word.
    if (depth === 0 && !opens && (closes || character === code(",") || isSpace(character)))
      return at > from ? at : undefined;
    depth += Number(opens) - Number(closes);
    at += 1;
    if (depth === 0 && closes) return at;
  }
  return undefined;
}

function pastString(text: string, from: number): number | undefined {
  if (text.charCodeAt(from) !== code('"')) return undefined;
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === code("\\")) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return undefined;
}

function pastSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(character: number): boolean {
  return character === 32 || character === 10 || character === 13 || character === 9;
}

function code(character: string): number {
  return character.charCodeAt(0);
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
