import { presentNodeBalancer, presentVolume } from "../compute/instances/attachments.ts";
import { presentInstance } from "../compute/instances/present-instance.ts";
import { INSTANCES, NODE_BALANCERS, VOLUMES } from "../compute/tables.ts";
import { presentDomain } from "../domains/stored-domains.ts";
import { DOMAINS } from "../domains/tables.ts";
import { presentAddress } from "../networking/addresses/present-addresses.ts";
import { ADDRESSES } from "../networking/addresses/tables.ts";
import { FIREWALLS } from "../networking/firewalls/tables.ts";
import type { Context } from "../server/operation.ts";
import { invalid } from "../server/errors.ts";
import { canonical } from "../server/ip-address.ts";
import type { Table } from "../server/store/store.ts";

interface TaggedRow {
  readonly tags?: readonly string[];
}

/** A kind of object in the list of tagged objects (part 3 section 2.5). */
interface Shown {
  readonly type: string;
  readonly table: Table<TaggedRow>;
  readonly present: (context: Context, row: never) => unknown;
}

/** A kind of object that a new tag can name. */
interface Taggable extends Shown {
  /** Field in the body of a new tag. */
  readonly field: "computes" | "domains" | "nodebalancers" | "volumes";
  readonly type: "compute" | "domain" | "nodebalancer" | "volume";
}

export const TAGGABLE: readonly Taggable[] = [
  {
    field: "computes",
    type: "compute",
    table: asTagged(INSTANCES),
    present: ({ world, account }, row) => presentInstance(world, account, row),
  },
  { field: "domains", type: "domain", table: asTagged(DOMAINS), present: (_context, row) => presentDomain(row) },
  {
    field: "nodebalancers",
    type: "nodebalancer",
    table: asTagged(NODE_BALANCERS),
    present: (_context, row) => presentNodeBalancer(row),
  },
  { field: "volumes", type: "volume", table: asTagged(VOLUMES), present: presentVolume },
];

/** Reserved addresses have no ID (not-shown section 9). */
const RESERVED_ADDRESS: Shown = {
  type: "reserved_ipv4_address",
  table: asTagged(ADDRESSES),
  present: ({ world, account }, row) => presentAddress(world, account, row),
};

const SHOWN: readonly Shown[] = [...TAGGABLE, RESERVED_ADDRESS];

/** Firewalls have tags, but the list of tagged objects does not show firewalls. */
const TAGGED_TABLES = [...SHOWN.map(({ table }) => table), asTagged(FIREWALLS)];

export interface Tagged {
  readonly kind: Shown;
  readonly row: TaggedRow;
}

/** Returns the objects of all kinds with the tag. */
export function objectsTagged(context: Context, label: string): Tagged[] {
  return SHOWN.flatMap((kind) => rowsTagged(context, kind.table, label).map((row) => ({ kind, row })));
}

/** Adds the tag to an object. Does nothing if the object does not exist. */
export function addTag({ world, account }: Context, table: Table<TaggedRow>, id: number, label: string): void {
  const row = world.store.get(table, account, id);
  if (!row) return;
  const { tags = [] } = row;
  if (!tags.includes(label)) world.store.put(table, account, { ...row, tags: [...tags, label] });
}

/** Removes the tag from all objects. */
export function stripTag(context: Context, label: string): void {
  const { world, account } = context;
  for (const table of TAGGED_TABLES) {
    for (const row of rowsTagged(context, table, label))
      world.store.put(table, account, { ...row, tags: (row.tags ?? []).filter((tag) => tag !== label) });
  }
}

/** Adds the tag to a reserved address. Throws 400 that names the field. */
export function tagAddress({ world, account }: Context, address: string, label: string, field: string): void {
  const row = world.store.get(ADDRESSES, account, canonical(address));
  if (!row?.reserved) throw invalid(field, `There is no reserved address ${address}`);
  const tags = row.tags ?? [];
  if (!tags.includes(label)) world.store.put(ADDRESSES, account, { ...row, tags: [...tags, label] });
}

/** Returns the rows with exactly this tag. The index ignores case. */
function rowsTagged({ world, account }: Context, table: Table<TaggedRow>, label: string): Readonly<TaggedRow>[] {
  return world.store.find(table, account, "tags", label).filter(({ tags }) => tags?.includes(label));
}

export function isTagInUse(context: Context, label: string): boolean {
  return TAGGED_TABLES.some((table) => rowsTagged(context, table, label).length > 0);
}

export function tagsInUse({ world, account }: Context): Set<string> {
  const used = new Set<string>();
  for (const table of TAGGED_TABLES)
    for (const { tags = [] } of world.store.all(table, account)) for (const tag of tags) used.add(tag);
  return used;
}

function asTagged<Row extends TaggedRow>(table: Table<Row>): Table<TaggedRow> {
  return table as unknown as Table<TaggedRow>;
}
