import { instanceEntity } from "../../compute/instance-entity.ts";
import type { InstanceRow } from "../../compute/tables.ts";
import { refused } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import type { Context } from "../../server/operation.ts";
import type { World } from "../../server/world.ts";
import { ADDRESSES } from "./tables.ts";
import type { AddressRow } from "./tables.ts";

/** The instance and region of an address. */
export interface Place {
  readonly instance: number;
  readonly region: string;
}

/** Like `Place`, but a reserved address can have no instance. */
type AnyPlace = Omit<Place, "instance"> & { readonly instance: number | null };

/** Limit of public IPv4 addresses of an instance. The real service lets a user request more from support. */
const MAX_PUBLIC = 16;

const HOSTS_PER_NET = 250;

/** Gives the instance a public IPv4 address in 198.18.0.0/15, the range for tests (RFC 2544). */
export function allocatePublic(world: World, account: string, place: AnyPlace): AddressRow {
  const { net, host } = nextHost(world, "public-ipv4");
  const prefix = `198.${18 + Math.floor(net / 256)}.${net % 256}`;
  return keep(world, account, { ...ipv4(place, prefix, host), public: true });
}

export function allocatePrivate(world: World, account: string, place: Place): AddressRow {
  const { net, host } = nextHost(world, "private-ipv4");
  const row = ipv4(place, `192.168.${128 + (net % 128)}`, host);
  return keep(world, account, { ...row, public: false, gateway: null, prefix: 17, subnet_mask: "255.255.128.0" });
}

/** Gives the instance a SLAAC address, which depends only on the ID and the region of the instance. */
export function allocateSlaac(world: World, account: string, place: Place): AddressRow {
  const number = 0xf03c_0000 + place.instance;
  const low = `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
  const address = `2001:db8:${regionWord(place.region)}::${low}`;
  const subnet_mask = "ffff:ffff:ffff:ffff::";
  return keep(world, account, {
    address,
    type: "ipv6",
    public: true,
    ...place,
    gateway: "fe80::1",
    prefix: 64,
    subnet_mask,
    rdns: null,
    sharedWith: [],
  });
}

/** Replaces the addresses of an instance by the same number and types in another region. */
export function moveAddresses(world: World, account: string, place: Place): void {
  for (const row of world.store.children(ADDRESSES, account, place.instance)) {
    world.store.remove(ADDRESSES, account, row.address);
    if (row.type === "ipv6") allocateSlaac(world, account, place);
    else if (row.public) allocatePublic(world, account, place);
    else allocatePrivate(world, account, place);
  }
}

/** Returns the default reverse name of a public IPv4 address (part 3 section 2.3). */
export function defaultRdns(address: string): string {
  return `${address.replaceAll(".", "-")}.ip.example.com`;
}

/** Returns the IPv4 addresses in the order of the instance's response, public addresses first. */
export function ipv4Of(world: World, account: string, instance: number): string[] {
  const rows = world.store.children(ADDRESSES, account, instance).filter((row) => row.type === "ipv4");
  return rows.toSorted((left, right) => Number(right.public) - Number(left.public)).map((row) => row.address);
}

/** Returns the SLAAC address with the prefix length, or null. */
export function slaacOf(world: World, account: string, instance: number): string | null {
  const row = world.store.children(ADDRESSES, account, instance).find((address) => address.type === "ipv6");
  return row ? `${row.address}/128` : null;
}

/** Gives an instance one more IPv4 address, within the limits (part 3 section 4.3). */
export function allocate(context: Context, instance: Readonly<InstanceRow>, isPublic: boolean): AddressRow {
  const { world, account, caller } = context;
  const held = ipv4Rows(context, instance.id).filter((row) => row.public === isPublic);
  if (!isPublic && held.length > 0) throw refused("An instance has at most one private IPv4 address");
  if (held.length >= MAX_PUBLIC)
    throw refused("Additional IPv4 addresses require technical justification; please contact support");
  const place = { instance: instance.id, region: instance.region };
  const row = isPublic ? allocatePublic(world, account, place) : allocatePrivate(world, account, place);
  recordEvent(world, account, { action: "compute_addip", entity: instanceEntity(instance), caller });
  return row;
}

/** Returns the IPv4 addresses of an instance, oldest first. */
export function ipv4Rows({ world, account }: Context, instance: number): Readonly<AddressRow>[] {
  return world.store.children(ADDRESSES, account, instance).filter((row) => row.type === "ipv4");
}

/**
 * Returns the next host of a /24, from .2 on, because .1 is the gateway. A sequence never repeats, so addresses are not reused.
 */
function nextHost(world: World, sequence: string): { net: number; host: number } {
  const index = world.store.nextId(sequence) - 1;
  return { net: Math.floor(index / HOSTS_PER_NET), host: 2 + (index % HOSTS_PER_NET) };
}

function ipv4(place: AnyPlace, net: string, host: number): Omit<AddressRow, "public"> {
  const common = { prefix: 24, subnet_mask: "255.255.255.0", rdns: null, sharedWith: [] };
  return { address: `${net}.${host}`, type: "ipv4", ...place, gateway: `${net}.1`, ...common };
}

/** Returns four hexadecimal digits that identify the region in IPv6 addresses. */
function regionWord(region: string): string {
  let sum = 7;
  for (const letter of region) sum = (sum * 31 + letter.charCodeAt(0)) % 0xf000;
  return (0x1000 + sum).toString(16).padStart(4, "0");
}

function keep(world: World, account: string, row: AddressRow): AddressRow {
  return world.store.put(ADDRESSES, account, row);
}
