/** What a record of a type must say: part 3, section 2.4. */
import { isIPv4, isIPv6 } from "node:net";
import type { RecordContent } from "./record-content.ts";

const host = "^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?[.])*[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?[.]?$";
const hostForm = new RegExp(host);

const withHost = new Set(["CNAME", "MX", "NS", "SRV"]);

interface RecordRule {
  cel: string;
  check: (record: RecordContent) => boolean;
  message: string;
}

export const recordRules: RecordRule[] = [
  {
    cel: "self.type != 'A' || (isIP(self.target) && ip(self.target).family() == 4)",
    check: ({ type, target }) => type !== "A" || isIPv4(target ?? ""),
    message: "target of an A record must be an IPv4 address",
  },
  {
    cel: "self.type != 'AAAA' || (isIP(self.target) && ip(self.target).family() == 6)",
    check: ({ type, target }) => type !== "AAAA" || isIPv6(target ?? ""),
    message: "target of an AAAA record must be an IPv6 address",
  },
  {
    cel: `!(self.type in ['CNAME', 'MX', 'NS', 'SRV']) || self.target.matches('${host}')`,
    check: ({ type, target }) => !withHost.has(type) || hostForm.test(target ?? ""),
    message: "target of a CNAME, MX, NS or SRV record must be a host name",
  },
  {
    // The last label of a host name is not a number (RFC 3696, section 2); an address is four of them.
    cel: "!(self.type in ['CNAME', 'MX', 'NS', 'SRV']) || !self.target.matches('^[0-9.]+$')",
    check: ({ type, target }) => !withHost.has(type) || !/^[0-9.]+$/.test(target ?? ""),
    message:
      "target of a CNAME, MX, NS or SRV record must be a host name, not an address: refer to a host that has an A or AAAA record",
  },
  {
    cel: "self.type != 'CAA' || !self.target.endsWith('.')",
    check: ({ type, target }) => type !== "CAA" || !target?.endsWith("."),
    message: "target of a CAA record must not end with a period",
  },
  {
    cel: "self.type != 'SRV' || has(self.priority)",
    check: ({ type, priority }) => type !== "SRV" || priority !== undefined,
    message: "priority must be given for the type SRV",
  },
  {
    cel: "self.type != 'SRV' || !has(self.name)",
    check: ({ type, name }) => type !== "SRV" || name === undefined,
    message: "name must not be given for an SRV record: the cloud API builds it from service and protocol",
  },
];
