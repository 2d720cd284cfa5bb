/** Host names: the accepted form, and the normal form for comparisons. */
import * as z from "zod";
import { folded } from "../../core/kind/normal.ts";
import { asValue } from "../../core/kind/leaf-class.ts";
import { matching } from "../../core/kind/schema.ts";

/** Name of a domain: RFC 1035 labels (part 3, section 2.4), in lower case, so equal names are equal texts. */
export function domainName(description: string) {
  return matching(
    asValue(z.string().min(1).max(253)).describe(description),
    "^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?[.])+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$",
    "must be a domain name in lower case without a trailing period, and not an address; its labels have at most 63 characters",
  );
}

/** A host name in lower case and without the trailing period. */
export function canonicalHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** Returns the shared key of a host. A record and a reverse name of the host have the same key. */
export function hostShared(host: string): string {
  return `host ${canonicalHost(host)}`;
}

/** Returns the normal form of a host name: in lower case, without periods at the end, and without the domain `zone` at the end. */
export function normalHost(text: string, zone?: string): string {
  let name = folded(text);
  while (name.endsWith(".")) name = name.slice(0, -1);
  if (zone === undefined || !`.${name}`.endsWith(`.${zone}`)) return name;
  return normalHost(name.slice(0, -zone.length), zone);
}
