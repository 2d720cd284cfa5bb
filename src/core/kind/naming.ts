/** Names of cloud objects in conditions, events and plans. Only this file turns an ID into words. */
import type { JsonObject } from "../../api/types.ts";
import type { Described } from "./described.ts";

type Named = Pick<Described, "kind" | "noun" | "idInWords"> & { labelFields?: readonly string[] | undefined };

/** Longest label in a message, characters. */
const longestLabel = 60;

/** Returns the noun for a cloud object of the kind, such as `SSH key`. Defaults to the words in the name of the kind. */
export function nounOf({ kind, noun }: Pick<Named, "kind" | "noun">): string {
  return noun ?? wordsOfName(kind).join(" ");
}

/** Returns the noun with its article, such as `an SSH key`. */
export function oneOf(kind: Pick<Named, "kind" | "noun">): string {
  const noun = nounOf(kind);
  return /^(?:[aeio]|SSH)/i.test(noun) ? `an ${noun}` : `a ${noun}`;
}

/**
 * Returns the name of a cloud object, such as `instance 1001 (web-1)`. `row`: the row of the cloud API with the label; without
 * a row, the name has no label.
 */
export function nameOf(kind: Named, id: string | undefined, row?: JsonObject): string {
  const noun = nounOf(kind);
  if (id === undefined || kind.idInWords === "omitted") return noun;
  const label = labelIn(kind, row);
  const isTold = label === "" || id === label || id.endsWith(`/${label}`);
  return isTold ? `${noun} ${id}` : `${noun} ${id} (${label})`;
}

/** Returns a message with a capital letter at the start. Leaves field paths, quotes and commands unchanged. */
export function sentence(text: string): string {
  const [word = ""] = text.split(/(?=[ ,'])/, 1);
  return /^[a-z]+$/.test(word) && word !== "kubectl" ? word.charAt(0).toUpperCase() + text.slice(1) : text;
}

function labelIn({ labelFields = ["label"] }: Named, row: JsonObject = {}): string {
  const texts = labelFields.flatMap((field) => {
    const text = row[field];
    return typeof text === "string" && text !== "" ? [text] : [];
  });
  const label = texts.join(" ");
  return label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label;
}

/** Splits a name at its capital letters. Abbreviations such as `SSH` and `IPv6` stay whole. */
function wordsOfName(kind: string): string[] {
  const words = kind.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/);
  return words.map((word) => (/[A-Z].*[A-Z]|\d/.test(word) ? word : word.toLowerCase()));
}
