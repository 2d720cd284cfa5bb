/** What a DNS record says, in the one spelling in which wanted and found are compared. Not-shown, section 6. */
import { canonical } from "../networking/address.ts";
import { canonicalHost } from "./names.ts";

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

/** Name relative to the domain, empty for its apex; the cloud API builds that of an SRV record itself. */
export function recordName({ type, name, service, protocol }: RecordContent): string {
  return type === "SRV" ? `_${bare(service)}._${bare(protocol)}` : (name ?? "").toLowerCase();
}

/** Target by type: addresses in their shortest form, host names in lower case without a trailing period, text without quotes around it. */
export function recordTarget({ type, target }: RecordContent): string {
  const text = target ?? "";
  switch (type) {
    case "A":
    case "AAAA":
      return canonical(text);
    case "CNAME":
    case "MX":
    case "NS":
    case "SRV":
      return canonicalHost(text);
    case "TXT":
      return /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text;
    default:
      return text;
  }
}

/** Service or protocol of an SRV record, without what the cloud API adds. */
export function bare(label: string | null | undefined): string {
  return (label ?? "").replace(/^_/, "").replace(/\.$/, "").toLowerCase();
}
