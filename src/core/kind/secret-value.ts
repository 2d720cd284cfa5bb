/**
 * Values in Secrets and ConfigMaps. All layers of the core read values with the two functions below.
 *
 * Text loses one line break at the end. `kubectl create secret --from-file` and most editors store a line break after a password.
 * Bytes do not change.
 */
import type { ConfigMap } from "../../cluster/types.ts";
import { Invalid } from "./outcome.ts";

/** Returns the text under a key without one line break at the end. Returns undefined for a missing key, and for bytes that are not UTF-8. */
export function textIn({ data }: Pick<ConfigMap, "data">, key: string): string | undefined {
  return data[key]?.replace(/\r?\n$/, "");
}

/** Returns the bytes under a key, in base64. */
export function bytesIn({ encoded }: Pick<ConfigMap, "encoded">, key: string): string | undefined {
  return encoded[key];
}

/** The place of a value, and the field of the spec that names the value. */
interface ValuePlace {
  field: string;
  from: string;
  name: string;
  key: string;
}

/** Throws `Invalid` for text that the cloud API would refuse. The message does not contain the text. */
export function requireText(
  { field, from, name, key }: ValuePlace,
  text: string,
  refuses: (text: string) => string | undefined,
): void {
  const why = refuses(text);
  if (why === undefined) return;
  throw new Invalid(
    `spec.${field}`,
    `the value of key ${key} in ${from} ${name} ${why}. The operator sends nothing. Store another value under this key`,
  );
}
