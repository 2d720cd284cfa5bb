/** Secrets and ConfigMaps of a cell, and their bytes in requests. */
import type { LedgerEntry } from "../../world/dispatcher.ts";
import { secretNames } from "./cells.ts";
import type { Cell } from "./cells.ts";
import type { Candidate } from "./candidates.ts";
import { valuesAt } from "./paths.ts";
import type { PlaceName } from "./places.ts";
import type { Host } from "./play.ts";
import { mark } from "./things.ts";

/** Returns the content that the field needs, from an example that has the field. */
export function contentFor({ field }: Cell, { example, spec }: Candidate): Record<string, string> {
  const { kind, path } = field;
  const givers = [example, ...kind.examples.filter((one) => one !== example)];
  for (const { spec: other, secrets = {}, configMaps: maps = {} } of givers)
    for (const name of valuesAt(other, path) as string[])
      if (secrets[name] ?? maps[name]) return secrets[name] ?? maps[name] ?? {};
  const keys = Object.values(kind.references ?? {}).flatMap((one) => {
    const { key } = ("secret" in one && one.secret(spec)) || {};
    return "secret" in one ? (key ?? one.key) : [];
  });
  return Object.fromEntries(keys.map((key) => [key, `bytes-${mark}-Aa1!`]));
}

/** Creates the Secret or ConfigMap of a cell. Returns its bytes. */
export async function addSecret(host: Host, cell: Cell, candidate: Candidate): Promise<string[]> {
  const { field, value, place } = cell;
  if (field.is !== "secret") return [];
  const content = contentFor(cell, candidate);
  const at = secretPlace({ value, place });
  const name = secretNames[value];
  if (value === "token") {
    const keys = [...Object.keys(content), "token"];
    await host.store("Secret", at, name, Object.fromEntries(keys.map((key) => [key, host.token])));
    if (at !== "owner") await host.createAccount(at, "own", name);
    return [host.token];
  }
  if (field.use === "publishes") {
    if (value === "foreign") await host.store("Secret", at, name, { kept: mark });
    return [];
  }
  await host.store(field.of, at, name, content);
  return Object.values(content).flatMap((text) => (text.startsWith("{") ? textsIn(JSON.parse(text)) : [text.trim()]));
}

/** Returns the place of the Secret. A foreign Secret is in the namespace of the owner, or of a tenant for a cell of the owner. */
export function secretPlace({ value, place }: Pick<Cell, "value" | "place">): PlaceName {
  if (value !== "foreign") return place;
  return place === "owner" ? "shared" : "owner";
}

/** Returns true if path, body or content of a request contain the bytes, as text or in base64. */
export function contains({ path, body, content }: LedgerEntry, bytes: readonly string[]): boolean {
  const texts = [decodeURIComponent(path), ...textsIn(body), ...(content === undefined ? [] : [fromBase64(content)])];
  return texts.some((text) => bytes.some((one) => text.includes(one) || fromBase64(text).includes(one)));
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString();
}

/** Returns every text and number in a value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}
