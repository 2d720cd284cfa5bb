import type { Json, JsonObject } from "./types.ts";

/**
 * The cloud's brand word at the edge (not-shown section 7): everything on our side speaks `compute`.
 * Only identifiers are translated; labels, descriptions, free-form data and names that users chose never are.
 */
export interface Brand {
  /** Our path → the wire's. */
  path(path: string): string;
  /** A body or a filter of ours for `path` → the wire's. */
  toWire(value: JsonObject, path: string): JsonObject;
  /** The wire's answer for `path` → ours. */
  fromWire(value: Json, path: string): Json;
  /** The field of an error, a dotted path. */
  field(field: string): string;
  /** The text of an error, where it speaks of a busy instance (not-shown section 8). */
  reason(text: string): string;
  /** Scopes of the token as a header lists them. */
  scopes(list: string): string[];
}

/** The translation for one brand word; `compute` translates nothing and costs nothing. */
export function createBrand(word: string): Brand {
  if (word === NEUTRAL) {
    return { path: same, toWire: same, fromWire: same, field: same, reason: same, scopes: splitScopes };
  }
  const out = wordsFor(NEUTRAL, word);
  const back = wordsFor(word, NEUTRAL);
  return {
    path: (path) => translatePath(path, out),
    toWire: (value, path) => (path === FREE_FORM_PATH ? value : translateObject(value, out, "")),
    fromWire: (value, path) => (path === FREE_FORM_PATH ? value : translate(value, back, "")),
    field: (field) => translateField(field, back),
    reason: (text) => text.replaceAll(`${capitalised(word)} busy.`, `${capitalised(NEUTRAL)} busy.`),
    scopes: (list) => splitScopes(translateScopes(list, back)),
  };
}

const NEUTRAL = "compute";

/** What is stored there is the user's own data, as are the values of these keys. */
const FREE_FORM_PATH = "/profile/preferences";
const FREE_FORM = new Set(["stackscript_data"]);

interface Words {
  from: string;
  to: string;
  keys: ReadonlyMap<string, string>;
}

function wordsFor(from: string, to: string): Words {
  const keys = new Map([
    [from, to],
    [`${from}s`, `${to}s`],
    [`${from}_id`, `${to}_id`],
    [`${from}_label`, `${to}_label`],
    [`add_${from}s`, `add_${to}s`],
  ]);
  return { from, to, keys };
}

/** `/compute/…` and the prefix of a kernel's or image's id; a bucket, tag or domain may be called `compute` and stays. */
function translatePath(path: string, words: Words): string {
  const { from, to } = words;
  const [, area, list] = path.split(/[/?]/);
  const whole = area === from ? `/${to}${path.slice(from.length + 1)}` : path;
  const identified =
    area === "images" ? "/images/" : area === from && list === "kernels" ? `/${to}/kernels/` : undefined;
  if (identified === undefined || !whole.startsWith(identified)) return whole;
  const id = whole.slice(identified.length);
  const hasPrefix = id.startsWith(`${from}/`) || id.toLowerCase().startsWith(`${from}%2f`);
  return hasPrefix ? identified + to + id.slice(from.length) : whole;
}

function translate(value: Json, words: Words, key: string): Json {
  if (typeof value === "string") return translateText(value, words, key);
  if (Array.isArray(value)) return value.map((item) => translate(item, words, key));
  if (value === null || typeof value !== "object" || FREE_FORM.has(key)) return value;
  return translateObject(value, words, key);
}

function translateObject(object: JsonObject, words: Words, key: string): JsonObject {
  const entries = Object.entries(object).map(([name, value]): [string, Json] => {
    // An operator of a filter (`+neq`, `+or`) compares what the field around it means.
    const meaning = name.startsWith("+") && name !== "+order_by" ? key : name;
    return [translateField(name, words), translate(value, words, meaning)];
  });
  return Object.fromEntries(entries);
}

function translateText(text: string, words: Words, key: string): string {
  const { from, to } = words;
  switch (key) {
    case "id":
    case "image":
    case "kernel":
      return text.startsWith(`${from}/`) ? to + text.slice(from.length) : text;
    case "action":
    case "type":
    case "entity.type":
      return text === from || text.startsWith(`${from}_`) ? to + text.slice(from.length) : text;
    case "url":
      return text.replace(new RegExp(`^(/v4(?:beta)?)/${from}/`), `$1/${to}/`);
    case "+order_by":
      return translateField(text, words);
    case "scopes":
      return translateScopes(text, words);
    default:
      return text;
  }
}

/** Each part of a dotted path by itself: `devices.computes[0]`. */
function translateField(field: string, { keys }: Words): string {
  return keys.get(field) ?? field.replaceAll(/[^.[\]]+/g, (part) => keys.get(part) ?? part);
}

/** The scope is plural on the wire, except with the neutral word itself. */
function translateScopes(list: string, { from, to }: Words): string {
  const scope = (word: string) => (word === NEUTRAL ? word : `${word}s`);
  return list.replaceAll(new RegExp(`(?<![\\w-])${scope(from)}:`, "g"), `${scope(to)}:`);
}

function splitScopes(list: string): string[] {
  return list.split(/[\s,]+/).filter((scope) => scope !== "");
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function same<T>(value: T): T {
  return value;
}
