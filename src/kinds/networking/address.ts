/** IP addresses and networks: the accepted forms, and the normal form for comparisons. */
import { isIPv4, isIPv6, SocketAddress } from "node:net";
import * as z from "zod";
import { cloudName } from "../../core/kind/leaf-class.ts";
import { rule } from "../../core/kind/schema.ts";

type Family = 4 | 6;

/** Describes an address without prefix length. Without `family`, the field accepts IPv4 and IPv6. */
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

/** Describes a network in the form address/prefix. A single address has its full prefix length. */
export function network(description: string, family?: Family) {
  const full = family === 6 ? 128 : 32;
  const example = family === 6 ? "2001:db8::/64" : "192.0.2.0/24";
  const one = family === 6 ? "2001:db8::1/128" : "192.0.2.1/32";
  const message = `must be ${family ? `an IPv${family}` : "a"} network in CIDR form, such as ${example}. One address is ${one}`;
  const isAddress = (value: string): boolean => familyOf(value) === (family ?? 4);
  return rule(z.string().min(4).max(43).describe(description), {
    cel: family ? `isCIDR(self) && cidr(self).ip().family() == ${family}` : "isCIDR(self)",
    check: (value) => networkFamily(value) !== undefined && (family === undefined || networkFamily(value) === family),
    message,
    messageExpression: `isIP(self) && ip(self).family() == ${family ?? 4} ? 'has no prefix length. To mean this one address, write ' + self + '/${full}' : '${message}'`,
    told: (value) =>
      isAddress(value) ? `has no prefix length. To mean this one address, write ${value}/${full}` : message,
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

/** Returns the shortest spelling of an address or network (RFC 5952). Returns other text unchanged. */
export function canonical(value: string): string {
  const slash = value.indexOf("/");
  if (slash !== value.lastIndexOf("/")) return value;
  const host = slash === -1 ? value : value.slice(0, slash);
  // An IPv4 address has one spelling, and `SocketAddress` spells addresses that end in IPv4.
  const shortest =
    host.includes(".") || host.startsWith("::") || host.startsWith("0") ? spelled(host) : shortestOf(host);
  if (shortest === undefined || shortest === host) return value;
  return slash === -1 ? shortest : shortest + value.slice(slash);
}

/** Returns undefined if the text is not an IPv6 address. */
function spelled(host: string): string | undefined {
  return familyOf(host) === 6 ? new SocketAddress({ address: host, family: "ipv6" }).address : undefined;
}

/** The groups of the current address. All calls share the array, because a firewall can have six thousand networks. */
const groups = new Uint16Array(8);

/** Does the same as `spelled`, twenty times faster. Only for an IPv6 address without an embedded IPv4 address, and with a first group above zero. */
function shortestOf(host: string): string | undefined {
  if (!readGroups(host)) return undefined;
  let [from, length] = [0, 0];
  for (let start = 0; start < 8; start += 1) {
    let end = start;
    while (end < 8 && groups[end] === 0) end += 1;
    if (end - start > length) [from, length] = [start, end - start];
    start = end;
  }
  if (length < 2) return textOf(0, 8);
  return `${textOf(0, from)}::${textOf(from + length, 8)}`;
}

function textOf(start: number, end: number): string {
  let text = "";
  for (let index = start; index < end; index += 1)
    text += (index === start ? "" : ":") + (groups[index] ?? 0).toString(16);
  return text;
}

/** Reads the groups of an address. Returns false if the text is not an address. */
function readGroups(host: string): boolean {
  let [count, gap, at] = [0, -1, 0];
  while (at < host.length) {
    let [value, digits] = [0, 0];
    for (let digit = digitAt(host, at); digit >= 0 && digits < 4; digit = digitAt(host, at)) {
      value = value * 16 + digit;
      digits += 1;
      at += 1;
    }
    if (digits === 0 || count === 8) return false;
    groups[count] = value;
    count += 1;
    if (at === host.length) break;
    if (host.charCodeAt(at) !== colon) return false;
    at += 1;
    if (at === host.length) return false;
    if (host.charCodeAt(at) !== colon) continue;
    if (gap >= 0) return false;
    gap = count;
    at += 1;
  }
  if (gap < 0) return count === 8;
  if (count === 8) return false;
  groups.copyWithin(8 - count + gap, gap, count);
  groups.fill(0, gap, 8 - count + gap);
  return true;
}

const colon = ":".charCodeAt(0);

/** Returns the value of a hexadecimal digit, or -1 if the character is not a digit. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** Returns the canonical spelling. Adds the full prefix length to an address, as the cloud API does (part 1, section 2.3). */
export function withPrefix(value: string): string {
  const family = familyOf(value);
  return canonical(family === undefined ? value : `${value}/${family === 4 ? 32 : 128}`);
}

function familyOf(value: string): Family | undefined {
  if (!value.includes(":")) return isIPv4(value) ? 4 : undefined;
  if (!value.includes(".") && !value.startsWith(":")) return readGroups(value) ? 6 : undefined;
  return isIPv6(value) && !value.includes("%") ? 6 : undefined;
}

function networkFamily(value: string): Family | undefined {
  const [host = "", prefix = "", ...rest] = value.split("/");
  const family = familyOf(host);
  const fits = /^(0|[1-9][0-9]{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
  return rest.length === 0 && fits ? family : undefined;
}
