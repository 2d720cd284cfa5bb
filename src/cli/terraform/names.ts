/** Names of imported objects: the address of the resource as a DNS name. */
import { compareIDs, cut, dnsName, longest, withEnd } from "../export/names.ts";
import type { StateResource } from "./state.ts";

/**
 * Returns the name of each resource: modules, name of the resource, and keys. Equal names of one kind get numbers, in the order of the
 * addresses. `kindOf`: the kind of the object.
 */
export function namesFor<T extends { resource: StateResource; kind: string }>(items: readonly T[]): Map<T, string> {
  const used = new Set<string>();
  const names = new Map<T, string>();
  for (const item of items.toSorted((a, b) => compareAddresses(a.resource, b.resource))) {
    const plain = plainName(item.resource);
    let name = plain;
    for (let count = 2; used.has(`${item.kind} ${name}`); count += 1) name = withEnd(plain, String(count));
    used.add(`${item.kind} ${name}`);
    names.set(item, name);
  }
  return names;
}

function plainName({ modules, type, name, key }: StateResource): string {
  const words = [...modules, { name, key }].flatMap((part) => [part.name, part.key ?? ""]);
  return cut(dnsName(words.join(" ")), longest) || cut(dnsName(type), longest);
}

/** Compares the addresses in the configuration, and then the keys. */
export function compareAddresses(a: StateResource, b: StateResource): number {
  return (
    compareIDs(a.block, b.block) ||
    compareIDs(String(a.key ?? ""), String(b.key ?? "")) ||
    compareIDs(a.address, b.address)
  );
}
