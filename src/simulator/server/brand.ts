/**
 * Translates the brand word (not-shown section 7) in requests and responses. Code inside the simulator uses only `compute`.
 * The word appears in path segments, `{word}_id`, `{word}_label`, `{word}s`, scopes, grants, ID prefixes, event
 * actions, entity types and capabilities.
 */
export interface Brand {
  readonly word: string;
  /** The word in labels, such as `Compute`. */
  readonly title: string;
  /** Translates a request path to the neutral word. */
  inboundPath(path: string): string;
  /** Translates a request body, or the object in an `X-Filter`. */
  inbound(value: unknown): unknown;
  /** Translates a response, including errors. */
  outbound(value: unknown): unknown;
  /** Translates a space-separated list of scopes in a header. */
  outboundScopes(scopes: string): string;
}

/** Returns the translator of a brand word. With the word `compute`, values stay unchanged. */
export function brandFor(word: string): Brand {
  if (word === "compute") {
    const same = <T>(value: T) => value;
    return { word, title: capitalised(word), inboundPath: same, inbound: same, outbound: same, outboundScopes: same };
  }
  const inward = wordsFor(word, "compute");
  const outward = wordsFor("compute", word);
  return {
    word,
    title: capitalised(word),
    inboundPath: (path) => (path.split(/[/?]/)[2] === "compute" ? UNKNOWN_PATH : translatePath(path, inward)),
    inbound: (value) => translate(value, inward, ""),
    outbound: (value) => translate(value, outward, ""),
    outboundScopes: (scopes) => translateScopes(scopes, outward),
  };
}

/** A path without an operation, for requests with the neutral word. A service has routes only for the brand word. */
const UNKNOWN_PATH = "/v4/other-word";

interface Words {
  from: string;
  to: string;
  keys: Map<string, string>;
}

function wordsFor(from: string, to: string): Words {
  const shapes = [
    (w: string) => w,
    (w: string) => `${w}s`,
    (w: string) => `${w}_id`,
    (w: string) => `${w}_label`,
    (w: string) => `add_${w}s`,
    (w: string) => `maximum_${w}s_per_pg`,
    (w: string) => `maximum_${w}s_per_flexible_pg`,
  ];
  return { from, to, keys: new Map(shapes.map((shape) => [shape(from), shape(to)])) };
}

/**
 * Translates the segment after the version, and IDs of kernels and images. A bucket or tag with the name of the word
 * stays unchanged.
 */
function translatePath(path: string, words: Words): string {
  const { from, to } = words;
  const [before = "", ...query] = path.split("?");
  const segments = before.split("/");
  const translated = segments.map((segment, index) => {
    const [parent = "", list] = [segments[index - 1], segments[index - 2]];
    const isIdentifier = ["kernels", "images"].includes(parent);
    if (segment === from) return index === 2 || isIdentifier ? to : segment;
    if (list === "kernels" && parent === from) return translateBuild(segment, words);
    if (!isIdentifier || !segment.toLowerCase().startsWith(`${from}%2f`)) return segment;
    return translateBuild(to + segment.slice(from.length), words);
  });
  return [translated.join("/"), ...query].join("?");
}

function translate(value: unknown, words: Words, key: string): unknown {
  if (typeof value === "string") return translateText(value, words, key);
  if (Array.isArray(value)) return value.map((item) => translate(item, words, key));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      // A filter operator has no meaning alone. The field around the operator determines the meaning of the value.
      const meaning = name.startsWith("+") ? key : name;
      return [translateKey(name, words), translate(inner, words, meaning)];
    }),
  );
}

/** Translates the word in the build number of a kernel, such as `6.8.9-x86_64-compute164`. */
function translateBuild(id: string, { from, to }: Words): string {
  return id.replace(new RegExp(`-${from}(?=\\d+$)`), `-${to}`);
}

/** Translates a key, or a dotted path: the `field` of an error, `entity.type` of a filter. */
function translateKey(name: string, words: Words): string {
  return name
    .split(".")
    .map((part) => words.keys.get(part) ?? part)
    .join(".");
}

function translateText(text: string, words: Words, key: string): string {
  const { from, to } = words;
  switch (key) {
    case "id":
    case "image":
    case "kernel":
    case "maintenance_policy":
      return text.startsWith(`${from}/`) ? translateBuild(to + text.slice(from.length), words) : text;
    case "action":
      return text.startsWith(`${from}_`) ? to + text.slice(from.length) : text;
    case "billing_source":
    case "created_by":
    case "type":
    case "entity.type":
      return text === from || text === `${from}_config` ? to + text.slice(from.length) : text;
    case "field":
    case "+order_by":
      return translateKey(text, words);
    case "scopes":
      return translateScopes(text, words);
    case "url":
      return text.startsWith("/") ? translatePath(text, words) : text;
    case "reason":
      return translateReason(text, words);
    case "capabilities":
      return translateCapability(text, words);
    default:
      return text;
  }
}

/** Translates the word and the field names in the reason of an error. */
function translateReason(text: string, { from, to, keys }: Words): string {
  const named = text.replaceAll(/\b[a-z_]+\b/g, (word) => (word === from ? word : (keys.get(word) ?? word)));
  return named.replaceAll(new RegExp(`\\b${capitalised(from)}\\b`, "g"), capitalised(to));
}

/**
 * Translates a capability.
 * `Compute` and `GPU Computes` are plural under a brand: `Acmes`, `GPU Acmes` (not-shown section 3). `Compute Interfaces` is not.
 */
function translateCapability(text: string, { from, to }: Words): string {
  const [own, other] = [from, to].map((word) => (word === "compute" ? "Compute" : `${capitalised(word)}s`));
  if (text === own) return other ?? text;
  if (text.startsWith(`${capitalised(from)} `)) return capitalised(to) + text.slice(from.length);
  return text.endsWith(` ${capitalised(from)}s`) ? text.slice(0, -from.length - 1) + `${capitalised(to)}s` : text;
}

/** Translates scopes. A brand word is plural in a scope, the neutral word is not. */
function translateScopes(scopes: string, { from, to }: Words): string {
  const plural = (word: string) => (word === "compute" ? word : `${word}s`);
  return scopes
    .split(/([\s,]+)/)
    .map((scope) => (scope.startsWith(`${plural(from)}:`) ? plural(to) + scope.slice(plural(from).length) : scope))
    .join("");
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
