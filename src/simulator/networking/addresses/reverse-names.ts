import * as z from "zod";
import { isHostName } from "../../domains/names.ts";
import { invalid } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import type { Context } from "../../server/operation.ts";
import { isNamed, leadsTo } from "./forward-dns.ts";
import { presentAddress } from "./present-addresses.ts";
import { ADDRESSES } from "./tables.ts";
import type { AddressRow } from "./tables.ts";

/** The reverse name of an address. Null means the default name. */
export const reverseNameBody = z.object({ rdns: z.string().nullable() });

/** Sets or resets the reverse name of an address. Returns the address. */
export function setReverseName(context: Context, row: Readonly<AddressRow>, rdns: string | null): unknown {
  const { world, account, caller } = context;
  if (rdns !== null) requireForward(context, row, rdns);
  const changed = world.store.put(ADDRESSES, account, { ...row, rdns });
  const url = `/v4/networking/ips/${row.address}`;
  const entity = { id: row.address, label: row.address, type: "ipaddress", url };
  recordEvent(world, account, { action: "ipaddress_update", entity, caller });
  return presentAddress(world, account, changed);
}

const NO_MATCH = "No match was found: there must be a matching forward entry for this address";

/** Throws 400 unless the name resolves to the address (part 3 section 4.3 rule 3). */
function requireForward({ world }: Context, row: Readonly<AddressRow>, rdns: string): void {
  if (!row.public) throw invalid("rdns", "A private address has no reverse DNS");
  const name = rdns.replace(/\.$/, "");
  if (!isHostName(rdns)) throw invalid("rdns", "Must be a host name");
  if (!leadsTo(world, name, row.address))
    throw invalid(
      "rdns",
      isNamed(world, name) ? NO_MATCH : `Unable to look up ${name}: forward DNS must lead to ${row.address} already`,
    );
}
