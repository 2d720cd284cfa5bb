/** Questions about the books. The answers do not depend on any code of the operator. */
import type { LedgerEntry } from "../../../world/dispatcher.ts";
import type { CloudRow } from "../../../world/rows.ts";
import { ruleFor } from "../../../world/service.ts";
import type { World } from "../../../world/world.ts";
import type { Violation } from "../../invariants.ts";
import type { Books, Grants, Held, Since } from "../books.ts";
import { namespaceOf, wishNamed, wishes } from "../cast.ts";
import type { Wish } from "../cast.ts";
import type { TenantLife } from "../story.ts";

export interface TenantFacts {
  world: World;
  life: TenantLife;
  books: Books;
}

export type Rule = (facts: TenantFacts) => Omit<Violation, "invariant">[];

/** A request may use a replaced fact for half a second, milliseconds. */
export const freshMs = 500;

export interface Author {
  kind: string;
  namespace: string;
  name: string;
}

export function authorOf({ author }: Pick<LedgerEntry, "author">): Author | undefined {
  const [kind = "", namespace = "", ...name] = (author ?? "").split("/");
  return author === undefined ? undefined : { kind, namespace, name: name.join("/") };
}

/** Returns the author of a request, unless the author is in the namespace of the account. */
export function tenantOf(entry: LedgerEntry): Author | undefined {
  const author = authorOf(entry);
  return author === undefined || author.namespace === namespaceOf.shop ? undefined : author;
}

export function isMutating({ method }: LedgerEntry): boolean {
  return method !== "GET";
}

/** Returns every value that was valid at some time in the window. */
export function during<T>(history: Since<T>[], fromMs: number, toMs: number): T[] {
  return history
    .filter(({ atMs }, index) => atMs <= toMs && (history[index + 1]?.atMs ?? Infinity) >= fromMs)
    .map(({ value }) => value);
}

/** Returns true if the namespace had the grant at the given time, or up to half a second earlier. */
export function isGranted({ grants }: Books, grant: keyof Grants, namespace: string, atMs: number): boolean {
  return during(grants, atMs - freshMs, atMs).some(({ [grant]: all }) => all.includes(namespace));
}

/** Returns true if the namespace had the grant at any earlier time. */
export function wasGranted({ grants }: Books, grant: keyof Grants, namespace: string, atMs = Infinity): boolean {
  return grants.some((one) => one.atMs <= atMs && one.value[grant].includes(namespace));
}

/** Returns the wish of a resident. Holders and the account have no wish. */
export function wishOf({ residents }: TenantLife, { name }: Pick<Held, "name">): Wish | undefined {
  const number = Number(/^(?:larch|alder|rowan)-(\d+)$/.exec(name)?.[1] ?? -1);
  return residents[number] && wishNamed(residents[number].wish);
}

/** Returns the object with a key at the given time. */
export function objectAt({ objects }: Books, { kind, namespace, name }: Author, atMs: number): Held | undefined {
  return objects.findLast(
    (one) => one.kind === kind && one.namespace === namespace && one.name === name && one.createdAt <= atMs,
  );
}

// No wish creates a Bucket: buckets are holders only.
const collections = new Map([
  ["Bucket", "/object-storage/buckets"],
  ...wishes.map(({ kind, path }) => [kind, path] as const),
]);

/** Returns true if the row is in the collection of the kind. */
export function isOfKind(kind: string, row: Pick<CloudRow, "path">): boolean {
  const [before = "", after] = (collections.get(kind) ?? "none").split("{}");
  return after === undefined ? row.path === before : row.path.startsWith(before) && row.path.endsWith(after);
}

/** Returns the rows with the ids that the status of an object ever had. */
export function rowsOf({ world }: TenantFacts, { kind, ids }: Held): CloudRow[] {
  return world.cloud.history().filter((row) => ids.has(row.id) && isOfKind(kind, row));
}

/** Returns the object that created a row. For a row made by hand, the result is undefined. */
export function makerOf({ world }: TenantFacts, { madeIn }: CloudRow): Author | undefined {
  const entry = world.cloud.ledger().find(({ number }) => number === madeIn);
  return madeIn === undefined || !entry ? undefined : authorOf(entry);
}

/**
 * Returns true if an object of the namespace created the row. Returns true also if an object recorded the id of the row
 * while the namespace had the grant `existing`.
 */
export function isOwn(facts: TenantFacts, row: CloudRow, namespace: string): boolean {
  if (makerOf(facts, row)?.namespace === namespace) return true;
  return facts.books.objects.some((held) => {
    const since = held.ids.get(row.id);
    const mayAdopt = since !== undefined && isGranted(facts.books, "existing", namespace, since);
    return mayAdopt && held.namespace === namespace && isOfKind(held.kind, row);
  });
}

/** Returns true if the row existed at the given time. */
export function isThere({ createdAt, removed }: CloudRow, atMs: number): boolean {
  return createdAt <= atMs && (removed?.at ?? Infinity) >= atMs;
}

export function isCreation({ row, entry }: { row: CloudRow; entry: LedgerEntry }): boolean {
  return row.madeIn === entry.number;
}

/** Returns true for rows of public catalogs. */
export function isCatalog({ path }: Pick<CloudRow, "path">): boolean {
  return ruleFor(path)?.catalog !== undefined;
}

/** Returns method and path of a request without ids and names. */
export function general({ method, path }: Pick<LedgerEntry, "method" | "path">): string {
  const general = path.replace(/\/(private\/)?\d+(\.\d+)*(?=\/|$)/g, "/*").replace(/us-east-\d\/[^/]+/, "*");
  return `${method} ${general.replace(/\/objects\/.*/, "/objects/*").replace(/\/tags\/.+/, "/tags/*")}`;
}

export function numbered({ number, method, path, author }: LedgerEntry): string {
  return `#${number} ${method} ${path} of ${author}`;
}
