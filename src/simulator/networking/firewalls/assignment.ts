import { createHash } from "node:crypto";
import { instanceEntity } from "../../compute/instance-entity.ts";
import { INSTANCES } from "../../compute/tables.ts";
import type { InstanceRow } from "../../compute/tables.ts";
import type { Caller } from "../../server/auth/caller.ts";
import { recordEvent } from "../../server/events.ts";
import type { Entity } from "../../server/events.ts";
import { timestamp } from "../../server/wire.ts";
import type { World } from "../../server/world.ts";
import { FIREWALLS, FIREWALL_DEVICES } from "./tables.ts";
import type { FirewallDeviceRow, FirewallRow, FirewallRules } from "./tables.ts";

/** Returns a firewall in the form of the API (part 3 section 4.2), with the newer field `entities`. */
export function presentFirewall(world: World, account: string, row: FirewallRow): Record<string, unknown> {
  const times = { created: timestamp(row.created), updated: timestamp(row.updated) };
  const entities = devicesOf(world, account, row.id).map(
    (device) => presentFirewallDevice(world, account, device)["entity"],
  );
  return { ...row, rules: presentRules(row.rules), ...times, entities };
}

/** Returns rules with the version, and a fingerprint that changes with the rules. */
export function presentRules({ version = 1, ...rules }: FirewallRules): Record<string, unknown> {
  const fingerprint = createHash("sha256").update(JSON.stringify(rules)).digest("hex").slice(0, 8);
  return { ...rules, version, fingerprint };
}

/** Returns a device in the form of the API (not-shown section 4). */
export function presentFirewallDevice(world: World, account: string, row: FirewallDeviceRow): Record<string, unknown> {
  const instance = world.store.get(INSTANCES, account, row.instance);
  return {
    id: row.id,
    created: timestamp(row.created),
    updated: timestamp(row.updated),
    entity: instance ? { ...instanceEntity(instance), parent_entity: null } : null,
  };
}

/** Returns the devices of a firewall, oldest first. Devices of deleted instances are omitted. */
export function devicesOf(world: World, account: string, firewall: number): Readonly<FirewallDeviceRow>[] {
  const rows = world.store.children(FIREWALL_DEVICES, account, firewall);
  return rows.filter((row) => world.store.get(INSTANCES, account, row.instance) !== undefined);
}

export function firewallsOf(world: World, account: string, instance: number): Readonly<FirewallRow>[] {
  const assigned = world.store.find(FIREWALL_DEVICES, account, "instance", instance);
  return assigned.flatMap((row) => world.store.get(FIREWALLS, account, row.firewall) ?? []);
}

/** Returns a reason if the instance has this firewall or another active firewall, else undefined (part 3 section 4.2). */
export function assignmentFault(
  world: World,
  account: string,
  firewall: Pick<FirewallRow, "id" | "status">,
  instance: number,
): string | undefined {
  const assigned = firewallsOf(world, account, instance);
  if (assigned.some((row) => row.id === firewall.id)) return `The firewall is assigned to instance ${instance} already`;
  return activeFault(firewall, assigned, instance);
}

/** Returns a reason if a device of the firewall has another active firewall, else undefined (part 3 section 3). */
export function enablingFault(world: World, account: string, firewall: FirewallRow): string | undefined {
  for (const { instance } of devicesOf(world, account, firewall.id)) {
    const others = firewallsOf(world, account, instance).filter((row) => row.id !== firewall.id);
    const fault = activeFault({ status: "enabled" }, others, instance);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Assigns the firewall to an instance. The caller must check the assignment first. */
export function assignFirewall(
  world: World,
  account: string,
  firewall: FirewallRow,
  instance: number,
): FirewallDeviceRow {
  const now = world.clock.now();
  const id = world.store.nextId("firewall-device");
  return world.store.put(FIREWALL_DEVICES, account, {
    id,
    firewall: firewall.id,
    instance,
    created: now,
    updated: now,
  });
}

/** Removes a deleted instance from all firewalls and records the events. */
export function releaseFirewalls(world: World, account: string, instance: Readonly<InstanceRow>): void {
  for (const device of world.store.find(FIREWALL_DEVICES, account, "instance", instance.id)) {
    world.store.remove(FIREWALL_DEVICES, account, device.id);
    const firewall = world.store.get(FIREWALLS, account, device.firewall);
    if (firewall) deviceEvent(world, account, "firewall_device_remove", firewall, instance);
  }
}

/** Records an event about a firewall. The instance is the secondary entity. */
export function deviceEvent(
  world: World,
  account: string,
  action: "firewall_device_add" | "firewall_device_remove",
  firewall: FirewallRow,
  instance: Readonly<InstanceRow>,
  caller?: Caller,
): void {
  const entities = { entity: firewallEntity(firewall), secondary: instanceEntity(instance) };
  recordEvent(world, account, { action, ...entities, ...(caller && { caller }) });
}

export function firewallEntity(row: FirewallRow): Entity {
  return { id: row.id, label: row.label, type: "firewall", url: `/v4/networking/firewalls/${row.id}` };
}

function activeFault(
  { status }: Pick<FirewallRow, "status">,
  others: readonly FirewallRow[],
  instance: number,
): string | undefined {
  const active = status === "enabled" ? others.find((row) => row.status === "enabled") : undefined;
  return active && `Instance ${instance} has the active firewall ${active.label} already`;
}
