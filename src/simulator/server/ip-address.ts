import { isIP } from "node:net";

/**
 * Returns the family of an address, or 0. An IPv6 address with a zone (`fe80::1%eth0`) returns 0, because a zone has no
 * meaning on another host.
 */
export function familyOf(address: string): 0 | 4 | 6 {
  return address.includes("%") ? 0 : (isIP(address) as 0 | 4 | 6);
}

/** Returns true for an address or network with a prefix length: `192.0.2.0/24`, `2001:db8::/32`. */
export function isNetwork(text: string, family: 4 | 6): boolean {
  const [address = "", prefix = "", ...rest] = text.split("/");
  if (rest.length > 0 || familyOf(address) !== family) return false;
  return /^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

/** Returns the canonical text of an IPv6 address (RFC 5952). */
export function canonicalIPv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Returns the canonical text of an address. Other text stays unchanged. */
export function canonical(text: string): string {
  return familyOf(text) === 6 ? canonicalIPv6(text) : text;
}

/** Returns the subnet mask of an IPv6 prefix length. */
export function maskOf(prefix: number): string {
  const bits = Array.from({ length: 8 }, (_, index) => Math.min(16, Math.max(0, prefix - 16 * index)));
  return canonicalIPv6(bits.map((count) => ((0xffff << (16 - count)) & 0xffff).toString(16)).join(":"));
}
