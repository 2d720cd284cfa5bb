import * as z from "zod";
import { invalid, notFound, refused } from "../server/errors.ts";
import { recordEvent } from "../server/events.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { given } from "../server/wire.ts";
import { domainOf } from "./domains.ts";
import { isSameName } from "./names.ts";
import { recordContent, recordFields, recordType } from "./record-content.ts";
import { MAX_RECORDS, addRecord, domainEntity, presentRecord, recordsOf } from "./stored-domains.ts";
import { RECORDS } from "./tables.ts";
import type { RecordContent, RecordRow } from "./tables.ts";

const path = "/domains/{domainId}/records";
const one = `${path}/{recordId}`;
const readable = { category: "domain", param: "domainId", permission: "read_only" } as const;
const writable = { category: "domain", param: "domainId", permission: "read_write" } as const;

/** Serves the records of a domain (part 3 section 4.4, not-shown section 6). */
export const recordOperations = [
  operation({
    method: "GET",
    path,
    summary: "List the records of a domain",
    scopes: ["domains:read_only"],
    entity: readable,
    paged: { filterable: ["type", "name", "target", "tag"] },
    handler(context) {
      const { world, account } = context;
      const { id } = domainOf(context);
      const by = (index: string) => (value: unknown) =>
        world.store.find(RECORDS, account, index, `${id} ${String(value)}`);
      const found = { name: by("name"), target: by("target") };
      return rowList(() => recordsOf(world, account, id), presentRecord, found);
    },
  }),
  operation({
    method: "POST",
    path,
    summary: "Create a record",
    scopes: ["domains:read_write"],
    entity: writable,
    body: z.object({ type: recordType, ...recordFields }),
    handler(context) {
      const { world, account, body, remoteAddress } = context;
      const { id, domain } = domainOf(context);
      if (body.type === "PTR") throw invalid("type", "PTR records are not created by hand");
      const content = recordContent(body, { remoteAddress, domain });
      if (world.store.count(RECORDS, account, id) >= MAX_RECORDS)
        throw refused(`A domain has at most ${MAX_RECORDS} records`);
      requireSingleAlias(context, id, content);
      const row = addRecord(context, id, content);
      tell(context, "dns_record_create", row);
      return presentRecord(row);
    },
  }),
  operation({
    method: "GET",
    path: one,
    summary: "View a record",
    scopes: ["domains:read_only"],
    entity: readable,
    handler: (context) => presentRecord(recordOf(context)),
  }),
  operation({
    method: "PUT",
    path: one,
    summary: "Change a record; its type stays",
    scopes: ["domains:read_write"],
    entity: writable,
    body: z.object(recordFields),
    handler(context) {
      const { world, account, body, remoteAddress, now } = context;
      const before = recordOf(context);
      const { domain } = domainOf(context);
      const surroundings = { remoteAddress, domain, stored: before.target };
      const content = recordContent({ ...before, ...given(body) }, surroundings);
      requireSingleAlias(context, before.domainId, content, before.id);
      const row = world.store.put(RECORDS, account, { ...before, ...content, updated: now });
      tell(context, "dns_record_update", row);
      return presentRecord(row);
    },
  }),
  operation({
    method: "DELETE",
    path: one,
    summary: "Delete a record",
    scopes: ["domains:read_write"],
    entity: writable,
    handler(context) {
      const row = recordOf(context);
      context.world.store.remove(RECORDS, context.account, row.id);
      tell(context, "dns_record_delete", row);
      return {};
    },
  }),
];

function recordOf(context: Context): Readonly<RecordRow> {
  const { id } = domainOf(context);
  const record = rowOf(context, RECORDS, context.params["recordId"]);
  if (record.domainId !== id) throw notFound();
  return record;
}

/** Throws 400 for a second CNAME record with the same name. */
function requireSingleAlias({ world, account }: Context, domain: number, content: RecordContent, own?: number): void {
  if (content.type !== "CNAME") return;
  const others = world.store.find(RECORDS, account, "name", `${domain} ${content.name}`);
  const clash = others.some((row) => row.type === "CNAME" && row.id !== own && isSameName(row.name, content.name));
  if (clash) throw invalid("name", "Record conflict - CNAMES must be unique");
}

function tell(context: Context, action: string, record: RecordRow): void {
  const { world, account, caller } = context;
  const domain = domainEntity(domainOf(context));
  const label = record.name || domain.label;
  const secondary = { id: record.id, label, type: "domain_record", url: `${domain.url}/records/${record.id}` };
  recordEvent(world, account, { action, entity: domain, secondary, caller });
}
