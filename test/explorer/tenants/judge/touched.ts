/** Rules about rows that the requests of a tenant change, name or read. */
import type { Json, JsonObject } from "../../../../src/api/types.ts";
import { text } from "../../../world/collections.ts";
import type { LedgerEntry } from "../../../world/dispatcher.ts";
import { byHand } from "../cast.ts";
import {
  general,
  isCatalog,
  isCreation,
  isGranted,
  isMutating,
  isOwn,
  isThere,
  numbered,
  tenantOf,
  wasGranted,
} from "./facts.ts";
import type { Rule, TenantFacts } from "./facts.ts";

export const touched: { [name: string]: Rule } = {
  "no request leaves without a share": ({ world, books }) =>
    world.cloud.ledger().flatMap((entry) => {
      const author = tenantOf(entry);
      if (!author || !isMutating(entry) || isGranted(books, "namespaces", author.namespace, entry.atMs)) return [];
      const since = wasGranted(books, "namespaces", author.namespace, entry.atMs) ? "after it was withdrawn" : "ever";
      return [{ kind: "CloudAccount", what: `${entry.method}, no share ${since}`, detail: numbered(entry) }];
    }),

  "a tenant changes only its own cloud objects": (facts) =>
    facts.books.touches.flatMap(({ entry, row }) => {
      const author = tenantOf(entry);
      if (!author || isCreation({ entry, row }) || isOwn(facts, row, author.namespace)) return [];
      if (isGranted(facts.books, "existing", author.namespace, entry.atMs)) return [];
      return [{ kind: author.kind, what: `${general(entry)} touches ${row.path}`, detail: numbered(entry) }];
    }),

  "a tenant names only its own cloud objects": (facts) =>
    facts.world.cloud.ledger().flatMap((entry) => {
      const author = tenantOf(entry);
      if (!author || !isMutating(entry)) return [];
      if (isGranted(facts.books, "existing", author.namespace, entry.atMs)) return [];
      return namedIn(entry)
        .filter((named) => !isOwnName(facts, named, author.namespace))
        .map(({ field, id }) => ({
          kind: author.kind,
          what: `${general(entry)} names a foreign ${field}`,
          detail: `${numbered(entry)}: ${id}`,
        }));
    }),

  "only accountWide permits requests for the whole account": ({ world, books }) =>
    world.cloud.ledger().flatMap((entry) => {
      const author = tenantOf(entry);
      // A tenant may remove its own row after the owner withdrew the grant.
      if (!author || !isMutating(entry) || entry.method === "DELETE" || !/^\/(account|profile)\//.test(entry.path))
        return [];
      if (isGranted(books, "accountWide", author.namespace, entry.atMs)) return [];
      return [{ kind: author.kind, what: general(entry), detail: numbered(entry) }];
    }),

  "a tenant reads only its own cloud objects": (facts) =>
    facts.world.cloud.ledger().flatMap((entry) => {
      const author = tenantOf(entry);
      if (!author || isMutating(entry)) return [];
      if (isGranted(facts.books, "existing", author.namespace, entry.atMs)) return [];
      const read = facts.world.cloud
        .history()
        .filter((row) => !isCatalog(row) && isThere(row, entry.atMs) && isBelow(entry.path, `${row.path}/${row.id}`))
        .filter((row) => !isOwn(facts, row, author.namespace));
      return read.slice(0, 1).map(() => ({ kind: author.kind, what: general(entry), detail: numbered(entry) }));
    }),
};

function isBelow(path: string, item: string): boolean {
  const plain = decodeURIComponent(path);
  return plain === item || plain.startsWith(`${item}/`);
}

interface Named {
  field: string;
  id: string;
  /** Collection of the row. The world has no collection for volumes, users and scripts. */
  path: string | undefined;
}

const instances = "/compute/instances";

/** Fields of bodies that name a cloud object, with the collection of the object. */
const naming: Record<string, string | undefined> = {
  image: "/images",
  compute_id: instances,
  computes: instances,
  domains: "/domains",
  bucket_name: "/object-storage/buckets",
  volumes: undefined,
  volume_id: undefined,
  stackscript_id: undefined,
  authorized_users: undefined,
};

function namedIn({ path, body = {} }: LedgerEntry): Named[] {
  const found: Named[] = [];
  const visit = (field: string, value: Json | undefined): void => {
    if (Array.isArray(value)) for (const one of value) visit(field, one);
    else if (value !== null && typeof value === "object") visitAll(value);
    else if (value !== undefined && value !== null && field in naming)
      found.push({ field, id: text(value), path: naming[field] });
    else if (field === "label" && value === byHand.vlan)
      found.push({ field: "vlan", id: byHand.vlan, path: undefined });
    else if (field === "id" && path.endsWith("/devices") && value !== undefined)
      found.push({ field: "device", id: text(value), path: instances });
  };
  const visitAll = (object: JsonObject): void => {
    for (const [field, value] of Object.entries(object)) visit(field, value);
  };
  visitAll(body);
  return found;
}

const unlisted = new Set<string>([byHand.vlan, byHand.user, String(byHand.stackScript), String(byHand.volume)]);

/** Returns true for the name of a row of the namespace, and for a name without a row, such as a public image. */
function isOwnName(facts: TenantFacts, { id, path, field }: Named, namespace: string): boolean {
  if (path === undefined) return !unlisted.has(id);
  const rows = facts.world.cloud.history().filter((row) => row.path === path && !row.removed);
  const meant = rows.filter((row) => row.id === id || (field === "bucket_name" && row.fields["label"] === id));
  return meant.every((row) => isOwn(facts, row, namespace));
}
