import { operation } from "../server/operation.ts";
import { domainOf } from "./domains.ts";
import { recordsOf } from "./stored-domains.ts";
import { zoneText } from "./zone-text.ts";

/** Serves the zone file of a domain (not-shown section 6). */
export const zoneFileOperations = [
  operation({
    method: "GET",
    path: "/domains/{domainId}/zone-file",
    summary: "View the zone file of a domain",
    scopes: ["domains:read_only"],
    entity: { category: "domain", param: "domainId", permission: "read_only" },
    handler(context) {
      const domain = domainOf(context);
      const records = recordsOf(context.world, context.account, domain.id);
      const serial = records.reduce((latest, row) => Math.max(latest, Math.floor(row.updated / 1000)), 1);
      return { zone_file: zoneText(domain, records, serial) };
    },
  }),
];
