/** Replaces values that no plan may show, and values that only the execution knows. */
import { isIP } from "node:net";
import type { Json } from "../api/types.ts";
import { configMaps } from "../cluster/config-maps.ts";
import { secrets } from "../cluster/secrets.ts";
import type { KubeObject } from "../cluster/types.ts";
import type { Objects } from "./objects.ts";
import { knownAfter, sensitive } from "./plan.ts";
import type { AccountReads } from "./read-account.ts";

export interface Mask {
  text: (text: string) => string;
  value: (value: Json) => Json;
}

/** Names of fields with secrets, in bodies of the API. */
const secretNames = /pass|secret|private_key|user_data|token|otp|response|certificate/i;

/** Candidates for IP addresses. `isIP` decides. A longer text is no address. */
const addresses = /[\da-f.:]{3,45}/gi;

/** More than the new rows of a run. A longer number, such as a phone number, is no ID. */
const newIds = 100_000_000;

/** Shortest value of a Secret that the mask searches in texts. */
const shortest = 4;

interface MaskOptions {
  objects: Objects;
  account: AccountReads;
  /** First ID of new rows. */
  newIdsFrom: number;
}

/** Creates a mask for one run. Reads the Secrets of the run when called. */
export function createMask({ objects, account, newIdsFrom }: MaskOptions): Mask {
  const hidden = secretValues(objects);
  const known = new Set(JSON.stringify(account.reads).match(addresses));
  const isNewId = (id: number): boolean => id >= newIdsFrom && id < newIdsFrom + newIds;
  const isNewAddress = (text: string): boolean =>
    isIP(text) !== 0 && !known.has(text) && /^(198\.1[89]\.|192\.168\.|2001:db8:)/i.test(text);
  const masked = (text: string): string =>
    hidden
      .reduce((shown, value) => shown.replaceAll(value, sensitive), text)
      .replaceAll(/(?<![\w.-])\d{9,15}(?![\w.-])/g, (digits) => (isNewId(Number(digits)) ? knownAfter : digits))
      .replaceAll(addresses, (found) => {
        const address = withoutEnd(found);
        return isNewAddress(address) ? knownAfter + found.slice(address.length) : found;
      });
  const value = (given: Json): Json => {
    if (typeof given === "string") return masked(given);
    if (typeof given === "number") return isNewId(given) ? knownAfter : given;
    if (Array.isArray(given)) return given.map(value);
    if (given === null || typeof given !== "object") return given;
    return Object.fromEntries(
      Object.entries(given).map(([name, one]) => [name, isSecretName(name) && one !== null ? sensitive : value(one)]),
    );
  };
  return { text: masked, value };
}

/** Removes the period or the colon after an address in a sentence. */
function withoutEnd(text: string): string {
  return text.endsWith(".") || text.endsWith(":") ? text.slice(0, -1) : text;
}

/** Returns true for a field of the API with a secret. */
export function isSecretName(name: string): boolean {
  return secretNames.test(name);
}

function secretValues(objects: Objects): string[] {
  const all = objects.list(secrets).flatMap((secret) => Object.values(dataOf(secret)));
  // A ConfigMap can repeat a value that is no secret.
  const shown = new Set(objects.list(configMaps).flatMap((one) => Object.values(dataOf(one))));
  const texts = all.map((text) => Buffer.from(text, "base64").toString("utf8"));
  const long = [...texts, ...all].filter((text) => text.length >= shortest && !shown.has(text));
  return [...new Set(long)].toSorted((left, right) => right.length - left.length);
}

function dataOf(object: KubeObject): Record<string, string> {
  return (object as KubeObject & { data?: Record<string, string> }).data ?? {};
}
