/**
 * The brand word (not-shown section 7), translated at the edge: everything inside the simulator speaks `compute`.
 * One word maps path segments, `{word}_id`, `{word}_label`, `{word}s`, scopes, grants, ID prefixes, event actions, entity types
 * and capabilities.
 */
export interface Brand {
  readonly word: string;
  /** The word as labels have it: `Compute`. */
  readonly title: string;
  /** A request path of the service → the neutral one. */
  inboundPath(path: string): string;
  /** A request body, or the object of an `X-Filter`. */
  inbound(value: unknown): unknown;
  /** An answer, errors included. */
  outbound(value: unknown): unknown;
  /** A space-separated list of scopes for a header. */
  outboundScopes(scopes: string): string;
}

/** The translator for a brand word; with the word `compute` nothing changes. */
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

/** A service answers only to its own word: no operation has this path. */
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

/** The segment after the version, and a kernel or image ID; a bucket or tag of that name stays what it is. */
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
      // The operators of a filter say nothing of their own: what they compare is the field around them.
      const meaning = name.startsWith("+") ? key : name;
      return [translateKey(name, words), translate(inner, words, meaning)];
    }),
  );
}

/** Kernels are numbered under the word: `6.8.9-x86_64-compute164`. */
function translateBuild(id: string, { from, to }: Words): string {
  return id.replace(new RegExp(`-${from}(?=\\d+$)`), `-${to}`);
}

/** Also dotted: the `field` of an error, and `entity.type` of a filter. */
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

/** The service's own name, and the fields that a reason names. */
function translateReason(text: string, { from, to, keys }: Words): string {
  const named = text.replaceAll(/\b[a-z_]+\b/g, (word) => (word === from ? word : (keys.get(word) ?? word)));
  return named.replaceAll(new RegExp(`\\b${capitalised(from)}\\b`, "g"), capitalised(to));
}

/** `Compute` and `GPU Computes` are plural under a brand: `Acmes`, `GPU Acmes` (not-shown section 3 calls them so), unlike `Compute Interfaces`. */
function translateCapability(text: string, { from, to }: Words): string {
  const [own, other] = [from, to].map((word) => (word === "compute" ? "Compute" : `${capitalised(word)}s`));
  if (text === own) return other ?? text;
  if (text.startsWith(`${capitalised(from)} `)) return capitalised(to) + text.slice(from.length);
  return text.endsWith(` ${capitalised(from)}s`) ? text.slice(0, -from.length - 1) + `${capitalised(to)}s` : text;
}

/** The scope is plural on the wire, except with the neutral word. */
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
