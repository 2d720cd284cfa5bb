/** Names of exported objects: the label of the cloud object as a DNS name. */
import { createHash } from "node:crypto";
import type { Kind } from "../../core/kind/owned.ts";
import type { CloudObject } from "../account/objects.ts";

/** Longest name. Kubernetes permits 253 characters, but many names become labels. */
export const longest = 63;

/**
 * Returns the name of each cloud object. Equal labels of one kind get the ID at the end, except for the lowest ID. The names depend only
 * on the account.
 */
export function namesOf(objects: readonly CloudObject[]): Map<CloudObject, string> {
  const names = new Map<CloudObject, string>();
  const used = new Set<string>();
  const nameOf = (object: CloudObject): string => {
    const known = names.get(object);
    if (known !== undefined) return known;
    const plain = plainName(object, object.parent && nameOf(object.parent.object));
    const isFree = (name: string): boolean => !used.has(`${object.kind.kind} ${name}`);
    const numbered = withEnd(plain, idName(object.id));
    let name = isFree(plain) ? plain : numbered;
    for (let count = 2; !isFree(name); count += 1) name = withEnd(numbered, String(count));
    used.add(`${object.kind.kind} ${name}`);
    names.set(object, name);
    return name;
  };
  for (const object of objects.toSorted(byID)) nameOf(object);
  return names;
}

function byID(a: CloudObject, b: CloudObject): number {
  return compareIDs(a.list, b.list) || compareIDs(a.id, b.id);
}

/** Compares numbers by value, and other texts by character. */
export function compareIDs(a: string, b: string): number {
  const isNumeric = /^\d+$/.test(a) && /^\d+$/.test(b);
  if (isNumeric && a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function plainName({ kind, id, row }: CloudObject, parent: string | undefined): string {
  const own = dnsName(labelOf(kind, row)) || dnsName(id) || `${dnsName(kind.kind)}-${idName(id)}`;
  const named = kind.shape === "setting" && kind.which === undefined ? dnsName(kind.kind) : own;
  const whole = parent === undefined ? named : `${parent}-${named}`;
  return cut(whole, longest);
}

/** Returns the ID as a part of a name: its hash, if it has no letter or digit of a name. */
function idName(id: string): string {
  return cut(dnsName(id), 40) || createHash("sha256").update(id).digest("hex").slice(0, 8);
}

function labelOf({ labelFields = ["label"] }: Kind, row: CloudObject["row"]): string {
  const texts = labelFields.map((field) => row[field]).filter((text) => typeof text === "string");
  return texts.join("-");
}

/** Returns a text with lower-case letters, digits and dashes. Empty if the text has none of them. */
export function dnsName(text: string): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll("ß", "ss").toLowerCase();
  return plain
    .split(/[^a-z0-9]/)
    .filter((word) => word !== "")
    .join("-");
}

export function cut(text: string, length: number): string {
  return dnsName(text.slice(0, length));
}

export function withEnd(name: string, end: string): string {
  return `${cut(name, Math.max(1, longest - end.length - 1))}-${end}`;
}
