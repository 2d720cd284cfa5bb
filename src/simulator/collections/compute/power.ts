import * as z from "zod";
import { startAction } from "../../compute/instance-actions.ts";
import { BOOT, REBOOT, SHUTDOWN } from "../../compute/lifecycle.ts";
import { invalid, refused } from "../../errors.ts";
import type { Context } from "../../operation.ts";
import { CONFIGS } from "../../tables/compute.ts";
import type { InstanceRow } from "../../tables/compute.ts";
import { optional } from "../../wire.ts";
import { instanceAction } from "./instance-operation.ts";

const bootBody = z.object({ config_id: optional(z.int()) });

/** Boot, reboot and shutdown (part 2 section 4.5, not-shown section 3). */
export const powerOperations = [
  instanceAction("/boot", "Boot an instance", bootBody, (context, instance) => {
    if (instance.status === "running") throw refused("The instance is running already");
    const payload = { config: bootConfig(context, instance, context.body.config_id) };
    startAction(context.world, context.account, instance, BOOT, { caller: context.caller, payload });
  }),
  instanceAction("/reboot", "Reboot an instance", bootBody, (context, instance) => {
    const payload = { config: bootConfig(context, instance, context.body.config_id) };
    startAction(context.world, context.account, instance, REBOOT, { caller: context.caller, payload });
  }),
  instanceAction("/shutdown", "Shut an instance down", z.object({}), (context, instance) => {
    if (instance.status === "offline") throw refused("The instance is off already");
    startAction(context.world, context.account, instance, SHUTDOWN, { caller: context.caller });
  }),
];

/** The config that was asked for, else the last booted one, else the only one (part 2 section 4.5 rule 3). */
export function bootConfig(
  { world, account }: Context,
  instance: Readonly<InstanceRow>,
  wanted: number | undefined,
): number {
  const configs = world.store.children(CONFIGS, account, instance.id).map((config) => config.id);
  if (wanted !== undefined) {
    if (!configs.includes(wanted)) throw invalid("config_id", "config_id is not a config of this instance");
    return wanted;
  }
  if (instance.lastBootedConfig !== null && configs.includes(instance.lastBootedConfig))
    return instance.lastBootedConfig;
  const [only, ...others] = configs;
  if (only === undefined || others.length > 0)
    throw invalid("config_id", "config_id is required: no single config can be chosen");
  return only;
}
