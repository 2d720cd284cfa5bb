import { isSameName } from "../../domains/names.ts";
import { DOMAINS, RECORDS, REMOTE_ZONES } from "../../domains/tables.ts";
import type { RecordContent } from "../../domains/tables.ts";
import { canonical } from "../../server/ip-address.ts";
import { SHARED } from "../../server/store/store.ts";
import type { World } from "../../server/world.ts";
import { defaultRdns } from "./allocation.ts";

/**
 * True if the name leads to the address: by an active domain of the platform, by a zone elsewhere that the control side told,
 * or because the platform itself gave the name.
 */
export function leadsTo(world: World, name: string, address: string): boolean {
  if (isSameName(name, defaultRdns(address))) return true;
  const { store } = world;
  const isOurs = store.accounts(DOMAINS).some((account) =>
    store
      .all(DOMAINS, account)
      .filter((row) => row.status === "active" && isWithin(name, row.domain))
      .some((row) => answers(store.children(RECORDS, account, row.id), row.domain, name, address)),
  );
  return isOurs || store.all(REMOTE_ZONES, SHARED).some((zone) => answers(zone.records, zone.domain, name, address));
}

function isWithin(name: string, domain: string): boolean {
  return isSameName(name, domain) || name.toLowerCase().endsWith(`.${domain.toLowerCase()}`);
}

function answers(records: readonly RecordContent[], domain: string, name: string, address: string): boolean {
  return records.some((record) => {
    if (record.type !== "A" && record.type !== "AAAA") return false;
    const full = record.name === "" ? domain : `${record.name}.${domain}`;
    return isSameName(full, name) && canonical(record.target) === canonical(address);
  });
}
