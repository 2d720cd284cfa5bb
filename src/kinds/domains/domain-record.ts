import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import { allowedFor, belonging, neededFor } from "../../core/kind/rules.ts";
import { immutable, matching, referenceTo, rule } from "../../core/kind/schema.ts";
import { bare, normalTarget, recordName, recordTarget, zoneOf } from "./record-content.ts";
import { normalHost } from "./names.ts";
import { recordExamples } from "./record-examples.ts";
import { recordRules } from "./record-rules.ts";
import { recordTtl } from "./timing.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { whole } from "../wire.ts";
import { optionalText } from "../text.ts";

const name = matching(
  asValue(z.string().min(1).max(100)).describe(
    "Host relative to the domain, or its full name; the domain itself if not given. The cloud API builds that of an SRV record.",
  ),
  "^[A-Za-z0-9_*]([A-Za-z0-9_.*/-]*[A-Za-z0-9_])?[.]?$",
  "must be a host name, such as www, *.shop or www.example.org; leave it out for the domain itself",
);

function serviceLabel(description: string) {
  return matching(
    asValue(z.string().min(1).max(62)).describe(description),
    "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$",
    "must have only letters, digits and dashes; the cloud API adds the underscore",
  );
}

const fields = z.object({
  domainRef: immutable(referenceTo("Domain")),
  type: immutable(
    z
      .enum(["A", "AAAA", "NS", "MX", "CNAME", "TXT", "SRV", "CAA"])
      .describe("Type of the record. Cannot be changed. PTR records are made through reverse DNS."),
  ),
  name: name.optional(),
  target: asValue(z.string().min(1).max(65535)).describe(
    "What the record says: an address (A, AAAA), a host name (CNAME, MX, NS, SRV), a text (TXT), a value (CAA).",
  ),
  priority: allowedFor(["MX", "SRV"], z.int().min(0).max(255).describe("Lower is preferred.")),
  weight: neededFor(["SRV"], z.int().min(0).max(65535).describe("Share among targets of the same priority.")),
  port: neededFor(["SRV"], z.int().min(0).max(65535).describe("Port on the target.")),
  service: neededFor(["SRV"], serviceLabel("Name of the service, such as sip.")),
  protocol: neededFor(["SRV"], serviceLabel("Protocol of the service, such as tcp.")),
  tag: neededFor(["CAA"], z.enum(["issue", "issuewild", "iodef"]).describe("What the value is about.")),
  ttlSeconds: recordTtl.optional(),
});

const spec = recordRules.reduce((schema, one) => rule(schema, one), belonging(fields, "type"));

/** Records of a domain: part 3, sections 2.4 and 4.4; not-shown, section 6. */
export const domainRecord = defineOwned({
  kind: "DomainRecord",
  plural: "domainrecords",
  shortNames: ["cprec"],
  doc: "A record of a Domain.",
  columns: [
    { name: "Domain", jsonPath: ".spec.domainRef.name" },
    { name: "Type", jsonPath: ".spec.type" },
    { name: "Record", jsonPath: ".status.name" },
    { name: "Target", jsonPath: ".spec.target" },
    { name: "ID", jsonPath: ".status.id", priority: 1 },
  ],
  spec,
  status: z.object({
    name: optionalText(253, "Name relative to the domain as the cloud has it; empty for the domain itself."),
    created: optionalTime("When it was created."),
  }),
  wire: z.object({
    id: whole(),
    type: z.string(),
    name: z
      .string()
      .nullish()
      .transform((value) => value ?? ""),
    target: z.string().nullish(),
    priority: whole().nullish(),
    weight: whole().nullish(),
    port: whole().nullish(),
    service: z.string().nullish(),
    protocol: z.string().nullish(),
    tag: z.string().nullish(),
    ttl_sec: whole().nullish(),
    created: z.string().nullish(),
  }),
  references: { domainRef: { kind: "Domain", from: (spec) => spec.domainRef, contained: true } },
  reach: "own",
  at: ({ refs }) => `/domains/${refs.domainRef.id}/records`,
  fields: {
    type: { want: ({ spec }) => spec.type, have: (wire) => wire.type, key: true, fixed: true },
    // The cloud API builds the name of an SRV record itself, from service and protocol.
    name: {
      want: ({ spec, refs }) => (spec.type === "SRV" ? undefined : recordName(spec, zoneOf(refs.domainRef))),
      have: (wire) => recordName(wire),
      normal: (text, wanted) => normalHost(text, zoneOf(wanted?.refs.domainRef)),
      key: true,
    },
    target: {
      want: ({ spec, refs }) => recordTarget(spec, zoneOf(refs.domainRef)),
      have: (wire) => recordTarget(wire),
      normal: (text, wanted) => normalTarget(text, zoneOf(wanted?.refs.domainRef)),
      key: true,
    },
    priority: { want: ({ spec }) => spec.priority, have: (wire) => wire.priority, key: true },
    weight: { want: ({ spec }) => spec.weight, have: (wire) => wire.weight, key: true },
    port: { want: ({ spec }) => spec.port, have: (wire) => wire.port, key: true },
    service: { want: ({ spec }) => spec.service && bare(spec.service), have: (wire) => bare(wire.service), key: true },
    protocol: {
      want: ({ spec }) => spec.protocol && bare(spec.protocol),
      have: (wire) => bare(wire.protocol),
      key: true,
    },
    tag: { want: ({ spec }) => spec.tag, have: (wire) => wire.tag, key: true },
    ttl_sec: { says: "ttlSeconds", want: ({ spec }) => spec.ttlSeconds, have: (wire) => wire.ttl_sec },
  },
  unique: "none",
  createdField: "created",
  report: ({ wire }) => ({ name: wire.name, ...(wire.created && { created: rfc3339(wire.created) }) }),
  examples: recordExamples,
});
