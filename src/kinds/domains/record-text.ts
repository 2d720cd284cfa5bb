/** Text of TXT and CAA records in the form of zone files: RFC 1035, section 5.1. */

/** One or more strings in quotes, with or without parentheses. */
const strings = /^[(]?\s*(?:"(?:[^"\\]|\\.)*"\s*)+[)]?$/;

/**
 * Returns the text that a zone file means: joins strings in quotes, resolves escapes, and removes one line break at the end.
 * Use only for specs. In a row of the cloud API, quotes are part of the text.
 */
export function textMeant(written: string): string {
  const line = written.replace(/\r?\n$/, "");
  if (!strings.test(line)) return line;
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, one = ""]) => unescaped(one)).join("");
}

/** Returns the spelling of a text for a spec. `textMeant` reverses it. */
export function writtenText(text: string): string {
  if (textMeant(text) === text && !/[\r\n]/.test(text)) return text;
  const plain = text.replaceAll(/["\\]/g, String.raw`\$&`);
  return `"${Array.from(plain, byNumber).join("")}"`;
}

function byNumber(one: string): string {
  return one < " " ? `\\${String(one.charCodeAt(0)).padStart(3, "0")}` : one;
}

/** Bytes in decimal, and escaped characters. Several bytes can form one character. */
const escapes = /(?:\\(?:[01][0-9]{2}|2[0-4][0-9]|25[0-5]))+|\\./g;

function unescaped(text: string): string {
  return text.replaceAll(escapes, (escape) =>
    escape.length === 2 ? escape.slice(1) : Buffer.from(escape.slice(1).split("\\").map(Number)).toString("utf8"),
  );
}
