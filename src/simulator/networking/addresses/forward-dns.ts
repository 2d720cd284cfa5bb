import { isSameName } from "../../domains/names.ts";
import { DOMAINS, RECORDS, REMOTE_ZONES } from "../../domains/tables.ts";
import type { RecordContent } from "../../domains/tables.ts";
import { canonical } from "../../server/ip-address.ts";
import { SHARED } from "../../server/store/store.ts";
import type { World } from "../../server/world.ts";
import { defaultRdns } from "./allocation.ts";

/**
 * Returns true if the name resolves to the address:
 * as a default reverse name, by an active domain of the platform, by an external zone of the control side, or below
 * `nip.io`, which resolves names that contain an address.
 */
export function leadsTo(world: World, name: string, address: string): boolean {
  if (isSameName(name, defaultRdns(address)) || isSameName(name, `${address}.nip.io`)) return true;
  return isServed(world, name, (target) => canonical(target) === canonical(address));
}

/** Returns true if the name resolves to any address. */
export function isNamed(world: World, name: string): boolean {
  return isServed(world, name, () => true);
}

function isServed({ store }: World, name: string, fits: (target: string) => boolean): boolean {
  const isOurs = store.accounts(DOMAINS).some((account) =>
    namesAbove(name)
      .flatMap((domain) => store.find(DOMAINS, account, "domain", domain))
      .filter((row) => row.status === "active")
      .some((row) => answers(store.children(RECORDS, account, row.id), row.domain, name, fits)),
  );
  return isOurs || store.all(REMOTE_ZONES, SHARED).some((zone) => answers(zone.records, zone.domain, name, fits));
}

/** Returns the domains that can contain a name: the name itself, and the name without leading labels. */
function namesAbove(name: string): string[] {
  const labels = name.split(".");
  return labels.map((_label, index) => labels.slice(index).join("."));
}

function answers(
  records: readonly RecordContent[],
  domain: string,
  name: string,
  fits: (target: string) => boolean,
): boolean {
  return records.some((record) => {
    if (record.type !== "A" && record.type !== "AAAA") return false;
    const full = record.name === "" ? domain : `${record.name}.${domain}`;
    return isSameName(full, name) && fits(record.target);
  });
}
