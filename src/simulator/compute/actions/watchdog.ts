import { EVENTS } from "../../server/events.ts";
import type { World } from "../../server/world.ts";
import type { InstanceRow } from "../tables.ts";
import { BOOT, WATCHDOG_BOOT, startBoot } from "./lifecycle.ts";

/** The watchdog stops after more boot jobs than this within the span (part 2 section 2.1). */
const BOOT_JOBS = 5;
const SPAN_MS = 15 * 60_000;
const BOOTS = new Set([BOOT.name, WATCHDOG_BOOT.name]);

/** Boots an instance that powered off without a shutdown job, if the watchdog is on and within the limit of boot jobs. */
export function watch(world: World, account: string, instance: Readonly<InstanceRow>): void {
  const config = instance.lastBootedConfig;
  if (!instance.watchdog_enabled || config === null) return;
  const since = world.clock.now() - SPAN_MS;
  const boots = world.store
    .find(EVENTS, account, "entity.id", instance.id)
    .filter(({ action, entity, created }) => BOOTS.has(action) && entity?.type === "compute" && created > since);
  if (boots.length > BOOT_JOBS) return;
  startBoot(world, account, instance, config, { action: WATCHDOG_BOOT });
}
