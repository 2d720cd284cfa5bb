import { invalid } from "../server/errors.ts";
import type { Entity } from "../server/events.ts";
import type { Context } from "../server/operation.ts";
import { timestamp } from "../server/wire.ts";
import type { World } from "../server/world.ts";
import { isSameName } from "./names.ts";
import { DOMAINS, RECORDS } from "./tables.ts";
import type { DomainRow, RecordContent, RecordRow } from "./tables.ts";

/** Limit of active records in a domain (part 3 section 4.4). */
export const MAX_RECORDS = 12_000;

/** Default fields of a master. */
export const EMPTY_DOMAIN: Omit<DomainRow, "id" | "domain" | "soa_email" | "created" | "updated"> = {
  type: "master",
  status: "active",
  description: "",
  group: "",
  master_ips: [],
  axfr_ips: [],
  expire_sec: 0,
  refresh_sec: 0,
  retry_sec: 0,
  ttl_sec: 0,
  tags: [],
};

/** Throws 400 if a domain of any account has this name (part 3 section 2.4). */
export function requireFreeName({ world }: Context, name: string): void {
  const accounts = world.store.accounts(DOMAINS);
  const isTaken = accounts.some((account) =>
    world.store.find(DOMAINS, account, "domain", name).some((row) => isSameName(row.domain, name)),
  );
  if (isTaken) throw invalid("domain", "DNS zone already exists.");
}

/** Stores a new domain with records. */
export function addDomain(
  context: Context,
  fields: Omit<DomainRow, "id" | "created" | "updated">,
  records: readonly RecordContent[] = [],
): DomainRow {
  const { world, account, now } = context;
  const id = world.store.nextId("domain");
  const row = world.store.put(DOMAINS, account, { ...fields, id, created: now, updated: now });
  for (const content of records) addRecord(context, row.id, content);
  return row;
}

export function addRecord({ world, account, now }: Context, domainId: number, content: RecordContent): RecordRow {
  const id = world.store.nextId("record");
  return world.store.put(RECORDS, account, { ...content, id, domainId, created: now, updated: now });
}

export function recordsOf(world: World, account: string, domain: number): Readonly<RecordRow>[] {
  return world.store.children(RECORDS, account, domain);
}

/** Returns a domain in the form of the API (part 3 section 2.4). */
export function presentDomain({ created, updated, ...shown }: DomainRow): Record<string, unknown> {
  return { ...shown, errors: "", created: timestamp(created), updated: timestamp(updated) };
}

/** Returns a record in the form of the API (part 3 section 2.4). */
export function presentRecord({ domainId: _domainId, created, updated, ...shown }: RecordRow): Record<string, unknown> {
  return { ...shown, created: timestamp(created), updated: timestamp(updated) };
}

export function domainEntity(row: DomainRow): Entity {
  return { id: row.id, label: row.domain, type: "domain", url: `/v4/domains/${row.id}` };
}
