/** What a DNS record says, in the one spelling in which wanted and found are compared. Not-shown, section 6. */
import type { Resolved } from "../../core/kind/reference.ts";
import { canonical } from "../networking/address.ts";
import { canonicalHost, normalHost } from "./names.ts";

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

/** Name relative to the domain `zone`, empty for its apex; the cloud API builds that of an SRV record itself. */
export function recordName({ type, name, service, protocol }: RecordContent, zone?: string): string {
  if (type === "SRV") return `_${bare(service)}._${bare(protocol)}`;
  const written = canonicalHost(name ?? "");
  if (zone === undefined) return written;
  if (written === zone) return "";
  return written.endsWith(`.${zone}`) ? written.slice(0, -zone.length - 1) : written;
}

/** The domain that records belong to, where it is known. */
export function zoneOf(domain: Pick<Resolved, "spec" | "row"> | undefined): string | undefined {
  const name = domain?.spec?.["domain"] ?? domain?.row?.["domain"];
  return typeof name === "string" ? canonicalHost(name) : undefined;
}

/** Target by type: addresses in their shortest form, host names in lower case without a trailing period, text without quotes around it. The cloud API completes a single label of an SRV record with the domain. */
export function recordTarget({ type, target }: RecordContent, zone?: string): string {
  const text = target ?? "";
  switch (type) {
    case "A":
    case "AAAA":
      return canonical(text);
    case "CNAME":
    case "MX":
    case "NS":
      return canonicalHost(text);
    case "SRV": {
      const host = canonicalHost(text);
      return zone === undefined || host === "" || host.includes(".") ? host : `${host}.${zone}`;
    }
    case "TXT":
      return /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text;
    default:
      return text;
  }
}

/** Returns the normal form of a target: as of a host name, and without quotes around a text. */
export function normalTarget(text: string, zone?: string): string {
  const target = text.trim();
  const isQuoted = target.length > 1 && target.startsWith('"') && target.endsWith('"');
  return normalHost(isQuoted ? target.slice(1, -1) : target, zone);
}

/** Service or protocol of an SRV record, without what the cloud API adds. */
export function bare(label: string | null | undefined): string {
  return (label ?? "").replace(/^_/, "").replace(/\.$/, "").toLowerCase();
}
