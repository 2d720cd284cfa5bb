/*
 * Serves addresses, firewalls and VLANs, and releases the addresses and firewalls of a deleted instance.
 * Guarantees: an address is never reused, and an instance has at most one active firewall.
 * Imports server/, catalog, and rows and names of compute, domains and tags.
 */
import { CONFIGS, INSTANCES } from "../compute/tables.ts";
import { visible } from "../server/auth/auth.ts";
import { rowList } from "../server/lists/paging.ts";
import { operation } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { timestamp } from "../server/wire.ts";

interface Vlan {
  readonly label: string;
  readonly region: string;
  readonly computes: readonly number[];
  readonly created: number;
}

/** Serves VLANs. Only interfaces of configs define VLANs (not-shown section 4). */
export const vlanOperations = [
  operation({
    method: "GET",
    path: "/networking/vlans",
    beta: true,
    summary: "List VLANs",
    scopes: ["compute:read_only"],
    paged: { filterable: ["label", "region"] },
    handler: (context) => rowList(vlans(context), (vlan) => ({ ...vlan, created: timestamp(vlan.created) })),
  }),
];

function vlans(context: Context): Vlan[] {
  const { world, account } = context;
  const found = new Map<string, Vlan>();
  const instances = visible(context, "compute", world.store.all(INSTANCES, account), (row) => row.id);
  for (const { id, region } of instances) {
    for (const config of world.store.children(CONFIGS, account, id)) {
      for (const { purpose, label } of config.interfaces) {
        if (purpose !== "vlan" || label === null) continue;
        const known = found.get(`${region} ${label}`);
        const computes = [...new Set([...(known?.computes ?? []), id])];
        const created = Math.min(known?.created ?? config.created, config.created);
        found.set(`${region} ${label}`, { label, region, computes, created });
      }
    }
  }
  return [...found.values()];
}
