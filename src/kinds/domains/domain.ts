import * as z from "zod";
import { defineKind } from "../../core/define-kind.ts";
import { immutable, referenceTo, rule, setOf, tags } from "../../core/schema.ts";
import { given, picked } from "../given.ts";
import { address, canonical } from "../networking/address.ts";
import { domainExamples } from "./domain-examples.ts";
import { domainName } from "./names.ts";
import { domainTiming, effective } from "./timing.ts";

const email = rule(
  z.string().min(3).max(320).describe("Mail address of the administrator, for the SOA record; a master needs it."),
  {
    cel: "self.matches('^[^@ ]+@[^@ ]+[.][^@ ]+$')",
    check: (value) => /^[^@ ]+@[^@ ]+[.][^@ ]+$/.test(value),
    message: "must be a mail address",
  },
);

function addresses(description: string) {
  return rule(setOf(address("An IP address."), 100).describe(description), {
    cel: "self.map(ip, size(ip)).sum() <= 1000",
    check: (ips) => ips.join("").length <= 1000,
    message: "may hold at most 1000 characters together",
  });
}

const source = rule(
  z.object({
    import: z
      .object({
        remoteNameserver: z
          .string()
          .min(1)
          .max(253)
          .describe("Name server to copy from; it must allow zone transfers (AXFR) to the service."),
      })
      .describe("Copy the zone of a name server elsewhere.")
      .optional(),
    clone: z
      .object({ domainRef: referenceTo("Domain") })
      .describe("Copy the records of another domain of the account.")
      .optional(),
  }),
  {
    cel: "has(self.import) != has(self.clone)",
    check: (value) => (value.import === undefined) !== (value.clone === undefined),
    message: "exactly one of import and clone must be given",
  },
).describe(
  "Where the records of the new domain come from; empty if not given. Used at creation only, cannot be changed.",
);

const fields = z.object({
  domain: immutable(domainName("The domain's name, unique in the whole service. Cannot be changed.")),
  type: immutable(
    z
      .enum(["master", "slave"])
      .describe("master: records are kept here. slave: they are copied from masterIPs. Cannot be changed."),
  ),
  soaEmail: email.optional(),
  description: z.string().min(1).max(253).describe("What the domain is for.").optional(),
  masterIPs: addresses("Name servers that a slave copies from.").optional(),
  axfrIPs: addresses("Who may copy the whole zone; keep empty unless that is meant.").optional(),
  ttlSeconds: domainTiming("How long resolvers may keep records that say nothing else", 86400).optional(),
  refreshSeconds: domainTiming("How often other name servers look for changes", 14400).optional(),
  retrySeconds: domainTiming("How long they wait after a failed look", 14400).optional(),
  expireSeconds: domainTiming("How long they answer without a successful look", 1209600).optional(),
  enabled: z.boolean().describe("Whether the domain is served; a new one is if not given.").optional(),
  group: z.string().min(1).max(50).describe("Group, for the account's own ordering.").optional(),
  tags: tags.optional(),
  source: immutable(source).optional(),
});

const withEmail = rule(fields, {
  cel: "self.type != 'master' || has(self.soaEmail)",
  check: ({ type, soaEmail }) => type !== "master" || soaEmail !== undefined,
  message: "soaEmail must be given for a domain of type master",
});
const spec = rule(withEmail, {
  cel: "self.type != 'slave' || (has(self.masterIPs) && size(self.masterIPs) > 0)",
  check: ({ type, masterIPs }) => type !== "slave" || (masterIPs !== undefined && masterIPs.length > 0),
  message: "masterIPs must name at least one server for a domain of type slave",
});

