import * as z from "zod";
import { paramsOf } from "../server/control/area-control.ts";
import type { AreaControl } from "../server/control/area-control.ts";
import { notFound } from "../server/errors.ts";
import { checked, given } from "../server/wire.ts";
import type { World } from "../server/world.ts";
import { abandonAction, settle } from "./actions/instance-action.ts";
import { startBoot } from "./actions/lifecycle.ts";
import { watch } from "./actions/watchdog.ts";
import { INSTANCES, NODE_BALANCERS, VOLUMES } from "./tables.ts";
import type { InstanceRow, NodeBalancerRow, VolumeRow } from "./tables.ts";

const volume = z.object({
  label: z.string().optional(),
  region: z.string().optional(),
  compute_id: z.int().optional(),
});
const nodeBalancer = z.object({ label: z.string().optional(), computes: z.array(z.int()).optional() });

/** Changes to instances without a request, for tests and the demo. */
export interface ComputeControl {
  /** Powers off a running instance without a shutdown job. The watchdog can boot the instance again. */
  powerOff(instance: number): void;
  /** Starts maintenance: sets the status `stopped` in any state. */
  stop(instance: number): void;
  /** Ends maintenance. The instance boots if possible. */
  resume(instance: number): void;
  /** Adds a volume, attached if `compute_id` is set. Returns the ID. */
  addVolume(volume: Partial<VolumeRow>): number;
  /** Adds a NodeBalancer for the instances in `computes`. Returns the ID. */
  addNodeBalancer(balancer: Partial<NodeBalancerRow>): number;
}

export const computeControl: AreaControl<ComputeControl> = {
  verbs: verbsOf,
  routes: (verbs) => ({
    "POST /instances/:id/:event": (_body, request) => happen(verbs, paramsOf(request)),
    "POST /volumes": (body) => ({ id: verbs.addVolume(given(checked(volume, body))) }),
    "POST /nodebalancers": (body) => ({ id: verbs.addNodeBalancer(given(checked(nodeBalancer, body))) }),
  }),
};

function happen(verbs: ComputeControl, { id, event }: Record<string, string>): void {
  if (event === "power-off") verbs.powerOff(Number(id));
  else if (event === "stop") verbs.stop(Number(id));
  else if (event === "resume") verbs.resume(Number(id));
  else throw notFound();
}

function verbsOf(world: World, account: string): ComputeControl {
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
        else startBoot(world, account, instance, config);
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
    ipv6: `2001:db8:ffff::${id.toString(16)}`,
    transfer: { in: null, out: null, total: null },
    computes: [],
    tags: [],
    created: clock.now(),
    updated: clock.now(),
    ...fields,
  };
}
