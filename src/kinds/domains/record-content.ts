/** Name and target of a DNS record in the normal form for comparisons. Not-shown, sections 6 and 9. */
import type { JsonObject } from "../../api/types.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { canonical } from "../networking/address.ts";
import { canonicalHost, normalHost } from "./names.ts";
import { textMeant } from "./record-text.ts";

export interface RecordContent {
  type: string;
  name?: string | null | undefined;
  target?: string | null | undefined;
  priority?: number | null | undefined;
  weight?: number | null | undefined;
  port?: number | null | undefined;
  service?: string | null | undefined;
  protocol?: string | null | undefined;
  tag?: string | null | undefined;
}

/** Returns the name relative to the domain `zone`, empty for its apex. The cloud API builds the name of an SRV record. */
export function recordName({ type, name, service, protocol }: RecordContent, zone?: string): string {
  if (type === "SRV") return `_${bare(service)}._${relative(bare(protocol), zone)}`;
  return relative(canonicalHost(name ?? ""), zone);
}

function relative(name: string, zone: string | undefined): string {
  if (zone === undefined || !isInside(name, zone)) return name;
  return name.slice(0, -zone.length).replace(/\.$/, "");
}

/** Returns true for the name of the zone itself, and for a full name in the zone. */
export function isInside(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

/** Returns the domain that records belong to, if it is known. */
export function zoneOf(domain: Pick<Resolved, "spec" | "row"> | undefined): string | undefined {
  const name = domain?.spec?.["domain"] ?? domain?.row?.["domain"];
  return typeof name === "string" ? canonicalHost(name) : undefined;
}

/** Returns the target of a spec: joins strings in quotes, and removes the prefix of a single address. */
export function wantedTarget({ type, target }: RecordContent): string {
  const text = target ?? "";
  if (type === "TXT" || type === "CAA") return textMeant(text);
  const isAddress = type === "A" || type === "AAAA";
  return shownTarget({ type, target: isAddress ? text.replace(/[/](?:32|128)$/, "") : text });
}

/** Returns the target of a row: addresses in the shortest form, host names in lower case, other text unchanged. */
export function shownTarget({ type, target }: RecordContent): string {
  const text = target ?? "";
  if (type === "A" || type === "AAAA") return canonical(text);
  return ["CNAME", "MX", "NS", "SRV"].includes(type) ? host(text) : text;
}

/** A name of one label keeps the period. Without a period, the cloud API adds the domain to the target of an SRV record. */
function host(text: string): string {
  const name = canonicalHost(text);
  return name.includes(".") ? name : `${name}.`;
}

/** Returns the normal form of a target: as of a host name, and without quotes around a text. */
export function normalTarget(text: string, zone?: string): string {
  const target = text.trim();
  const isQuoted = target.length > 1 && target.startsWith('"') && target.endsWith('"');
  return normalHost(isQuoted ? target.slice(1, -1) : target, zone);
}

/** Returns a service or protocol of an SRV record without the marks that the cloud API adds. */
export function bare(label: string | null | undefined): string {
  return (label ?? "").replace(/^_/, "").replace(/\.$/, "").toLowerCase();
}

/** Returns the protocol of an SRV record relative to the domain. A protocol can carry a subdomain, such as `tcp.play`. */
export function recordProtocol(protocol: string, zone: string | undefined): string {
  return relative(bare(protocol), zone);
}

/**
 * Returns the fields of a request. The cloud API takes an empty target for a null MX. It removes the domain from the end of a
 * name, so a relative name that ends with the domain is sent as a full name.
 */
export function sentFields(type: string, body: JsonObject, zone: string | undefined): JsonObject {
  const { name, target } = body;
  const isDoubled = zone !== undefined && typeof name === "string" && isInside(name, zone);
  return {
    ...body,
    ...(isDoubled && { name: `${name}.${zone}` }),
    ...(type === "MX" && target === "." && { target: "" }),
  };
}
