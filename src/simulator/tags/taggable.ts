import { presentNodeBalancer, presentVolume } from "../compute/instances/attachments.ts";
import { presentInstance } from "../compute/instances/present-instance.ts";
import { INSTANCES, NODE_BALANCERS, VOLUMES } from "../compute/tables.ts";
import { presentDomain } from "../domains/stored-domains.ts";
import { DOMAINS } from "../domains/tables.ts";
import { presentAddress } from "../networking/addresses/present-addresses.ts";
import { ADDRESSES } from "../networking/addresses/tables.ts";
import type { AddressRow } from "../networking/addresses/tables.ts";
import { FIREWALLS } from "../networking/firewalls/tables.ts";
import type { Context } from "../server/operation.ts";
import { invalid } from "../server/errors.ts";
import { canonical } from "../server/ip-address.ts";
import type { World } from "../server/world.ts";
import type { Table } from "../server/store/store.ts";

interface TaggedRow {
  readonly id: number;
  readonly tags: readonly string[];
}

/** A kind of object that a list of tagged objects shows and a new tag may name (part 3 section 2.5). */
interface Taggable {
  /** Field of the body that creates a tag. */
  readonly field: "computes" | "domains" | "nodebalancers" | "volumes";
  readonly type: "compute" | "domain" | "nodebalancer" | "volume";
  readonly table: Table<TaggedRow>;
  readonly present: (context: Context, row: never) => unknown;
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

/** Firewalls have tags as well, but no list of tagged objects shows them. */
const TAGGED_TABLES: readonly Table<TaggedRow>[] = [...TAGGABLE.map(({ table }) => table), asTagged(FIREWALLS)];

/** One object that carries a tag. */
export interface Tagged {
  readonly type: string;
  readonly present: () => unknown;
}

/** The objects of all kinds that carry the tag, as a list shows them. */
export function objectsTagged(context: Context, label: string): Tagged[] {
  const { world, account } = context;
  return TAGGABLE.flatMap((kind) =>
    world.store
      .all(kind.table, account)
      .filter((row) => row.tags.includes(label))
      .map((row) => ({ type: kind.type, present: () => kind.present(context, row as never) })),
  );
}

/** Puts the tag on an object that exists. */
export function addTag({ world, account }: Context, table: Table<TaggedRow>, id: number, label: string): void {
  const row = world.store.get(table, account, id);
  if (row && !row.tags.includes(label)) world.store.put(table, account, { ...row, tags: [...row.tags, label] });
}

/** Takes the tag off every object. */
export function stripTag({ world, account }: Context, label: string): void {
  for (const table of TAGGED_TABLES) {
    for (const row of world.store.all(table, account)) {
      if (!row.tags.includes(label)) continue;
      world.store.put(table, account, { ...row, tags: row.tags.filter((tag) => tag !== label) });
    }
  }
  for (const row of taggedAddresses(world, account, label))
    world.store.put(ADDRESSES, account, { ...row, tags: (row.tags ?? []).filter((tag) => tag !== label) });
}

/** The reserved addresses that carry the tag, which have no id (not-shown section 9). */
export function addressesTagged({ world, account }: Context, label: string): Tagged[] {
  const present = (row: AddressRow) => presentAddress(world, account, row);
  return taggedAddresses(world, account, label).map((row) => ({
    type: "reserved_ipv4_address",
    present: () => present(row),
  }));
}

/** Puts the tag on a reserved address, or refuses the field. */
export function tagAddress({ world, account }: Context, address: string, label: string, field: string): void {
  const row = world.store.get(ADDRESSES, account, canonical(address));
  if (!row?.reserved) throw invalid(field, `There is no reserved address ${address}`);
  const tags = row.tags ?? [];
  if (!tags.includes(label)) world.store.put(ADDRESSES, account, { ...row, tags: [...tags, label] });
}

function taggedAddresses({ store }: World, account: string, label: string): Readonly<AddressRow>[] {
  return store.all(ADDRESSES, account).filter((row) => row.tags?.includes(label));
}

/** Every tag that any object carries. */
export function tagsInUse({ world, account }: Context): Set<string> {
  const used = new Set<string>();
  const take = (rows: readonly { readonly tags?: readonly string[] | undefined }[]) => {
    for (const { tags } of rows) for (const tag of tags ?? []) used.add(tag);
  };
  for (const table of TAGGED_TABLES) take(world.store.all(table, account));
  take(world.store.all(ADDRESSES, account));
  return used;
}

function asTagged<Row extends TaggedRow>(table: Table<Row>): Table<TaggedRow> {
  return table as unknown as Table<TaggedRow>;
}
