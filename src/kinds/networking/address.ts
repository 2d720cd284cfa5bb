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

/** The shortest spelling of an address or network; what is neither stays as it is. */
export function canonical(value: string): string {
  const [host = "", prefix] = value.split("/");
  if (familyOf(host) !== 6) return value;
  const shortest = new SocketAddress({ address: host, family: "ipv6" }).address;
  return prefix === undefined ? shortest : `${shortest}/${prefix}`;
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
