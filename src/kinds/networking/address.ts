/** IP addresses and networks: what is accepted, and the one way in which each is written when two are compared. */
import { isIPv4, isIPv6, SocketAddress } from "node:net";
import * as z from "zod";
import { cloudName } from "../../core/kind/leaf-class.ts";
import { rule } from "../../core/kind/schema.ts";

type Family = 4 | 6;

/** A bare address of one family, or of either. */
export function address(description: string, family?: Family) {
  return rule(z.string().min(2).max(45).describe(description), {
    cel: family ? `isIP(self) && ip(self).family() == ${family}` : "isIP(self)",
    check: (value) => familyOf(value) !== undefined && (family === undefined || familyOf(value) === family),
    message: family ? `must be an IPv${family} address` : "must be an IP address",
  });
}

/** An address of the account; see `cloudName`. IPAddresses and IPv6Ranges own the addresses that they created. */
export function ownAddress(description: string, family?: Family) {
  return cloudName("Address", address(description, family), { owners: ["IPAddress", "IPv6Range"], idOf: canonical });
}

/** A network, or one address, in the form address/prefix. */
export function network(description: string, family?: Family) {
  const kind = family ? `IPv${family} ` : "";
  return rule(z.string().min(4).max(49).describe(description), {
    cel: family ? `isCIDR(self) && cidr(self).ip().family() == ${family}` : "isCIDR(self)",
    check: (value) => networkFamily(value) !== undefined && (family === undefined || networkFamily(value) === family),
    message: `must be an ${kind}address with a prefix length, such as ${family === 6 ? "2001:db8::/64" : "192.0.2.0/24 or 192.0.2.1/32"}`,
  });
}

/** An address, or a network. */
export function addressOrNetwork(description: string) {
  return rule(z.string().min(2).max(49).describe(description), {
    cel: "isIP(self) || isCIDR(self)",
    check: (value) => familyOf(value) !== undefined || networkFamily(value) !== undefined,
    message: "must be an IP address, or a network such as 192.0.2.0/24",
  });
}

/** Returns the shortest spelling of an address or network (RFC 5952). Other texts stay as they are. */
export function canonical(value: string): string {
  const [host = "", prefix] = value.split("/");
  if (familyOf(host) !== 6) return value;
  const shortest = shortestSpelling(host);
  return prefix === undefined ? shortest : `${shortest}/${prefix}`;
}

/** A firewall can have six thousand networks. `SocketAddress` takes five times as long, so it spells only addresses that end in IPv4. */
function shortestSpelling(host: string): string {
  const [front = "", back] = host.toLowerCase().split("::");
  const start = groupsOf(front);
  const end = groupsOf(back ?? "");
  if (host.includes(".") || (start[0] ?? "0") === "0")
    return new SocketAddress({ address: host, family: "ipv6" }).address;
  const groups = [...start, ...Array<string>(8 - start.length - end.length).fill("0"), ...end];
  const zeros = longestZeros(groups);
  if (zeros.count < 2) return groups.join(":");
  return `${groups.slice(0, zeros.from).join(":")}::${groups.slice(zeros.from + zeros.count).join(":")}`;
}

function groupsOf(part: string): string[] {
  return part === "" ? [] : part.split(":").map(withoutZeros);
}

/** Cuts zeros off the start. The last digit stays. */
function withoutZeros(group: string): string {
  let start = 0;
  while (start < group.length - 1 && group.charAt(start) === "0") start += 1;
  return start === 0 ? group : group.slice(start);
}

/** Returns the first of the longest runs of zeros. */
function longestZeros(groups: string[]): { from: number; count: number } {
  let longest = { from: 0, count: 0 };
  for (let from = 0, count = 0, index = 0; index < groups.length; index += 1) {
    if (groups[index] !== "0") count = 0;
    else if (count++ === 0) from = index;
    if (count > longest.count) longest = { from, count };
  }
  return longest;
}

/** As `canonical`, a bare address with the prefix of a single one: the cloud API adds it (part 1, section 2.3). */
export function withPrefix(value: string): string {
  const family = familyOf(value);
  return canonical(family === undefined ? value : `${value}/${family === 4 ? 32 : 128}`);
}

function familyOf(value: string): Family | undefined {
  if (isIPv4(value)) return 4;
  return isIPv6(value) && !value.includes("%") ? 6 : undefined;
}

function networkFamily(value: string): Family | undefined {
  const [host = "", prefix = "", ...rest] = value.split("/");
  const family = familyOf(host);
  const fits = /^(0|[1-9][0-9]{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
  return rest.length === 0 && fits ? family : undefined;
}
