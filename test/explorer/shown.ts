/** What the rows of each kind show of its spec: what the explorer knows by itself of the mappings. */
import type { JsonObject } from "../../src/api/types.ts";
import type { CloudRow } from "../world/rows.ts";

export type Shown = (spec: JsonObject, row: CloudRow) => { [what: string]: [wanted: unknown, shown: unknown] };

export const shown = {
  instance: (spec, { fields }) => ({
    tags: [spec["tags"], ownTags(fields)],
    type: [spec["type"], fields["type"]],
    image: [spec["image"], fields["image"]],
    power: [power(spec), fields["status"]],
    backups: [enabled(spec["backups"]), enabled(fields["backups"])],
  }),
  firewall: (spec, { fields }) => {
    const rules = (fields["rules"] ?? {}) as JsonObject;
    return {
      tags: [spec["tags"], ownTags(fields)],
      enabled: [spec["enabled"] === undefined ? undefined : spec["enabled"] ? "enabled" : "disabled", fields["status"]],
      inboundPolicy: [spec["inboundPolicy"], rules["inbound_policy"]],
      inbound: [((spec["inbound"] ?? []) as unknown[]).length, ((rules["inbound"] ?? []) as unknown[]).length],
    };
  },
  domain: (spec, { fields }) => ({
    description: [spec["description"], fields["description"]],
    soaEmail: [spec["soaEmail"], fields["soa_email"]],
    ttlSeconds: [spec["ttlSeconds"], fields["ttl_sec"]],
  }),
  record: (spec, { fields }) => ({
    target: [spec["target"], fields["target"]],
    ttlSeconds: [spec["ttlSeconds"], fields["ttl_sec"]],
  }),
  bucket: (spec, { beside }) => {
    const access = (beside["access"] ?? {}) as JsonObject;
    return { acl: [spec["acl"], access["acl"]], corsEnabled: [spec["corsEnabled"], access["cors_enabled"]] };
  },
  disk: (spec, { fields }) => ({ filesystem: [spec["filesystem"], fields["filesystem"]] }),
  image: (spec, { fields }) => ({ description: [spec["description"], fields["description"]] }),
  database: (spec, { fields }) => ({ allowList: [spec["allowList"], fields["allow_list"]] }),
} satisfies { [name: string]: Shown };

/** What the spec does not say differs in nothing. */
export function differs([wanted, have]: [unknown, unknown]): boolean {
  return wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(have);
}

function ownTags({ tags }: JsonObject): unknown {
  return ((tags ?? []) as string[]).filter((tag) => !tag.startsWith("cpo"));
}

function enabled(given: unknown): unknown {
  return (given as { enabled?: boolean } | undefined)?.enabled;
}

function power({ powerState }: JsonObject): string | undefined {
  return typeof powerState === "string" ? powerState.toLowerCase() : undefined;
}
