import type { Table } from "../server/store/store.ts";

export type InstanceStatus =
  | "running"
  | "offline"
  | "booting"
  | "rebooting"
  | "shutting_down"
  | "provisioning"
  | "deleting"
  | "migrating"
  | "rebuilding"
  | "cloning"
  | "restoring"
  | "stopped"
  | "resizing"
  | "billing_suspension";

export interface Alerts {
  readonly cpu: number;
  readonly io: number;
  readonly network_in: number;
  readonly network_out: number;
  readonly transfer_quota: number;
}

export interface InstanceRow {
  readonly id: number;
  readonly label: string;
  readonly group: string;
  readonly region: string;
  readonly type: string;
  readonly image: string | null;
  readonly status: InstanceStatus;
  readonly created: number;
  readonly updated: number;
  readonly tags: readonly string[];
  readonly alerts: Alerts;
  readonly watchdog_enabled: boolean;
  readonly maintenance_policy?: "compute/migrate" | "compute/power_off_on";
  readonly host_uuid: string;
  readonly backups: {
    readonly enabled: boolean;
    readonly day: string | null;
    readonly window: string | null;
    /** ID of the job that chooses the schedule or makes the next weekly backup. */
    readonly job: number | null;
  };
  readonly user_data: string | null;
  readonly root_pass: string | null;
  readonly lastBootedConfig: number | null;
  /** Config to boot at the end of provisioning, because a boot request arrived earlier. */
  readonly bootWhenMade?: number;
  /** The running job. The service refuses other jobs until it ends. */
  readonly job: {
    readonly id: number;
    /** Null: the job has no event. */
    readonly event: number | null;
    readonly run: number;
    readonly name: string;
  } | null;
}

export interface DiskRow {
  readonly id: number;
  readonly instance: number;
  readonly label: string;
  readonly size: number;
  readonly filesystem: "raw" | "swap" | "ext3" | "ext4" | "initrd";
  readonly status: "ready" | "not ready" | "deleting";
  readonly created: number;
  readonly updated: number;
  readonly root_pass: string | null;
  readonly image: string | null;
}

export interface Device {
  readonly disk_id: number | null;
  readonly volume_id: number | null;
}

export interface InterfaceRow {
  readonly id: number;
  readonly purpose: "public" | "vlan";
  readonly label: string | null;
  readonly ipam_address: string | null;
}

export interface ConfigRow {
  readonly id: number;
  readonly instance: number;
  readonly label: string;
  readonly comments: string | null;
  readonly devices: Readonly<Record<string, Device | null>>;
  readonly helpers: Readonly<
    Record<"devtmpfs_automount" | "distro" | "modules_dep" | "network" | "updatedb_disabled", boolean>
  >;
  readonly interfaces: readonly InterfaceRow[];
  readonly kernel: string;
  /** MB. 0 means the whole memory of the instance. */
  readonly memory_limit: number;
  readonly root_device: string;
  readonly run_level: "default" | "single" | "binbash";
  readonly virt_mode: "paravirt" | "fullvirt";
  readonly created: number;
  readonly updated: number;
}

export interface BackupRow {
  readonly id: number;
  readonly instance: number;
  readonly region: string;
  readonly label: string | null;
  readonly type: "automatic" | "snapshot";
  readonly status: "paused" | "pending" | "running" | "needsPostProcessing" | "successful" | "failed" | "userAborted";
  readonly available: boolean;
  readonly created: number;
  readonly updated: number;
  /** Expected end. */
  readonly endsAt: number;
  readonly finished: number | null;
  /** Full copies for a restore. */
  readonly disks: readonly DiskRow[];
  readonly configs: readonly ConfigRow[];
}

export const INSTANCES: Table<InstanceRow> = {
  name: "instance",
  key: (row) => row.id,
  indexes: { label: (row) => row.label, tags: (row) => row.tags, image: (row) => row.image },
};
export const DISKS: Table<DiskRow> = { name: "disk", key: (row) => row.id, parent: (row) => row.instance };
export const CONFIGS: Table<ConfigRow> = { name: "config", key: (row) => row.id, parent: (row) => row.instance };
export const BACKUPS: Table<BackupRow> = { name: "backup", key: (row) => row.id, parent: (row) => row.instance };

/** A block storage volume. The documents describe volumes only as attachments, so no operation creates one. */
export interface VolumeRow {
  readonly id: number;
  readonly label: string;
  readonly region: string;
  /** GiB. */
  readonly size: number;
  readonly status: "creating" | "active" | "resizing";
  readonly hardware_type: "hdd" | "nvme";
  readonly filesystem_path: string;
  readonly compute_id: number | null;
  readonly tags: readonly string[];
  readonly created: number;
  readonly updated: number;
}

/** A load balancer. The documents describe NodeBalancers only as attachments, so no operation creates one. */
export interface NodeBalancerRow {
  readonly id: number;
  readonly label: string;
  readonly region: string;
  readonly client_conn_throttle: number;
  readonly hostname: string;
  readonly ipv4: string;
  readonly ipv6: string | null;
  /** MB in the current month. */
  readonly transfer: { readonly in: number | null; readonly out: number | null; readonly total: number | null };
  /** IDs of the instances behind the NodeBalancer. */
  readonly computes: readonly number[];
  readonly tags: readonly string[];
  readonly created: number;
  readonly updated: number;
}

export const VOLUMES: Table<VolumeRow> = {
  name: "volume",
  key: (row) => row.id,
  parent: (row) => row.compute_id,
  indexes: { tags: (row) => row.tags },
};

export const NODE_BALANCERS: Table<NodeBalancerRow> = {
  name: "nodebalancer",
  key: (row) => row.id,
  indexes: { tags: (row) => row.tags },
};
