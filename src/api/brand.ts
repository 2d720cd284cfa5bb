import type { Json, JsonObject } from "./types.ts";

/**
 * Translates the brand word of the cloud (not-shown section 7). The operator uses `compute` everywhere else. Translates
 * identifiers only, never labels, descriptions, free-form data or names chosen by users.
 */
export interface Brand {
  /** Translates a path for a request. */
  path(path: string): string;
  /** Translates a body or a filter for a request to `path`. */
  toWire(value: JsonObject, path: string): JsonObject;
  /** Translates the response from `path`. */
  fromWire(value: Json, path: string): Json;
  /** Translates the field of an error, a dotted path. */
  field(field: string): string;
  /** Translates the text of an error about a busy instance (not-shown section 8). */
  reason(text: string): string;
  /** Splits and translates the token scopes in a header. */
  scopes(list: string): string[];
}

/** Creates the translation for one brand word. Returns values unchanged for `compute`. */
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

/** This path and the values of these keys contain data of users. */
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

/** Translates `/compute/…` and the prefix of kernel and image IDs, but no bucket, tag or domain named `compute`. */
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
    // An operator of a filter (`+neq`, `+or`) compares values of the field around the operator.
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

/** Translates each part of a dotted path: `devices.computes[0]`. */
function translateField(field: string, { keys }: Words): string {
  return keys.get(field) ?? field.replaceAll(/[^.[\]]+/g, (part) => keys.get(part) ?? part);
}

/** The scope is plural in the API, except for the neutral word. */
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
