import { createHmac } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { lately } from "../kind/lately.ts";

const byKey = new WeakMap<KeyObject, (payload: string) => string>();

/** The signature of a text by the installation's key. */
export function signatureOf(payload: string, key: KeyObject): string {
  const sign = byKey.get(key) ?? lately((text: string) => createHmac("sha256", key).update(text).digest("base64url"));
  byKey.set(key, sign);
  return sign(payload);
}
