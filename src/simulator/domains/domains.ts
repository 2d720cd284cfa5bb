/*
 * Serves domains, records and zone files, and the import from external name servers.
 * Guarantees: a name is unique across accounts. A record is checked by type before the write.
 * Imports server/ and the use of tags.
 */
import * as z from "zod";
import { grantToCreator } from "../server/auth/auth.ts";
import { invalid } from "../server/errors.ts";
import { recordEvent } from "../server/events.ts";
import { familyOf } from "../server/ip-address.ts";
import { tableList } from "../server/lists/table-list.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { given, optional, tagList, text } from "../server/wire.ts";
import { useTags } from "../tags/use-tags.ts";
import { isDomainName, isSameName } from "./names.ts";
import { EMPTY_DOMAIN, addDomain, domainEntity, presentDomain, recordsOf, requireFreeName } from "./stored-domains.ts";
import { DOMAINS, RECORDS } from "./tables.ts";
import type { DomainRow } from "./tables.ts";
import { domainTiming } from "./timing.ts";

const path = "/domains";
const one = `${path}/{domainId}`;
const MAX_ADDRESS_TEXT = 1000;

const addressList = z
  .array(z.string().refine((entry) => familyOf(entry) !== 0, "Must be an IP address"))
  .refine((list) => list.join("").length <= MAX_ADDRESS_TEXT, `At most ${MAX_ADDRESS_TEXT} characters combined`);

/** The name of a domain in a request (part 3 section 2.4). */
export const domainName = text(1, 253).refine(
  isDomainName,
  "Must be a domain name of two labels or more, each of at most 63 characters",
);

const type = z.enum(["master", "slave"]);
const domainSettings = {
  axfr_ips: optional(addressList),
  description: optional(text(1, 253)),
  expire_sec: domainTiming,
  group: optional(text(1, 50)),
  master_ips: optional(addressList),
  refresh_sec: domainTiming,
  retry_sec: domainTiming,
  soa_email: optional(z.email("Must be an e-mail address")),
  status: optional(z.enum(["active", "disabled"])),
  tags: optional(tagList),
  ttl_sec: domainTiming,
};

/** Empty text is allowed, because the API shows unset fields as empty text and clients send them back. */
const updateSettings = {
  ...domainSettings,
  description: optional(z.union([z.literal(""), text(1, 253)])),
  group: optional(z.union([z.literal(""), text(1, 50)])),
};

/** Serves domains: list, create, view, change, delete (part 3 section 4.4). */
export const domainOperations = [
  operation({
    method: "GET",
    path,
    summary: "List domains",
    scopes: ["domains:read_only"],
    paged: { filterable: ["domain", "group", "tags"] },
    handler: (context) => tableList(context, DOMAINS, presentDomain, { category: "domain" }),
  }),
  operation({
    method: "POST",
    path,
    summary: "Create a domain",
    scopes: ["domains:read_write"],
    grant: "add_domains",
    body: z.object({ ...domainSettings, domain: domainName, type }),
    handler(context) {
      const { domain, tags = [], soa_email = null, ...fields } = context.body;
      requireFreeName(context, domain);
      const row = { ...EMPTY_DOMAIN, ...given(fields), domain, soa_email, tags: useTags(context, tags) };
      requireServable(row);
      return created(context, "dns_zone_create", addDomain(context, row));
    },
  }),
  operation({
    method: "GET",
    path: one,
    summary: "View a domain",
    scopes: ["domains:read_only"],
    entity: { category: "domain", param: "domainId", permission: "read_only" },
    handler: (context) => presentDomain(domainOf(context)),
  }),
  operation({
    method: "PUT",
    path: one,
    summary: "Change a domain",
    scopes: ["domains:read_write"],
    entity: { category: "domain", param: "domainId", permission: "read_write" },
    body: z.object({ ...updateSettings, domain: optional(domainName), type: optional(type) }),
    handler(context) {
      const { world, account, body, caller, now } = context;
      const before = domainOf(context);
      if (body.domain !== undefined && !isSameName(body.domain, before.domain)) requireFreeName(context, body.domain);
      const tags = body.tags ? useTags(context, body.tags, before.tags) : before.tags;
      const changed = { ...before, ...given(body), tags, updated: now };
      requireServable(changed);
      world.store.put(DOMAINS, account, changed);
      recordEvent(world, account, { action: "dns_zone_update", entity: domainEntity(changed), caller });
      return presentDomain(changed);
    },
  }),
  operation({
    method: "DELETE",
    path: one,
    summary: "Delete a domain with its records",
    scopes: ["domains:read_write"],
    entity: { category: "domain", param: "domainId", permission: "read_write" },
    handler(context) {
      const { world, account, caller } = context;
      const row = domainOf(context);
      for (const record of recordsOf(world, account, row.id)) world.store.remove(RECORDS, account, record.id);
      world.store.remove(DOMAINS, account, row.id);
      recordEvent(world, account, { action: "dns_zone_delete", entity: domainEntity(row), caller });
      return {};
    },
  }),
];

/** Returns the domain in the path. Throws 404. */
export function domainOf(context: Context): Readonly<DomainRow> {
  return rowOf(context, DOMAINS, context.params["domainId"]);
}

/** Records the event of a new domain and grants access to the creator. Returns the response. */
export function created(context: Context, action: "dns_zone_create" | "dns_zone_import", row: DomainRow): unknown {
  const { world, account, caller } = context;
  grantToCreator(context, "domain", row.id);
  recordEvent(world, account, { action, entity: domainEntity(row), caller });
  return presentDomain(row);
}

/** Throws 400 for a master without a contact, or a slave without masters (part 3 section 2.4). */
function requireServable(row: Pick<DomainRow, "type" | "soa_email" | "master_ips">): void {
  if (row.type === "master" && row.soa_email === null) throw invalid("soa_email", "soa_email is required for a master");
  if (row.type === "slave" && row.master_ips.length === 0)
    throw invalid("master_ips", "At least one of master_ips is required for a slave");
}
