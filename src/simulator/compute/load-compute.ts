import { catalogLoad } from "../catalog/load-catalog.ts";
import { loadOf } from "../server/load.ts";
import type { Copy, Load } from "../server/load.ts";
import { epoch } from "../server/wire.ts";
import { COMPUTE_TYPES, KERNELS } from "./catalogs/tables.ts";
import { BACKUPS, CONFIGS, DISKS, INSTANCES, NODE_BALANCERS, VOLUMES } from "./tables.ts";
import type {
  BackupRow,
  ConfigRow,
  Device,
  DiskRow,
  InstanceRow,
  InstanceStatus,
  InterfaceRow,
  NodeBalancerRow,
  VolumeRow,
} from "./tables.ts";

type Times = "created" | "updated";
type Shown<Row> = Omit<Row, Times> & Readonly<Record<Times, string>>;

/** User data that the API does not show. */
const UNKNOWN_USER_DATA = Buffer.from("unknown").toString("base64");

interface ShownInstance extends Omit<Shown<InstanceRow>, "backups"> {
  readonly has_user_data?: boolean;
  readonly backups: {
    enabled: boolean;
    available?: boolean;
    last_successful?: string | null;
    schedule: { day: string | null; window: string | null };
  };
}

type ShownConfig = Omit<Shown<ConfigRow>, "interfaces" | "devices"> & {
  readonly devices: Readonly<Record<string, Device | null>>;
  readonly interfaces: readonly (InterfaceRow & { active?: boolean })[];
};

type ShownBackup = Omit<Shown<BackupRow>, "finished" | "disks" | "configs"> & {
  readonly finished: string | null;
  readonly disks: readonly Pick<DiskRow, "label" | "size" | "filesystem">[];
  readonly configs: readonly string[];
};

const instances = "/compute/instances";

/** Loads catalogs, instances, and what instances contain. The API shows no user data, passwords and images of disks. */
export const computeLoads: readonly Load[] = [
  catalogLoad("/compute/types", COMPUTE_TYPES),
  catalogLoad("/compute/kernels", KERNELS),
  loadOf<ShownInstance>({
    from: instances,
    load({ world, account }, shown) {
      if (shown.status === "deleting") return;
      const { id, label, group, region, type, image, tags, watchdog_enabled, maintenance_policy, host_uuid } = shown;
      const { cpu, io, network_in, network_out, transfer_quota } = shown.alerts;
      const { enabled, schedule } = shown.backups;
      world.store.put(INSTANCES, account, {
        id,
        label,
        group,
        region,
        type,
        image,
        status: endOf(shown),
        tags,
        watchdog_enabled,
        host_uuid,
        ...(maintenance_policy !== undefined && { maintenance_policy }),
        ...timesOf(shown),
        alerts: { cpu, io, network_in, network_out, transfer_quota },
        backups: { enabled, day: schedule.day, window: schedule.window, job: null },
        user_data: shown.has_user_data === true ? UNKNOWN_USER_DATA : null,
        root_pass: null,
        lastBootedConfig: null,
        job: null,
      });
    },
  }),
  loadOf<Shown<DiskRow>>({
    from: `${instances}/{instanceId}/disks`,
    load({ world, account }, shown, params) {
      if (shown.status === "deleting") return;
      const { id, label, size, filesystem } = shown;
      const status = "ready";
      const instance = Number(params["instanceId"]);
      const unknown = { root_pass: null, image: null };
      world.store.put(DISKS, account, {
        id,
        label,
        size,
        filesystem,
        status,
        instance,
        ...timesOf(shown),
        ...unknown,
      });
    },
  }),
  loadOf<ShownConfig>({
    from: `${instances}/{instanceId}/configs`,
    load({ world, account }, shown, params) {
      const { id, label, comments, helpers, kernel, memory_limit, root_device, run_level, virt_mode } = shown;
      const instance = Number(params["instanceId"]);
      const devices = Object.entries(shown.devices).filter(([, device]) => device !== null);
      const interfaces = shown.interfaces.map((one) => ({
        id: one.id,
        purpose: one.purpose,
        label: one.label,
        ipam_address: one.ipam_address || null,
      }));
      world.store.put(CONFIGS, account, {
        id,
        label,
        comments,
        helpers,
        kernel,
        memory_limit,
        root_device,
        run_level,
        virt_mode,
        instance,
        devices: Object.fromEntries(devices),
        interfaces,
        ...timesOf(shown),
      });
      noteBooted({ world, account }, instance, shown);
    },
  }),
  loadOf<ShownBackup>({
    from: `${instances}/{instanceId}/backups`,
    isSingle: true,
    needs: ({ backups }) => hasBackups(backups as ShownInstance["backups"] | undefined),
    load(copy, shown, { instanceId }) {
      const { automatic = [], snapshot } = shown as unknown as {
        automatic?: ShownBackup[];
        snapshot?: { current: ShownBackup | null; in_progress: ShownBackup | null };
      };
      for (const backup of [...automatic, snapshot?.current, snapshot?.in_progress])
        if (backup) storeBackup(copy, Number(instanceId), backup);
    },
  }),
  loadOf<Shown<VolumeRow>>({
    from: `${instances}/{instanceId}/volumes`,
    load({ world, account }, shown) {
      const { id, label, region, size, status, hardware_type, filesystem_path, compute_id, tags } = shown;
      const fields = { id, label, region, size, status, hardware_type, filesystem_path, compute_id, tags };
      world.store.put(VOLUMES, account, { ...fields, ...timesOf(shown) });
    },
  }),
  loadOf<Shown<NodeBalancerRow>>({
    from: `${instances}/{instanceId}/nodebalancers`,
    load({ world, account }, shown, params) {
      const { id, label, region, client_conn_throttle, hostname, ipv4, ipv6, transfer, tags } = shown;
      const known = world.store.get(NODE_BALANCERS, account, id)?.computes ?? [];
      world.store.put(NODE_BALANCERS, account, {
        id,
        label,
        region,
        client_conn_throttle,
        hostname,
        ipv4,
        ipv6,
        transfer,
        tags,
        ...timesOf(shown),
        computes: [...known, Number(params["instanceId"])],
      });
    },
  }),
];