/** Domains: part 3, sections 2.4 and 4.4. */
export const domain = defineKind({
  kind: "Domain",
  plural: "domains",
  shortNames: ["cpdom"],
  doc: "A DNS domain in the service's name servers. Its records are DomainRecords.",
  columns: [
    { name: "Domain", jsonPath: ".spec.domain" },
    { name: "Type", jsonPath: ".spec.type", priority: 1 },
    { name: "State", jsonPath: ".status.state" },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec,
  status: z.object({ state: z.string().max(32).describe("active or disabled, in the API's words.").optional() }),
  wire: z.object({
    id: z.int(),
    domain: z.string(),
    type: z.string(),
    status: z.string().nullish(),
    soa_email: z.string().nullish(),
    description: z.string().nullish(),
    group: z.string().nullish(),
    master_ips: z.array(z.string()).nullish(),
    axfr_ips: z.array(z.string()).nullish(),
    ttl_sec: z.int().nullish(),
    refresh_sec: z.int().nullish(),
    retry_sec: z.int().nullish(),
    expire_sec: z.int().nullish(),
    tags: z.array(z.string()).nullish(),
  }),
  references: {
    "source.clone.domainRef": {
      kind: "Domain",
      from: (spec) => spec.source?.clone?.domainRef,
      creationOnly: true,
    },
  },
  collection: () => "/domains",
  eventEntity: "domain",
  tagged: true,
  lostCreate: { uniqueness: "enforced", billable: false, naturalKey: ({ spec }) => ({ domain: spec.domain }) },
  desired: ({ spec }) =>
    given({
      domain: spec.domain,
      type: spec.type,
      soa_email: spec.soaEmail,
      description: spec.description,
      group: spec.group,
      master_ips: spec.masterIPs && sorted(spec.masterIPs),
      axfr_ips: spec.axfrIPs && sorted(spec.axfrIPs),
      ...timings({
        ttl: spec.ttlSeconds,
        refresh: spec.refreshSeconds,
        retry: spec.retrySeconds,
        expire: spec.expireSeconds,
      }),
      status: spec.enabled === undefined ? undefined : spec.enabled ? "active" : "disabled",
      tags: spec.tags?.toSorted(),
    }),
  observed: (wire) => ({
    soa_email: wire.soa_email ?? null,
    description: wire.description ?? null,
    group: wire.group ?? null,
    master_ips: sorted(wire.master_ips ?? []),
    axfr_ips: sorted(wire.axfr_ips ?? []),
    ...timings({
      ttl: wire.ttl_sec ?? 0,
      refresh: wire.refresh_sec ?? 0,
      retry: wire.retry_sec ?? 0,
      expire: wire.expire_sec ?? 0,
    }),
    status: wire.status ?? null,
    tags: (wire.tags ?? []).toSorted(),
  }),
  verbs: {
    create: ({ spec, refs }, body) => {
      const action = "Create";
      const name = spec.domain;
      if (spec.source?.import) {
        const imported = { domain: name, remote_nameserver: spec.source.import.remoteNameserver };
        return { method: "POST", path: "/domains/import", body: imported, action, note: `domain ${name} imported` };
      }
      const original = refs["source.clone.domainRef"];
      return original
        ? {
            method: "POST",
            path: `/domains/${original.id}/clone`,
            body: picked(body, ["domain"]),
            action,
            note: `domain ${name} cloned from ${original.id}`,
          }
        : { method: "POST", path: "/domains", body, action, note: `domain ${name} created` };
    },
  },
  report: ({ wire }) => ({ state: wire.status ?? undefined }),
  examples: domainExamples,
});

interface Timings {
  ttl: number | undefined;
  refresh: number | undefined;
  retry: number | undefined;
  expire: number | undefined;
}

/** The timings with their defaults (part 3, section 2.4) in place of 0. */
function timings({ ttl, refresh, retry, expire }: Timings) {
  return given({
    ttl_sec: effective(ttl, 86400),
    refresh_sec: effective(refresh, 14400),
    retry_sec: effective(retry, 14400),
    expire_sec: effective(expire, 1209600),
  });
}

function sorted(ips: string[]): string[] {
  return ips.map(canonical).sort();
}
