/** The reads of an account that manifests need. */
import { kindsOf } from "../core/kind/reference.ts";
import type { Kind } from "../core/kind/owned.ts";
import { kinds } from "../kinds/registry.ts";
import type { AccountReads, FailedRead } from "./read-account.ts";

const byName = new Map(kinds.map((kind) => [kind.kind, kind]));

interface Needing {
  kind?: unknown;
  spec?: unknown;
}

/** Returns the failed reads of lists with the cloud objects of the manifests, of what the manifests refer to, and of their parts. */
export function neededReads({ failed }: AccountReads, manifests: readonly Needing[]): FailedRead[] {
  const lists = new Set(manifests.flatMap(kindsFor).flatMap(listOf));
  // The cloud API answers 404 for a part that a cloud object does not have.
  const counted = failed.filter(({ from, status }) => status !== 404 || !from.includes("{"));
  return counted.filter(({ from }) => {
    const read = from.replaceAll(/\{\w+\}/g, any);
    return [...lists].some((list) => isWithin(read, list) || isWithin(list, read));
  });
}

const any = "*";

function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

/** Returns the kind of a manifest, and the kinds that it refers to. */
function kindsFor({ kind: name, spec }: Needing): Kind[] {
  const kind = byName.get(String(name));
  if (!kind) return [];
  const references = Object.values(kind.references ?? {}).flatMap((one) => ("secret" in one ? [] : [one]));
  const used = references.filter(({ from }) => isUsed(() => from(spec as never)));
  return [kind, ...used.flatMap(kindsOf).flatMap((one) => byName.get(one) ?? [])];
}

/** A spec can be invalid. Then every reference counts. */
function isUsed(from: () => unknown): boolean {
  try {
    return [from() ?? []].flat().length > 0;
  } catch {
    return true;
  }
}

/** Returns the path of the list, with any parent. */
function listOf(kind: Kind): string[] {
  const refs = Object.fromEntries(Object.keys(kind.references ?? {}).map((name) => [name, { id: any, name: any }]));
  try {
    return [kind.listPath({ name: "", namespace: "", spec: {}, refs })];
  } catch {
    return [];
  }
}