/** Backups stay for a while after they were disabled. */
function hasBackups(backups: ShownInstance["backups"] | undefined): boolean {
  return backups !== undefined && (backups.enabled || backups.available === true || backups.last_successful !== null);
}

/** The states in which transitions end. The running job of an instance is not part of a response. */
const ENDS: Partial<Record<InstanceStatus, InstanceStatus>> = {
  booting: "running",
  rebooting: "running",
  shutting_down: "offline",
  cloning: "offline",
  restoring: "offline",
  migrating: "running",
  resizing: "running",
};

function endOf({ status, image }: ShownInstance): InstanceStatus {
  if (status === "provisioning" || status === "rebuilding") return image === null ? "offline" : "running";
  return ENDS[status] ?? status;
}

function storeBackup({ world, account }: Copy, instance: number, shown: ShownBackup): void {
  const { id, region, label, type } = shown;
  const times = timesOf(shown);
  const isRunning = ["pending", "running", "needsPostProcessing"].includes(shown.status);
  const status = isRunning ? "successful" : shown.status;
  const available = isRunning || shown.available;
  const finished = isRunning ? times.updated : shown.finished === null ? null : epoch(shown.finished);
  const unknown = { instance, ...times, root_pass: null, image: null };
  const disks = shown.disks.map((disk, index) => ({ ...disk, ...unknown, id: index + 1, status: "ready" as const }));
  const [template] = world.store.children(CONFIGS, account, instance);
  const configs = template ? shown.configs.map((name) => ({ ...template, label: name })) : [];
  const row = { id, instance, region, label, type, status, available, finished, disks, configs };
  world.store.put(BACKUPS, account, { ...row, ...times, endsAt: finished ?? times.updated });
}

/** Records the config of a running instance: the config with active interfaces, or else the first config. */
function noteBooted(
  { world, account }: Omit<Copy, "username">,
  instance: number,
  { id, interfaces }: ShownConfig,
): void {
  const row = world.store.get(INSTANCES, account, instance);
  if (row?.status !== "running") return;
  if (row.lastBootedConfig === null || interfaces.some(({ active }) => active))
    world.store.put(INSTANCES, account, { ...row, lastBootedConfig: id });
}

function timesOf({ created, updated }: Readonly<Record<Times, string>>): Record<Times, number> {
  return { created: epoch(created), updated: epoch(updated) };
}
