/** What a Domain takes: part 3, section 2.4. */
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { exactlyOneOf } from "../../core/kind/rules.ts";
import { immutable, matching, referenceTo, rule, setOf } from "../../core/kind/schema.ts";
import { tags } from "../../core/kind/tags.ts";
import { address } from "../networking/address.ts";
import { domainName } from "./names.ts";
import { domainTiming } from "./timing.ts";

const email = matching(
  asValue(z.string().min(3).max(320)).describe(
    "Mail address of the administrator, for the SOA record; a master needs it.",
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
          "Name server to copy from; it must allow zone transfers (AXFR) to the cloud.",
        ),
      })
      .describe("Copy the zone of a name server elsewhere.")
      .optional(),
    clone: z
      .object({ domainRef: referenceTo("Domain") })
      .describe("Copy the records of another domain of the account.")
      .optional(),
  }),
  ["import", "clone"],
).describe(
  "Where the records of the new domain come from; empty if not given. Used at creation only, cannot be changed.",
);

const fields = z.object({
  domain: immutable(domainName("The domain's name, unique in the whole cloud. Cannot be changed.")),
  type: immutable(
    z
      .enum(["master", "slave"])
      .describe("master: records are kept here. slave: they are copied from masterIPs. Cannot be changed."),
  ),
  soaEmail: email.optional(),
  description: asValue(z.string().min(1).max(253)).describe("What the domain is for.").optional(),
  masterIPs: addresses("Name servers that a slave copies from.").optional(),
  axfrIPs: addresses("Who may copy the whole zone; keep empty unless that is meant.").optional(),
  ttlSeconds: domainTiming("How long resolvers may keep records that say nothing else", 86400).optional(),
  refreshSeconds: domainTiming("How often other name servers check for changes", 14400).optional(),
  retrySeconds: domainTiming("How long they wait after a failed check", 14400).optional(),
  expireSeconds: domainTiming("How long they answer without a successful check", 1209600).optional(),
  enabled: z.boolean().describe("Whether the domain is served; a new one is if not given.").optional(),
  group: asValue(z.string().min(1).max(50)).describe("Group, for the account's own ordering.").optional(),
  tags: tags.optional(),
  source: immutable(source).optional(),
});

const withEmail = rule(fields, {
  cel: "self.type != 'master' || has(self.soaEmail)",
  check: ({ type, soaEmail }) => type !== "master" || soaEmail !== undefined,
  message: "soaEmail must be given for a domain of type master",
});
export const domainSpec = rule(withEmail, {
  cel: "self.type != 'slave' || (has(self.masterIPs) && size(self.masterIPs) > 0)",
  check: ({ type, masterIPs }) => type !== "slave" || (masterIPs !== undefined && masterIPs.length > 0),
  message: "masterIPs must name at least one server for a domain of type slave",
});
