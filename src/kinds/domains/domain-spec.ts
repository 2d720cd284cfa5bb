/** Fields and rules of a Domain: part 3, section 2.4. */
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { at, exactlyOneOf } from "../../core/kind/rules.ts";
import { immutable, initially, matching, referenceTo, rule, setOf } from "../../core/kind/schema.ts";
import { tags } from "../../core/kind/tags.ts";
import { address } from "../networking/address.ts";
import { absentOrEmpty } from "../absent.ts";
import { domainName } from "./names.ts";
import { domainTiming } from "./timing.ts";

const email = matching(
  asValue(z.string().min(3).max(320)).describe(
    "Email address of the administrator, for the SOA record. Required for type master.",
  ),
  "^[^@ ]+@[^@ ][^@ .]*[.][^@ ]+$",
  "must be a mail address",
);

function addresses(description: string) {
  return rule(setOf(asValue(address("An IP address.")), 100).describe(description), {
    cel: "self.map(ip, size(ip)).sum() <= 1000",
    check: (ips) => ips.join("").length <= 1000,
    message: "may hold at most 1000 characters together",
  });
}

const source = exactlyOneOf(
  z.object({
    import: z
      .object({
        remoteNameserver: asValue(z.string().min(1).max(253)).describe(
          "Name server that sends the zone. The name server must allow zone transfers (AXFR) to the cloud.",
        ),
      })
      .describe("Copies the zone from an external name server.")
      .optional(),
    clone: z
      .object({ domainRef: referenceTo("Domain") })
      .describe("Copies the records of a different domain of the account.")
      .optional(),
  }),
  ["import", "clone"],
).describe(
  "Origin of the first records. Defaults to an empty domain. Only the create request uses this field. Cannot be changed.",
);

const fields = z.object({
  domain: immutable(domainName("Name of the domain, unique in the whole cloud. Cannot be changed.")),
  type: immutable(
    z
      .enum(["master", "slave"])
      .describe(
        "master: the cloud keeps the records. slave: the cloud copies the records from masterIPs. Cannot be changed.",
      ),
  ),
  soaEmail: email.optional(),
  description: asValue(z.string().min(1).max(253)).describe("Purpose of the domain, for information only.").optional(),
  masterIPs: addresses(
    "Name servers from which a domain of type slave copies its records. At least one entry for the type slave. If absent, the operator does not manage the list: the cloud keeps its entries.",
  ).optional(),
  axfrIPs: addresses(
    `Addresses that may copy the whole zone (AXFR). A zone transfer reveals every record: keep the list empty if you need no transfers. ${absentOrEmpty}`,
  ).optional(),
  ttlSeconds: domainTiming("Time for which resolvers may cache records without their own ttlSeconds", 86400).optional(),
  refreshSeconds: domainTiming("Interval between checks for changes by secondary name servers", 14400).optional(),
  retrySeconds: domainTiming("Time that secondary name servers wait after a failed check", 14400).optional(),
  expireSeconds: domainTiming(
    "Time for which secondary name servers answer without a successful check",
    1209600,
  ).optional(),
  enabled: initially(
    true,
    z
      .boolean()
      .describe(
        "Whether the cloud serves the domain. If absent, a new domain is served, and the operator never changes the state.",
      ),
  ).optional(),
  group: asValue(z.string().min(1).max(50)).describe("Group for sorting domains in the account.").optional(),
  tags: tags.optional(),
  source: immutable(source).optional(),
});

const withEmail = rule(fields, {
  cel: "self.type != 'master' || has(self.soaEmail)",
  check: ({ type, soaEmail }) => type !== "master" || soaEmail !== undefined,
  message: "type master needs spec.soaEmail: the mail address of the administrator, such as dns@example.org",
  ...at("soaEmail"),
});
export const domainSpec = rule(withEmail, {
  cel: "self.type != 'slave' || (has(self.masterIPs) && size(self.masterIPs) > 0)",
  check: ({ type, masterIPs }) => type !== "slave" || (masterIPs !== undefined && masterIPs.length > 0),
  message: "type slave needs spec.masterIPs: the addresses of the primary name servers",
  ...at("masterIPs"),
});
