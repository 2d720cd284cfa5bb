/** Lists that an Inventory counts: names of a row, and claims on the row or on the parent of the row. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Surveyed, SurveyRead } from "../../core/kind/call.ts";
import { isObject } from "../../core/kind/differences.ts";
import { canonical } from "../networking/address.ts";
import { dollars } from "../../core/kind/monthly.ts";
import { monthlyPrice } from "../prices.ts";

interface Row {
  id: string;
  label?: Json | undefined;
  region?: Json | undefined;
  type?: Json | undefined;
  /** Pairs of collection and ID. If one pair is managed, the row is managed. Defaults to the pair of the row. */
  claims?: [string, string][];
}

interface Counted extends SurveyRead {
  /** Undefined for a row of the cloud provider, or for a row that another list counts. */
  row: (row: JsonObject, ownTag: string | undefined) => Row | undefined;
  /** Returns the cost per month. `types`: the list of types. */
  cost?: (row: JsonObject, types: Json | undefined) => number | undefined;
}

const instances = "/compute/instances";

const numbered = ({ id, label, region, type }: JsonObject): Row => ({ id: text(id), label, region, type });
const ranged = ({ range, prefix, region }: JsonObject): Row => ({
  id: canonical(text(range)),
  region,
  ...(prefix !== undefined && { type: `/${text(prefix)}` }),
});

/** Types in the list of addresses that other lists count. */
const listedElsewhere = new Set(["ipv6/pool", "ipv6/range"]);

/** Lists by the name in the status: part 1, section 4.1; part 2, sections 4.4, 4.7 and 4.9; part 3, section 4; not-shown, sections 4 to 6. */
export const counted: Record<string, Counted> = {
  buckets: {
    path: "/object-storage/buckets",
    row: ({ cluster, region, label }) => {
      const place = text(cluster) || text(region);
      return { id: `${place}/${text(label)}`, label, region: place };
    },
  },
  betas: { path: "/account/betas", row: numbered },
  databases: {
    path: "/databases/instances",
    row: (row) => ({ ...numbered(row), claims: [["/databases/mysql/instances", text(row["id"])]] }),
    cost: ({ type, region, cluster_size: nodes }, types) =>
      monthlyPrice(types, { type, region, nodes: typeof nodes === "number" ? nodes : 1 }),
  },
  domains: { path: "/domains", row: ({ id, domain, type }) => ({ id: text(id), label: domain, type }) },
  firewalls: { path: "/networking/firewalls", row: numbered },
  images: { path: "/images", row: (row) => (row["is_public"] === true ? undefined : numbered(row)) },
  instances: {
    path: instances,
    row: numbered,
    cost: ({ type, region, backups }, types) =>
      monthlyPrice(types, { type, region, backups: isObject(backups) && backups["enabled"] === true }),
  },
  ips: {
    path: "/networking/ips",
    row: ({ address, rdns, region, type, compute_id: instance }) => {
      if (listedElsewhere.has(text(type))) return undefined;
      const claims: Row["claims"] = [
        ["/networking/ips", canonical(text(address))],
        [instances, text(instance)],
      ];
      return { id: text(address), label: rdns, region, type, claims };
    },
  },
  ipv6Pools: { path: "/networking/ipv6/pools", row: ranged },
  ipv6Ranges: { path: "/networking/ipv6/ranges", row: ranged },
  objectStorageKeys: { path: "/object-storage/keys", row: numbered },
  sshKeys: { path: "/profile/sshkeys", row: numbered },
  tags: { path: "/tags", row: ({ label }, own) => (label === own ? undefined : { id: text(label), label }) },
  vlans: {
    path: "/networking/vlans",
    beta: true,
    row: ({ label, region, computes }) => ({
      id: text(label),
      label,
      region,
      claims: rowsIn(computes).map((instance) => [instances, text(instance)]),
    }),
  },
};

/** Maximum number of unmanaged rows that the status shows for a list. */
export const mostNamed = 100;

/** A row of a list, with the pairs of collection and ID that name it, and its cost per month. */
export interface ListedRow extends Row {
  claims: [string, string][];
  cost: number | undefined;
}

/** Returns the rows of one list that the account has. `types`: the list of types, for prices. */
export function listedRows(
  name: string,
  answer: Json,
  { types, ownTag }: { types?: Json | undefined; ownTag?: string | undefined },
): ListedRow[] {
  const { path, row: read, cost } = counted[name] ?? fail(name);
  return rowsIn(answer).flatMap((row) => {
    const found = isObject(row) ? read(row, ownTag) : undefined;
    return found && isObject(row) ? [{ claims: [[path, found.id]], ...found, cost: cost?.(row, types) }] : [];
  });
}

/** Returns the status of one list, and the cost of each row. */
export function countOf(name: string, { answers, isManaged, ownTag }: Surveyed) {
  const answer = answers[name];
  if (answer === undefined) return { costs: [], shown: { name, readable: false, count: 0, unmanaged: 0, rows: [] } };
  const all = listedRows(name, answer, { types: answers["types"], ownTag }).map((row) =>
    Object.assign(row, { managed: row.claims.some(([collection, id]) => isManaged(collection, id)) }),
  );
  const left = all.filter(({ managed }) => !managed);
  const rows = left.slice(0, mostNamed).map(({ id, label, region, type, cost }) => ({
    id: id.slice(0, 253),
    label: shown(label),
    region: shown(region),
    type: shown(type),
    monthly: cost === undefined ? undefined : dollars(cost),
  }));
  return { costs: all, shown: { name, readable: true, count: all.length, unmanaged: left.length, rows } };
}

function rowsIn(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function text(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Returns a text or a number as text. Undefined for other values and for an empty text. */
function shown(value: Json | undefined): string | undefined {
  return text(value).slice(0, 128) || undefined;
}

function fail(name: string): never {
  throw new Error(`no list ${name}`);
}
