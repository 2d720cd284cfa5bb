import { INSTANCES } from "../compute/tables.ts";
import { loadOf } from "../server/load.ts";
import type { Copy, Load } from "../server/load.ts";
import { epoch } from "../server/wire.ts";
import { defaultRdns } from "./addresses/allocation.ts";
import { ADDRESSES, IPV6_POOLS, IPV6_RANGES } from "./addresses/tables.ts";
import type { AddressRow, IPv6PoolRow, IPv6RangeRow } from "./addresses/tables.ts";
import { FIREWALLS, FIREWALL_DEVICES } from "./firewalls/tables.ts";
import type { FirewallRow } from "./firewalls/tables.ts";

interface ShownAddress extends Omit<AddressRow, "type" | "instance" | "sharedWith"> {
  readonly type: AddressRow["type"] | "ipv6/range" | "ipv6/pool";
  readonly compute_id: number | null;
}

interface ShownIps {
  readonly ipv4: { readonly private?: readonly ShownAddress[]; readonly shared?: readonly ShownAddress[] };
}

interface Stamps {
  readonly created: string;
  readonly updated: string;
}

/** Loads addresses, ranges, pools and firewalls. */
export const networkingLoads: readonly Load[] = [
  loadOf<ShownAddress>({
    from: "/networking/ips",
    load(copy, shown) {
      const { type, address, prefix, region, compute_id: instance } = shown;
      if (type === "ipv4" || type === "ipv6") storeAddress(copy, shown, type);
      if (type !== "ipv6/range" || instance === null) return;
      const range = { range: address, prefix: prefix as IPv6RangeRow["prefix"], region, instance, sharedWith: [] };
      copy.world.store.put(IPV6_RANGES, copy.account, range);
    },
  }),
  loadOf<IPv6PoolRow>({
    from: "/networking/ipv6/pools",
    load({ world, account }, { range, prefix, region }) {
      world.store.put(IPV6_POOLS, account, { range, prefix, region });
    },
  }),
  loadOf<{ readonly is_bgp: boolean; readonly computes: readonly number[] }>({
    from: "/networking/ipv6/ranges/{range}",
    isSingle: true,
    load({ world, account }, { is_bgp: isShared, computes }, { range = "" }) {
      const row = world.store.get(IPV6_RANGES, account, range);
      if (!row || !isShared) return;
      const others = computes.filter((id) => id !== row.instance);
      world.store.put(IPV6_RANGES, account, { ...row, sharedWith: others.length > 0 ? others : [row.instance] });
    },
  }),
  loadOf<ShownIps>({
    from: "/compute/instances/{instanceId}/ips",
    isSingle: true,
    load(copy, { ipv4 }, { instanceId }) {
      for (const address of ipv4.private ?? []) storeAddress(copy, address, "ipv4");
      for (const { address } of ipv4.shared ?? []) share(copy, address, Number(instanceId));
    },
  }),
  loadOf<Omit<FirewallRow, keyof Stamps> & Stamps>({
    from: "/networking/firewalls",
    load({ world, account }, { id, label, status, tags, rules, created, updated }) {
      const { inbound, inbound_policy, outbound, outbound_policy, version } = rules;
      world.store.put(FIREWALLS, account, {
        id,
        label,
        status,
        tags,
        rules: { inbound, inbound_policy, outbound, outbound_policy, ...(version !== undefined && { version }) },
        created: epoch(created),
        updated: epoch(updated),
      });
    },
  }),
  loadOf<{ readonly id: number; readonly entity: { readonly id: number; readonly type: string } | null } & Stamps>({
    from: "/networking/firewalls/{firewallId}/devices",
    load({ world, account }, { id, entity, created, updated }, { firewallId }) {
      if (entity === null || !world.store.get(INSTANCES, account, entity.id)) return;
      const times = { created: epoch(created), updated: epoch(updated) };
      const row = { id, firewall: Number(firewallId), instance: entity.id, ...times };
      world.store.put(FIREWALL_DEVICES, account, row);
    },
  }),
];

function storeAddress({ world, account }: Copy, shown: ShownAddress, type: AddressRow["type"]): void {
  const { address, region, gateway, prefix, subnet_mask, rdns, reserved, tags, compute_id: instance } = shown;
  // The service is deleting the instance and its addresses.
  if (instance !== null && !world.store.get(INSTANCES, account, instance)) return;
  world.store.put(ADDRESSES, account, {
    address,
    type,
    public: shown.public,
    instance,
    region,
    gateway,
    prefix,
    subnet_mask,
    rdns: rdns === defaultRdns(address) ? null : rdns,
    sharedWith: [],
    ...(reserved && { reserved, tags: tags ?? [] }),
  });
}

function share({ world, account }: Copy, address: string, instance: number): void {
  const row = world.store.get(ADDRESSES, account, address);
  if (row) world.store.put(ADDRESSES, account, { ...row, sharedWith: [...row.sharedWith, instance] });
}
