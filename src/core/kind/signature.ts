/** Signatures by the installation's key: only this installation wrote a text that carries a valid one. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { memoizeFor } from "./memoize.ts";

/** Returns a JSON object as text, with a signature as its last member. `subject`: the text proves nothing about another subject. */
export function signedText(content: string, key: KeyObject, subject = ""): string {
  return `${content.slice(0, -1)},"signature":"${signatureOf(`${subject}${content}`, key)}"}`;
}

/** Returns true if this installation signed the text for the subject. */
export function isSignedText(text: string, key: KeyObject, subject = ""): boolean {
  const found = signatureAtEnd.exec(text);
  if (!found?.[1]) return false;
  const expected = signatureOf(`${subject}${text.slice(0, found.index)}}`, key);
  return timingSafeEqual(Buffer.from(expected), Buffer.from(found[1]));
}

const signatureAtEnd = /,"signature":"([\w-]{43})"\}$/;

const signatureOf = memoizeFor((payload: string, key: KeyObject) =>
  createHmac("sha256", key).update(payload).digest("base64url"),
);
