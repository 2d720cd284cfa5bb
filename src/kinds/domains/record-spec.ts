/** Fields of a DomainRecord: part 3, section 2.4; not-shown, sections 6 and 9. */
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { allowedFor, belonging, exactlyOneOf, neededFor } from "../../core/kind/rules.ts";
import { immutable, matching, referenceTo, rule } from "../../core/kind/schema.ts";
import { addressRef } from "../networking/address-ref.ts";
import { recordRules } from "./record-rules.ts";
import { recordTtl } from "./timing.ts";

const part = "[A-Za-z0-9_]([A-Za-z0-9_/-]{0,61}[A-Za-z0-9_])?";

const name = matching(
  asValue(z.string().min(1).max(100)).describe(
    "Host relative to the domain, or a full name in the domain, with or without a period at its end. Defaults to the domain itself. The cloud API builds the name of an SRV record.",
  ),
  `^([*]|([*][.])?${part}([.]${part})*)[.]?$`,
  "must be a host name, such as www, *.shop or www.example.org, whose labels have at most 63 characters; * is only the whole first label; leave it out for the domain itself",
);

const label = "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?";

const service = matching(
  asValue(z.string().min(1).max(62)).describe("Name of the service, such as sip."),
  `^${label}$`,
  "must have only letters, digits and dashes; the cloud API adds the underscore",
);

const protocol = matching(
  asValue(z.string().min(1).max(100)).describe(
    "Protocol of the service, such as tcp. For a service below a subdomain, such as play, tcp.play.",
  ),
  `^${label}([.]${label})*$`,
  "must have only letters, digits and dashes, and a period before each label of a subdomain, such as tcp.play; the cloud API adds the underscore",
);

const fields = z.object({
  domainRef: immutable(referenceTo("Domain")),
  type: immutable(
    z
      .enum(["A", "AAAA", "NS", "MX", "CNAME", "TXT", "SRV", "CAA"])
      .describe("Type of the record. Cannot be changed. For a PTR record, create a ReverseDNS."),
  ),
  name: name.optional(),
  target: asValue(z.string().min(1).max(65535))
    .describe(
      "Content of the record: an address (A, AAAA), a full host name (CNAME, MX, NS, SRV), a text (TXT), a value (CAA). The operator joins strings in quotes, as in zone files. A period alone is a null MX, or an SRV record without a target.",
    )
    .optional(),
  targetRef: addressRef(
    "Address of a different object, for an A or AAAA record. If the address changes, the operator updates the record. An IPv6Range gives its first address.",
  ).optional(),
  priority: allowedFor(
    ["MX", "SRV"],
    z
      .int()
      .min(0)
      .max(255)
      .describe("Priority of the target. Clients prefer the lowest value. Required for SRV. Defaults to 0 for MX."),
  ),
  weight: neededFor(["SRV"], z.int().min(0).max(65535).describe("Share of requests among targets of equal priority.")),
  port: neededFor(["SRV"], z.int().min(0).max(65535).describe("Port on the target.")),
  service: neededFor(["SRV"], service),
  protocol: neededFor(["SRV"], protocol),
  tag: neededFor(
    ["CAA"],
    z
      .enum(["issue", "issuewild", "iodef"])
      .describe(
        "Property of the CAA record. issue and issuewild permit an authority to issue certificates; iodef is an address for reports.",
      ),
  ),
  ttlSeconds: recordTtl.optional(),
});

const withTarget = exactlyOneOf(belonging(fields, "type"), ["target", "targetRef"], { fieldPath: ".target" });

export const recordSpec = recordRules.reduce((schema, one) => rule(schema, one), withTarget);
