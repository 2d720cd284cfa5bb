/** Addresses of Terraform, such as `module.web["eu"].linode_instance.node[0]`. */

/** Key of an instance: a text of `for_each`, or a number of `count`. */
export type Key = string | number;

/** One part of an address, such as `node[0]`. */
export interface Part {
  name: string;
  key: Key | undefined;
}

/** The modules around a resource, from the outside. Empty for the root module. */
export type ModulePath = readonly Part[];

const step = /module\.([\p{ID_Start}_][\p{ID_Continue}-]*)(?:\[(\d+|"(?:[^"\\]|\\.)*")\])?(?:\.(?=m)|$)/uy;
const identifier = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

/** Returns true for a text that Terraform accepts as a name: letters, digits, `_` and `-`. */
export function isIdentifier(text: unknown): text is string {
  return typeof text === "string" && identifier.test(text);
}

/** Reads the address of a module, such as `module.web["eu"].module.db`. Throws `TypeError` for a different text. */
export function modulePathOf(text: string): ModulePath {
  const path: Part[] = [];
  let position = 0;
  while (position < text.length) {
    step.lastIndex = position;
    const found = step.exec(text);
    if (!found) throw new TypeError("a module has no valid address");
    const [whole, name = "", key] = found;
    path.push({ name, key: key === undefined ? undefined : keyIn(key) });
    position += whole.length;
  }
  return path;
}

function keyIn(text: string): Key {
  return text.startsWith('"') ? unquoted(text) : Number(text);
}

/** Reads a quoted text. Terraform doubles the first character of `${` and `%{`. */
function unquoted(text: string): string {
  return (JSON.parse(text) as string).replaceAll(/([$%])\1\{/g, "$1{");
}

/** Returns the address of a module. `keyed`: false for the address in the configuration, which has no keys. */
export function moduleAddress(path: ModulePath, keyed: boolean): string {
  return path.map(({ name, key }) => `module.${name}${keyed ? keyText(key) : ""}`).join(".");
}

/** Returns the key in brackets; empty without a key. */
export function keyText(key: Key | undefined): string {
  if (key === undefined) return "";
  return typeof key === "number" ? `[${key}]` : `[${quotedText(key)}]`;
}

/** Returns a text in quotes, as Terraform reads it: without templates and without control characters. */
function quotedText(text: string): string {
  return JSON.stringify(text)
    .replaceAll(/\\./g, (escape) => ({ "\\b": "\\u0008", "\\f": "\\u000c" })[escape] ?? escape)
    .replaceAll(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, unicodeEscape)
    .replaceAll(/([$%])\{/g, "$1$1{");
}

function unicodeEscape(character: string): string {
  return String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, "0");
}

/** Returns true if an address is the other one, or is below the other one. */
export function isWithin(address: string, above: string): boolean {
  return address === above || [".", "["].some((next) => address.startsWith(above + next));
}
