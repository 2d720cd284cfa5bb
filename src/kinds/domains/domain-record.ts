import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import {
  bare,
  normalTarget,
  recordName,
  recordProtocol,
  sentFields,
  shownTarget,
  wantedTarget,
  zoneOf,
} from "./record-content.ts";
import { hostShared, normalHost } from "./names.ts";
import { recordExamples } from "./record-examples.ts";
import { recordExport } from "./record-export.ts";
import { misfitOf } from "./record-rules.ts";
import { recordSpec } from "./record-spec.ts";
import { writtenText } from "./record-text.ts";
import { addressOf, addressReference, addressStatus, reportAddresses } from "../networking/address-ref.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { whole } from "../wire.ts";
import { optionalText } from "../text.ts";

/** Records of a domain: part 3, sections 2.4 and 4.4; not-shown, section 6. */
export const domainRecord = defineOwned({
  kind: "DomainRecord",
  plural: "domainrecords",
  shortNames: ["cprec"],
  noun: "DNS record",
  doc: "A DNS record of a Domain.",
  columns: [
    { name: "Domain", jsonPath: ".spec.domainRef.name" },
    { name: "Type", jsonPath: ".spec.type" },
    { name: "Record", jsonPath: ".status.name" },
    { name: "Target", jsonPath: ".spec.target", long: true },
    { name: "Address", jsonPath: ".status.referencedAddresses[0].address" },
    { name: "ID", jsonPath: ".status.id", priority: 1 },
  ],
  spec: recordSpec,
  status: z.object({
    name: optionalText(
      253,
      "Name relative to the domain, as the cloud API shows the name. Empty for the domain itself.",
    ),
    created: optionalTime("Creation time in the cloud."),
    ...addressStatus,
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
  references: {
    domainRef: { kind: "Domain", from: (spec) => spec.domainRef, contained: true },
    targetRef: { ...addressReference, from: (spec) => spec.targetRef },
  },
  reach: "own",
  labelFields: ["type", "name"],
  listPath: ({ refs }) => `/domains/${refs.domainRef.id}/records`,
  fields: {
    type: { desired: ({ spec }) => spec.type, observed: (wire) => wire.type, key: true, fixed: true },
    // The cloud API builds the name of an SRV record itself, from service and protocol.
    name: {
      desired: ({ spec, refs }) => (spec.type === "SRV" ? undefined : recordName(spec, zoneOf(refs.domainRef))),
      observed: (wire) => recordName(wire),
      normal: (text, wanted) => normalHost(text, zoneOf(wanted?.refs.domainRef)),
      key: true,
    },
    target: {
      specField: ["target", "targetRef"],
      desired: ({ spec, refs }) => (spec.targetRef ? refs.targetRef && addressOf(refs.targetRef) : wantedTarget(spec)),
      observed: (wire) => shownTarget(wire),
      normal: (text, wanted) => normalTarget(text, zoneOf(wanted?.refs.domainRef)),
      describe: (value) => (typeof value === "string" ? writtenText(value) : value),
      key: true,
    },
    priority: { desired: ({ spec }) => spec.priority, observed: (wire) => wire.priority, key: true },
    weight: { desired: ({ spec }) => spec.weight, observed: (wire) => wire.weight, key: true },
    port: { desired: ({ spec }) => spec.port, observed: (wire) => wire.port, key: true },
    service: {
      desired: ({ spec }) => spec.service && bare(spec.service),
      observed: (wire) => bare(wire.service),
      key: true,
    },
    protocol: {
      desired: ({ spec, refs }) => spec.protocol && recordProtocol(spec.protocol, zoneOf(refs.domainRef)),
      observed: (wire) => bare(wire.protocol),
      key: true,
    },
    tag: { desired: ({ spec }) => spec.tag, observed: (wire) => wire.tag, key: true },
    ttl_sec: {
      specField: "ttlSeconds",
      desired: ({ spec }) => spec.ttlSeconds,
      observed: (wire) => wire.ttl_sec,
      concerns: "none",
    },
  },
  unique: "none",
  createdField: "created",
  shares: ({ spec, refs }) => {
    const zone = zoneOf(refs.domainRef);
    return [hostShared([recordName(spec, zone), zone].filter(Boolean).join("."))];
  },
  misfit: ({ spec, refs }) => misfitOf(spec, zoneOf(refs.domainRef)),
  excludes: {
    relation: "A CNAME record cannot exist beside another record of the same name",
    field: "name",
    row: ({ spec, refs }) => {
      const own = recordName(spec, zoneOf(refs.domainRef));
      return (wire) => (spec.type === "CNAME" || wire.type === "CNAME") && recordName(wire) === own;
    },
    named: (wire) => `the ${wire.type} record ${recordName(wire)} ${shownTarget(wire)}`.slice(0, 120),
    spec: ({ spec, refs }) => {
      const zone = zoneOf(refs.domainRef);
      const own = recordName(spec, zone);
      return (other) => (spec.type === "CNAME" || other.type === "CNAME") && recordName(other, zone) === own;
    },
  },
  exports: { spec: ({ told, find }) => recordExport(told, find) },
  verbs: {
    create: ({ spec, refs }, body) => ({
      method: "POST",
      path: `/domains/${refs.domainRef.id}/records`,
      body: sentFields(spec.type, body, zoneOf(refs.domainRef)),
    }),
    update: ({ spec, refs, list, id }, body) => ({
      method: "PUT",
      path: `${list}/${id}`,
      body: sentFields(spec.type, body, zoneOf(refs.domainRef)),
    }),
  },
  report: ({ wire, refs }) => ({
    name: wire.name,
    ...(wire.created && { created: rfc3339(wire.created) }),
    ...reportAddresses(refs.targetRef),
  }),
  examples: recordExamples,
});
