import { visible } from "../../server/auth/auth.ts";
import { rowList } from "../../server/lists/paging.ts";
import type { Context } from "../../server/operation.ts";
import { timestamp } from "../../server/wire.ts";
import { instanceOperation } from "../instance-operation.ts";
import { INSTANCES, NODE_BALANCERS, VOLUMES } from "../tables.ts";
import type { NodeBalancerRow, VolumeRow } from "../tables.ts";

/** Serves volumes and NodeBalancers of an instance (part 2 section 2.8). */
export const attachmentOperations = [
  instanceOperation({
    method: "GET",
    path: "/volumes",
    summary: "List the volumes attached to an instance",
    paged: { filterable: [] },
    handler(context, { id }) {
      const rows = context.world.store.children(VOLUMES, context.account, id);
      return rowList(
        visible(context, "volume", rows, (row) => row.id),
        (row) => presentVolume(context, row),
      );
    },
  }),
  instanceOperation({
    method: "GET",
    path: "/nodebalancers",
    summary: "List the NodeBalancers that balance over an instance",
    paged: { filterable: [] },
    handler(context, { id }) {
      const rows = context.world.store.all(NODE_BALANCERS, context.account).filter((row) => row.computes.includes(id));
      return rowList(
        visible(context, "nodebalancer", rows, (row) => row.id),
        presentNodeBalancer,
      );
    },
  }),
];

/** Newer fields of the service, with default values. */
const NEWER_VOLUME = { encryption: "disabled", io_ready: true, locks: [] };
const NEWER_BALANCER = { type: "common", client_udp_sess_throttle: 0, lke_cluster: null };

export function presentVolume({ world, account }: Context, row: VolumeRow): Record<string, unknown> {
  const owner = row.compute_id === null ? undefined : world.store.get(INSTANCES, account, row.compute_id);
  return {
    ...row,
    ...NEWER_VOLUME,
    compute_label: owner?.label ?? null,
    created: timestamp(row.created),
    updated: timestamp(row.updated),
  };
}

export function presentNodeBalancer(row: NodeBalancerRow): Record<string, unknown> {
  const { computes: _computes, created, updated, ...shown } = row;
  return { ...shown, ...NEWER_BALANCER, created: timestamp(created), updated: timestamp(updated) };
}
