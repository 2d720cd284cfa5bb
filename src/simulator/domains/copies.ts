import * as z from "zod";
import { operation } from "../server/operation.ts";
import { text } from "../server/wire.ts";
import { created, domainName, domainOf } from "./domains.ts";
import { transferZone } from "./remote-zones.ts";
import { EMPTY_DOMAIN, addDomain, recordsOf, requireFreeName } from "./stored-domains.ts";

/** Serves the import of a domain from an external name server, and the clone of a domain (part 3 section 4.4). */
export const domainCopyOperations = [
  operation({
    method: "POST",
    path: "/domains/import",
    summary: "Import a domain by a zone transfer from a remote name server",
    scopes: ["domains:read_write"],
    grant: "add_domains",
    body: z.object({ domain: domainName, remote_nameserver: text(1, 253) }),
    handler(context) {
      const { domain, remote_nameserver } = context.body;
      requireFreeName(context, domain);
      const zone = transferZone(context.world, remote_nameserver, domain);
      const soa_email = zone.soa_email ?? `hostmaster@${domain}`;
      return created(
        context,
        "dns_zone_import",
        addDomain(context, { ...EMPTY_DOMAIN, domain, soa_email }, zone.records),
      );
    },
  }),
  operation({
    method: "POST",
    path: "/domains/{domainId}/clone",
    summary: "Clone a domain with all of its records",
    scopes: ["domains:read_write"],
    grant: "add_domains",
    params: { domainId: "text" },
    entity: { category: "domain", param: "domainId", permission: "read_only" },
    body: z.object({ domain: domainName }),
    handler(context) {
      const { domain } = context.body;
      const { id, ...source } = domainOf(context);
      requireFreeName(context, domain);
      const records = recordsOf(context.world, context.account, id);
      return created(context, "dns_zone_create", addDomain(context, { ...source, domain, tags: [] }, records));
    },
  }),
];
