import * as z from "zod";
import { invalid, refused } from "../../server/errors.ts";
import type { Context } from "../../server/operation.ts";
import { optional } from "../../server/wire.ts";
import { instanceActionOperation, instanceOperation } from "../instance-operation.ts";
import { CONFIGS, INSTANCES } from "../tables.ts";
import type { InstanceRow } from "../tables.ts";
import { requireIdle, startInstanceAction } from "./instance-action.ts";
import { CREATE, REBOOT, SHUTDOWN, startBoot } from "./lifecycle.ts";

/** 0 in `config_id` means no config. */
const bootBody = z.object({ config_id: optional(z.int()).transform((id) => id || undefined) });

/** Serves boot, reboot and shutdown (part 2 section 4.5, not-shown section 3). */
export const powerOperations = [
  instanceOperation({ method: "POST", path: "/boot", summary: "Boot an instance", body: bootBody, handler: boot }),
  instanceActionOperation("/reboot", "Reboot an instance", bootBody, (context, instance) => {
    const config = bootConfig(context, instance, context.body.config_id);
    startBoot(context.world, context.account, instance, config, { caller: context.caller, action: REBOOT });
  }),
  instanceActionOperation("/shutdown", "Shut an instance down", z.object({}), (context, instance) => {
    startInstanceAction(context.world, context.account, instance, SHUTDOWN, { caller: context.caller });
  }),
];

function boot(context: Context<z.output<typeof bootBody>>, instance: Readonly<InstanceRow>): unknown {
  const { world, account, caller, body } = context;
  const isMade = instance.job?.name !== CREATE.name;
  if (isMade) requireIdle(world, account, instance);
  if (instance.status === "running") throw refused("The instance is running already");
  const config = bootConfig(context, instance, body.config_id);
  // An instance in provisioning boots at the end of provisioning (not-shown section 9).
  if (isMade) startBoot(world, account, instance, config, { caller });
  else world.store.put(INSTANCES, account, { ...instance, bootWhenMade: config });
  return {};
}

/** Returns the requested config, else the last booted config, else the only config (part 2 section 4.5 rule 3). */
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
