import { NODE_BALANCERS, VOLUMES } from "../tables/attachment.ts";
import type { NodeBalancerRow, VolumeRow } from "../tables/attachment.ts";
import { INSTANCES } from "../tables/compute.ts";
import type { InstanceRow } from "../tables/compute.ts";
import type { World } from "../world.ts";
import { abandonAction, settle, startAction } from "./instance-actions.ts";
import { BOOT } from "./lifecycle.ts";
import { watch } from "./watchdog.ts";

/** What happens to instances without any request; for tests and the demo. */
export interface ComputeControl {
  /** A running instance goes off by itself, without a shutdown job; its watchdog may boot it again. */
  powerOff(instance: number): void;
  /** Maintenance mode: the instance is `stopped`, whatever it did. */
  stop(instance: number): void;
  /** The end of maintenance: it boots if it can. */
  resume(instance: number): void;
  /** A volume, attached if `compute_id` is given; answers its id. */
  addVolume(volume: Partial<VolumeRow>): number;
  /** A NodeBalancer over the instances of `computes`; answers its id. */
  addNodeBalancer(balancer: Partial<NodeBalancerRow>): number;
}

export function computeControl(world: World, account: string): ComputeControl {
  const { store } = world;
  const change = (id: number, act: (instance: Readonly<InstanceRow>) => void): void =>
    store.transaction(() => {
      const instance = store.get(INSTANCES, account, id);
      if (!instance) throw new Error(`no instance ${id}`);
      act(instance);
    });
  return {
    powerOff: (id) =>
      change(id, (instance) => {
        if (instance.status !== "running" || instance.job) throw new Error(`instance ${id} is ${instance.status}`);
        settle(world, account, instance, { status: "offline" });
        watch(world, account, { ...instance, status: "offline" });
      }),
    stop: (id) =>
      change(id, (instance) => settle(world, account, abandonAction(world, account, instance), { status: "stopped" })),
    resume: (id) =>
      change(id, (instance) => {
        const config = instance.lastBootedConfig;
        if (config === null) settle(world, account, instance, { status: "offline" });
        else startAction(world, account, instance, BOOT, { payload: { config } });
      }),
    addVolume: (volume) => store.transaction(() => store.put(VOLUMES, account, newVolume(world, volume)).id),
    addNodeBalancer: (balancer) =>
      store.transaction(() => store.put(NODE_BALANCERS, account, newNodeBalancer(world, balancer)).id),
  };
}

function newVolume({ store, clock }: World, fields: Partial<VolumeRow>): VolumeRow {
  const id = store.nextId("volume", 6001);
  const label = fields.label ?? `volume-${id}`;
  return {
    id,
    region: "us-east",
    size: 20,
    status: "active",
    hardware_type: "nvme",
    filesystem_path: `/dev/disk/by-id/scsi-0Volume_${label}`,
    compute_id: null,
    tags: [],
    created: clock.now(),
    updated: clock.now(),
    ...fields,
    label,
  };
}

function newNodeBalancer({ store, clock }: World, fields: Partial<NodeBalancerRow>): NodeBalancerRow {
  const id = store.nextId("nodebalancer", 7001);
  return {
    id,
    label: `nodebalancer${id}`,
    region: "us-east",
    client_conn_throttle: 0,
    hostname: `nb-${id}.example.com`,
    ipv4: `203.0.113.${id % 250}`,
    ipv6: null,
    transfer: { in: null, out: null, total: null },
    computes: [],
    tags: [],
    created: clock.now(),
    updated: clock.now(),
    ...fields,
  };
}
