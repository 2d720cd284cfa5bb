import * as z from "zod";
import { tagsField } from "../../core/kind/tags.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import { canonical } from "../networking/address.ts";
import { domainExamples } from "./domain-examples.ts";
import { domainSpec } from "./domain-spec.ts";
import { canonicalHost, normalHost } from "./names.ts";
import { effective } from "./timing.ts";
import { inStatus, whole } from "../wire.ts";
import { optionalText } from "../text.ts";

/** Domains: part 3, sections 2.4 and 4.4. */
export const domain = defineOwned({
  kind: "Domain",
  plural: "domains",
  shortNames: ["cpdom"],
  doc: "A DNS domain in the name servers of the cloud. Its records are DomainRecords.",
  columns: [
    { name: "Domain", jsonPath: ".spec.domain" },
    { name: "Type", jsonPath: ".spec.type", priority: 1 },
    { name: "State", jsonPath: ".status.state" },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec: domainSpec,
  status: z.object({ state: optionalText(32, "State in the cloud API: active or disabled.") }),
  wire: z.object({
    id: whole(),
    domain: z.string(),
    type: z.string(),
    status: z.string().nullish(),
    soa_email: z.string().nullish(),
    description: z.string().nullish(),
    group: z.string().nullish(),
    master_ips: z.array(z.string()).nullish(),
    axfr_ips: z.array(z.string()).nullish(),
    ttl_sec: whole().nullish(),
    refresh_sec: whole().nullish(),
    retry_sec: whole().nullish(),
    expire_sec: whole().nullish(),
    tags: z.array(z.string()).nullish(),
  }),
  references: {
    "source.clone.domainRef": {
      kind: "Domain",
      from: (spec) => spec.source?.clone?.domainRef,
      creationOnly: true,
    },
  },
  reach: "own",
  overlaps: {
    field: "domain",
    relation: "is above or below a zone",
    test: ({ domain: name }, wire) =>
      isAbove(canonicalHost(wire.domain), name) || isAbove(name, canonicalHost(wire.domain)),
  },
  labelFields: ["domain"],
  listPath: () => "/domains",
  eventEntity: "domain",
  fields: {
    domain: {
      desired: ({ spec }) => spec.domain,
      observed: (wire) => canonicalHost(wire.domain),
      normal: (text) => normalHost(text),
      key: true,
      fixed: true,
    },
    type: { desired: ({ spec }) => spec.type, observed: (wire) => wire.type, on: "create" },
    soa_email: { desired: ({ spec }) => spec.soaEmail, observed: (wire) => wire.soa_email, concerns: "none" },
    description: { desired: ({ spec }) => spec.description, observed: (wire) => wire.description, concerns: "none" },
    group: { desired: ({ spec }) => spec.group, observed: (wire) => wire.group, concerns: "none" },
    master_ips: { desired: ({ spec }) => sorted(spec.masterIPs), observed: (wire) => sorted(wire.master_ips ?? []) },
    axfr_ips: {
      desired: ({ spec }) => sorted(spec.axfrIPs),
      observed: (wire) => sorted(wire.axfr_ips ?? []),
      concerns: "access",
    },
    ttl_sec: timing("ttlSeconds", "ttl_sec", 86400),
    refresh_sec: timing("refreshSeconds", "refresh_sec", 14400),
    retry_sec: timing("retrySeconds", "retry_sec", 14400),
    expire_sec: timing("expireSeconds", "expire_sec", 1209600),
    status: {
      specField: "enabled",
      desired: ({ spec }) => stateOf(spec.enabled),
      observed: (wire) => wire.status,
      describe: (state) => state === "active",
    },
    tags: tagsField,
  },
  specFields: { remote_nameserver: "source.import.remoteNameserver" },
  unique: "enforced",
  loses: "the zone with all its records",
  ready: ({ wire: { status } }) =>
    !status || status === "active" || status === "disabled" ? { ready: true } : inStatus(status),
  verbs: {
    create: ({ spec, refs }, body) => {
      const { domain } = spec;
      const original = refs["source.clone.domainRef"];
      if (original) return { method: "POST", path: `/domains/${original.id}/clone`, body: { domain } };
      if (!spec.source?.import) return { method: "POST", path: "/domains", body };
      const { remoteNameserver } = spec.source.import;
      return { method: "POST", path: "/domains/import", body: { domain, remote_nameserver: remoteNameserver } };
    },
  },
  report: ({ wire }) => ({ state: wire.status ?? undefined }),
  examples: domainExamples,
});

function isAbove(zone: string, name: string): boolean {
  return name.endsWith(`.${zone}`);
}

/** Maps a timing. 0 means the default (part 3, section 2.4). */
function timing<S extends string, W extends string>(ofSpec: S, ofWire: W, byDefault: number) {
  return {
    specFields: ofSpec,
    desired: ({ spec }: { spec: { [field in S]?: number | undefined } }) => effective(spec[ofSpec], byDefault),
    observed: (wire: { [field in W]?: number | null | undefined }) => effective(wire[ofWire] ?? 0, byDefault),
    concerns: "none" as const,
  };
}

function stateOf(enabled: boolean | undefined): string | undefined {
  return enabled === undefined ? undefined : enabled ? "active" : "disabled";
}

function sorted(ips: string[] | undefined): string[] | undefined {
  return ips?.map(canonical).sort();
}
