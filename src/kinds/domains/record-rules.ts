/** Rules for records of a type: part 3, section 2.4; not-shown, section 9. */
import { isIPv4, isIPv6 } from "node:net";
import { at } from "../../core/kind/rules.ts";
import { canonicalHost } from "./names.ts";
import { isInside, recordName } from "./record-content.ts";
import type { RecordContent } from "./record-content.ts";
import { blank, closed, line, noText, opened, quoted, strings } from "./record-text.ts";

const host = "^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?[.])*[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?[.]?$";
const hostForm = new RegExp(host);

const withHost = new Set(["CNAME", "MX", "NS", "SRV"]);
const isHostType = "self.type in ['CNAME', 'MX', 'NS', 'SRV']";

/** The root of DNS: a null MX, and a service that is not available. */
const isRoot = "self.type in ['MX', 'SRV'] && self.target == '.'";

/** A value without quotes inside it, and without a period at its end. */
const caa = String.raw`^("[^"\r\n]*[^".\r\n]"|[^"\r\n]*[^".\r\n])(\r?\n)?$`;

/** A value of RFC 8659, section 4.2: an authority, and parameters; or a semicolon alone. */
const authority = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*";
const parameter = "[A-Za-z0-9]+[ ]*=([ ]*[!-:<-~]+)?";
const parameters = `;[ ]*(${parameter}([ ]*;[ ]*${parameter})*[ ]*(;[ ]*)?)?`;
const issuer = inQuotes(`[ ]*(${authority}[ ]*(${parameters})?|${parameters})`);

/** A URL of RFC 8659, section 4.4. */
const reportTo = inQuotes(String.raw`(mailto:[^"@\s]+@[^"@\s]+|https?://[^"\s]+)`);

/** A value with or without quotes around it, and a line break at the end. */
function inQuotes(value: string): string {
  return String.raw`^("${value}"|${value})(\r?\n)?$`;
}

interface RecordRule {
  cel: string;
  check: (record: RecordContent & { targetRef?: { address: string } | undefined }) => boolean;
  message: string;
  fieldPath?: string;
  path?: string[];
}

function fits(target: string | null | undefined, pattern: string): boolean {
  return new RegExp(pattern).test(target ?? "");
}

/** As CEL writes a regular expression in a text. */
function celText(pattern: string): string {
  return `r'${pattern}'`;
}

const targetRules: RecordRule[] = [
  {
    cel: "self.type != 'A' || (isIP(self.target) ? ip(self.target).family() == 4 : isCIDR(self.target) && cidr(self.target).ip().family() == 4 && cidr(self.target).prefixLength() == 32)",
    check: ({ type, target }) => type !== "A" || isIPv4((target ?? "").replace(/[/]32$/, "")),
    message: "target of an A record must be an IPv4 address",
  },
  {
    cel: "self.type != 'AAAA' || (isIP(self.target) ? ip(self.target).family() == 6 : isCIDR(self.target) && cidr(self.target).prefixLength() == 128)",
    check: ({ type, target }) => type !== "AAAA" || isIPv6((target ?? "").replace(/[/]128$/, "")),
    message: "target of an AAAA record must be an IPv6 address",
  },
  {
    cel: `!(${isHostType}) || (${isRoot}) || self.target.matches('${host}')`,
    check: ({ type, target }) => !withHost.has(type) || isNull(type, target) || hostForm.test(target ?? ""),
    message:
      "target of a CNAME, MX, NS or SRV record must be a host name; a period alone is for an MX or SRV record, and means none",
  },
  {
    cel: `!(${isHostType}) || self.target.contains('.')`,
    check: ({ type, target }) => !withHost.has(type) || (target ?? "").includes("."),
    message:
      "target of a CNAME, MX, NS or SRV record must be a full name. For the host server1 of the domain example.org, write server1.example.org. For the top-level name server1, write server1. with a period at the end",
  },
  {
    // The last label of a host name is not a number (RFC 3696, section 2); an address is four of them.
    cel: `!(${isHostType}) || !self.target.matches('^[0-9][0-9.]*$')`,
    check: ({ type, target }) => !withHost.has(type) || !/^[0-9][0-9.]*$/.test(target ?? ""),
    message:
      "target of a CNAME, MX, NS or SRV record must be a host name, not an address: refer to a host that has an A or AAAA record",
  },
  {
    cel: `self.type != 'TXT' || (self.target.matches(${celText(line)}) && !self.target.matches(${celText(blank)}) && !self.target.matches(${celText(noText)}))`,
    check: ({ type, target }) =>
      type !== "TXT" || (fits(target, line) && !fits(target, blank) && !fits(target, noText)),
    message:
      "target of a TXT record must be one line that is not empty. One line break at its end is removed. Write a long text as strings in quotes, separated by spaces",
  },
  {
    cel: `self.type != 'TXT' || !self.target.matches(${celText(quoted)}) || (self.target.matches(${celText(strings)}) && self.target.matches(${celText(opened)}) == self.target.matches(${celText(closed)}))`,
    check: ({ type, target }) =>
      type !== "TXT" ||
      !fits(target, quoted) ||
      (fits(target, strings) && fits(target, opened) === fits(target, closed)),
    message: String.raw`target of a TXT record that begins with a quote must be strings in quotes and nothing else, such as "v=spf1 mx -all". Remove a comment and text outside the quotes. An escape must be a backslash and a character, or a backslash and three digits from 000 to 255; bytes from 128 must be UTF-8`,
  },
  {
    cel: `self.type != 'CAA' || self.target.matches(${celText(caa)})`,
    check: ({ type, target }) => type !== "CAA" || fits(target, caa),
    message:
      "target of a CAA record must be the value alone, such as letsencrypt.org, with or without quotes around it, and must not end with a period",
  },
  {
    cel: `self.type != 'CAA' || !has(self.tag) || self.tag == 'iodef' || self.target.matches(${celText(issuer)})`,
    check: ({ type, tag, target }) => type !== "CAA" || tag === undefined || tag === "iodef" || fits(target, issuer),
    message:
      "target of a CAA record with the tag issue or issuewild must be the domain name of one authority, such as letsencrypt.org, or a semicolon alone, which permits no authority. Parameters follow a semicolon: letsencrypt.org; validationmethods=dns-01. Create one DomainRecord for each authority",
  },
  {
    cel: `self.type != 'CAA' || !has(self.tag) || self.tag != 'iodef' || self.target.matches(${celText(reportTo)})`,
    check: ({ type, tag, target }) => type !== "CAA" || tag !== "iodef" || fits(target, reportTo),
    message:
      "target of a CAA record with the tag iodef must be a URL, such as mailto:security@example.org or https://example.org/report",
  },
];

