/** Text of TXT and CAA records in the form of zone files: RFC 1035, section 5.1. */

const space = String.raw`[ \t]*`;
const lineEnd = String.raw`(\r?\n)?$`;

/** A byte from 128 to 191 in decimal, which continues a character of UTF-8. */
const next = String.raw`\\1(2[89]|[3-8][0-9]|9[01])`;

/** Bytes in decimal that form one character of UTF-8 (RFC 3629, section 4). */
const character = [
  String.raw`\\(0[0-9]{2}|1[01][0-9]|12[0-7])`,
  String.raw`\\(19[4-9]|2[01][0-9]|22[0-3])${next}`,
  String.raw`\\224\\1([6-8][0-9]|9[01])${next}`,
  String.raw`\\(22[5-9]|23[0-689])${next}${next}`,
  String.raw`\\237\\1(2[89]|[3-5][0-9])${next}`,
  String.raw`\\240\\1(4[4-9]|[5-8][0-9]|9[01])${next}${next}`,
  String.raw`\\24[1-3]${next}${next}${next}`,
  String.raw`\\244\\1(2[89]|3[0-9]|4[0-3])${next}${next}`,
].join("|");

const string = String.raw`"([^"\\\r\n]|\\[^0-9\r\n]|${character})*"`;

/**
 * Strings with or without separators, optionally in parentheses. The pattern does not count the parentheses.
 * No two parts match the same space, so the time of a comparison grows only with the length.
 */
const listOf = (one: string): string => `^${space}([(]${space})?(${one}${space})+([)]${space})?${lineEnd}`;

/** One line. A line break at its end is removed. */
export const line = String.raw`^[^\r\n]+${lineEnd}`;

/** Space alone, and strings without content. */
export const blank = `^${space}${lineEnd}`;
export const noText = listOf('""');

/** The beginning of strings in quotes, with or without parentheses. */
export const quoted = `^${space}([(]${space})?"`;

/** One or more strings in quotes, with or without parentheses, and no further text. */
export const strings = listOf(string);

/** Parentheses before and after the strings. A text needs both parentheses, or no parenthesis. */
export const opened = `^${space}[(]`;
export const closed = `[)]${space}${lineEnd}`;

const [quotedForm, stringsForm] = [quoted, strings].map((form) => new RegExp(form)) as [RegExp, RegExp];

/**
 * Returns the text that a zone file means: joins strings in quotes, resolves escapes, and removes one line break at the end.
 * Without quotes, only an escaped semicolon is an escape. Use only for specs. In a row of the cloud API, quotes are part of the text.
 */
export function textMeant(written: string): string {
  const text = written.replace(/\r?\n$/, "");
  if (!stringsForm.test(text)) return text.replaceAll(String.raw`\;`, ";");
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, one = ""]) => unescaped(one)).join("");
}

/** Returns the spelling of a text for a spec. `textMeant` reverses it. */
export function writtenText(text: string): string {
  if (textMeant(text) === text && !/[\r\n]/.test(text) && !quotedForm.test(text) && text.trim() !== "") return text;
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
