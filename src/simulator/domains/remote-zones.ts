import * as z from "zod";
import { invalid } from "../server/errors.ts";
import { SHARED } from "../server/store/store.ts";
import type { World } from "../server/world.ts";
import { recordContent, recordFields, recordType } from "./record-content.ts";
import { MAX_RECORDS } from "./stored-domains.ts";
import { REMOTE_ZONES } from "./tables.ts";
import type { RecordContent, RemoteZoneRow } from "./tables.ts";

/** Source addresses of zone transfers (part 3 section 4.4). */
export const TRANSFER_ADDRESSES = ["96.126.114.97", "96.126.114.98", "2600:3c00::5e", "2600:3c00::5f"];

/** A zone on an external name server, in a request to the control side. */
export const remoteZoneSchema = z.object({
  nameserver: z.string().min(1),
  domain: z.string().min(1),
  soa_email: z.string().optional(),
  /** Addresses allowed to transfer zones. Defaults to the documented addresses. */
  transferTo: z.array(z.string()).optional(),
  records: z.array(z.object({ type: recordType, ...recordFields })).optional(),
});
export type RemoteZone = z.input<typeof remoteZoneSchema>;

/** Stores a zone for imports. Replaces a previous zone with the same name server and domain. */
export function setRemoteZone(world: World, zone: RemoteZone): void {
  const {
    nameserver,
    domain,
    soa_email = null,
    transferTo = TRANSFER_ADDRESSES,
    records = [],
  } = remoteZoneSchema.parse(zone);
  const contents = records.map((record): RecordContent => recordContent(record, { remoteAddress: "", domain }));
  world.store.put(REMOTE_ZONES, SHARED, { nameserver, domain, soa_email, transferTo, records: contents });
}

/** Returns the zone on a name server. Throws 400 that names `remote_nameserver` if the transfer fails. */
export function transferZone(world: World, nameserver: string, domain: string): RemoteZoneRow {
  const failed = (why: string) => invalid("remote_nameserver", `Zone transfer of ${domain} failed: ${why}`);
  const zone = world.store.get(REMOTE_ZONES, SHARED, `${nameserver} ${domain}`.toLowerCase());
  if (!zone) throw failed(`no answer from ${nameserver}`);
  const refused = TRANSFER_ADDRESSES.find((address) => !zone.transferTo.includes(address));
  if (refused !== undefined) throw failed(`${nameserver} refuses ${refused}`);
  if (zone.records.length > MAX_RECORDS) throw failed(`more than ${MAX_RECORDS} records`);
  return zone;
}
