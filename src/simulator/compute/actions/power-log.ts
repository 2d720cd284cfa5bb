import type { Table } from "../../server/store/store.ts";
import type { World } from "../../server/world.ts";
import type { InstanceStatus } from "../tables.ts";

/** The power state of an instance from `at` on. */
interface PowerRow {
  readonly id: number;
  readonly instance: number;
  readonly at: number;
  readonly on: boolean;
}

export const POWER_LOG: Table<PowerRow> = {
  name: "power",
  key: (row) => row.id,
  parent: (row) => row.instance,
  internal: true,
};

/** Records that an instance starts or stops running. Statistics read these rows. */
export function notePower(
  world: World,
  account: string,
  instance: number,
  [before, after]: readonly [InstanceStatus, InstanceStatus],
): void {
  const on = after === "running";
  if ((before === "running") === on) return;
  const row = { id: world.store.nextId("power"), instance, at: world.clock.now(), on };
  world.store.put(POWER_LOG, account, row);
}

/** Returns a function that reports whether the instance ran at a time. */
export function powerHistory(world: World, account: string, instance: number): (at: number) => boolean {
  const log = world.store.children(POWER_LOG, account, instance);
  return (at) => log.findLast((row) => row.at <= at)?.on ?? false;
}