export const recordRules: RecordRule[] = [
  ...targetRules.map(({ cel, check, message }) => ({
    cel: `!has(self.target) || (${cel})`,
    check: (record: RecordContent) => record.target === undefined || check(record),
    message,
  })),
  {
    cel: "!has(self.targetRef) || (self.type == 'AAAA' ? self.targetRef.address == 'IPv6' : self.type == 'A' && self.targetRef.address != 'IPv6')",
    check: ({ type, targetRef }) => targetRef === undefined || type === (targetRef.address === "IPv6" ? "AAAA" : "A"),
    message:
      "targetRef of an A record must have address: Public or Private, of an AAAA record address: IPv6. Records of other types have target instead",
    fieldPath: ".targetRef",
  },
  {
    cel: "self.type != 'CNAME' || has(self.name)",
    check: ({ type, name }) => type !== "CNAME" || name !== undefined,
    message:
      "type CNAME needs spec.name, such as www: the domain itself has SOA and NS records, and a CNAME record cannot exist beside other records. Use A and AAAA records for the domain itself",
    ...at("name"),
  },
  {
    cel: "self.type != 'SRV' || has(self.priority)",
    check: ({ type, priority }) => type !== "SRV" || priority !== undefined,
    message: "type SRV needs spec.priority: a number from 0 to 255",
    ...at("priority"),
  },
  {
    cel: "self.type != 'SRV' || !has(self.name)",
    check: ({ type, name }) => type !== "SRV" || name === undefined,
    message:
      "spec.name is not for type SRV: the cloud API builds the name from spec.service and spec.protocol. For a service below a subdomain, such as play, set spec.protocol to tcp.play",
    ...at("name"),
  },
];

function isNull(type: string, target: string | null | undefined): boolean {
  return target === "." && (type === "MX" || type === "SRV");
}

/** Returns why a name does not fit into the domain, which admission does not know. */
export function misfitOf(record: RecordContent, zone: string | undefined): { field: string; why: string } | undefined {
  const { type, name } = record;
  if (zone === undefined || !name) return undefined;
  if (name.endsWith(".") && !isInside(canonicalHost(name), zone))
    return {
      field: "name",
      why: `${name} ends with a period, so it is a full name, and it is not in the domain ${zone}. The operator sends nothing. Name another Domain in spec.domainRef, or write the name relative to ${zone}, without a period at its end`,
    };
  if (type !== "CNAME" || recordName(record, zone) !== "") return undefined;
  return {
    field: "name",
    why: `${name} is the domain itself, which has SOA and NS records. A CNAME record cannot exist beside other records. The operator sends nothing. Use A and AAAA records for the domain itself`,
  };
}
