import { isIP } from "node:net";

/** True for an address or network of this family with its prefix length: `192.0.2.0/24`, `2001:db8::/32`. */
export function isNetwork(text: string, family: 4 | 6): boolean {
  const [address = "", prefix = "", ...rest] = text.split("/");
  if (rest.length > 0 || isIP(address) !== family) return false;
  return /^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}
