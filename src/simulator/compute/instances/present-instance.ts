import { REGIONS } from "../../catalog/tables.ts";
import { ipv4Of, slaacOf } from "../../networking/addresses/allocation.ts";
import { SHARED } from "../../server/store/store.ts";
import { timestamp } from "../../server/wire.ts";
import type { World } from "../../server/world.ts";
import { COMPUTE_TYPES } from "../catalogs/tables.ts";
import { BACKUPS } from "../tables.ts";
import type { InstanceRow } from "../tables.ts";

/** Returns an instance in the form of the API (part 2 section 2.1). */
export function presentInstance(world: World, account: string, row: Readonly<InstanceRow>): Record<string, unknown> {
  const {
    job: _job,
    user_data,
    root_pass: _rootPass,
    lastBootedConfig: _config,
    bootWhenMade: _boot,
    created,
    updated,
    backups: _,
    ...shown
  } = row;
  const type = world.store.get(COMPUTE_TYPES, SHARED, row.type);
  const region = world.store.get(REGIONS, SHARED, row.region);
  return {
    maintenance_policy: "compute/migrate",
    ...shown,
    created: timestamp(created),
    updated: timestamp(updated),
    backups: presentBackups(world, account, row),
    has_user_data: user_data !== null,
    hypervisor: "kvm",
    ipv4: ipv4Of(world, account, row.id),
    ipv6: slaacOf(world, account, row.id),
    specs: type && {
      disk: type.disk,
      gpus: type.gpus,
      memory: type.memory,
      transfer: type.transfer,
      vcpus: type.vcpus,
      accelerated_devices: 0,
    },
    alerts: { ...row.alerts, system_alerts: [], user_alerts: [] },
    ...NEWER,
    capabilities: OFFERED.filter((capability) => region?.capabilities.includes(capability)),
  };
}

/** Newer fields of the service, with default values (not-shown section 9). */
const NEWER = {
  disk_encryption: "enabled",
  interface_generation: "legacy_config",
  lke_cluster_id: null,
  locks: [],
  placement_group: null,
  site_type: "core",
};

/** Capabilities of a region that an instance in the region repeats. */
const OFFERED = ["Block Storage Encryption", "Maintenance Policy"];

function presentBackups(world: World, account: string, row: Readonly<InstanceRow>): Record<string, unknown> {
  const done = world.store.children(BACKUPS, account, row.id).filter((backup) => backup.status === "successful");
  const last = done.reduce((latest, backup) => Math.max(latest, backup.finished ?? 0), 0);
  return {
    available: done.some((backup) => backup.available),
    enabled: row.backups.enabled,
    last_successful: last === 0 ? null : timestamp(last),
    schedule: { day: row.backups.day, window: row.backups.window },
  };
}
