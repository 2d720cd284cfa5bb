/** Token in the Secret of a CloudAccount. */
import type { KubeObject, Secret } from "../../cluster/types.ts";
import type { AccountSpec } from "../kind/account-spec.ts";
import { Stalled } from "../kind/outcome.ts";
import { bytesIn, textIn } from "../kind/secret-value.ts";

/** Limit in characters. Every request has the token in a header, and servers permit at least 8 KiB of headers. */
const longestToken = 4_096;

/** Returns the token in a Secret. Throws `Stalled` for a missing or malformed token. The message does not contain the token. */
export function tokenOf(secret: Secret, { tokenSecretRef }: AccountSpec): string {
  const key = tokenSecretRef.key ?? "token";
  const token = textIn(secret, key);
  if (token === undefined && bytesIn(secret, key) !== undefined)
    throw new Stalled(
      "TokenMalformed",
      `spec.tokenSecretRef: the value of key ${key} in Secret ${secret.metadata.name} is not a valid token: it is not UTF-8 text. Store the token alone`,
    );
  if (token === undefined || token === "")
    throw new Stalled(
      "TokenMissing",
      `spec.tokenSecretRef: Secret ${secret.metadata.name} has no key ${key}, or it is empty. Store the token under this key`,
    );
  if (token.length > longestToken)
    throw new Stalled(
      "TokenMalformed",
      `spec.tokenSecretRef: the value of key ${key} in Secret ${secret.metadata.name} is not a valid token: it has ${token.length} characters, and the limit is ${longestToken}. Store the token alone`,
    );
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Stalled(
      "TokenMalformed",
      `spec.tokenSecretRef: the value of key ${key} in Secret ${secret.metadata.name} is not a valid token: it contains spaces, line breaks or other characters that a token never has. Store the token alone`,
    );
  return token;
}

/** Returns a text that changes with each write of a Secret. */
export function versionOf({ metadata: { uid, resourceVersion } }: KubeObject): string {
  return `${uid}/${resourceVersion}`;
}
