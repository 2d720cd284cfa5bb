import { EVENTS } from "../../server/events.ts";
import type { World } from "../../server/world.ts";
import type { InstanceRow } from "../tables.ts";
import { startInstanceAction } from "./instance-action.ts";
import { BOOT } from "./lifecycle.ts";

/** It stops trying after more than so many boot jobs within the span (part 2 section 2.1). */
const BOOT_JOBS = 5;
const SPAN_MS = 15 * 60_000;

/** Boots an instance that went off without a shutdown job, if its watchdog is on and has not given up. */
export function watch(world: World, account: string, instance: Readonly<InstanceRow>): void {
  const config = instance.lastBootedConfig;
  if (!instance.watchdog_enabled || config === null) return;
  const since = world.clock.now() - SPAN_MS;
  const boots = world.store
    .all(EVENTS, account)
    .filter(({ action, entity, created }) => action === BOOT.name && entity?.id === instance.id && created > since);
  if (boots.length > BOOT_JOBS) return;
  startInstanceAction(world, account, instance, BOOT, { payload: { config } });
}
