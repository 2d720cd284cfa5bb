import * as z from "zod";
import { invalid, refused } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import { optional } from "../../server/wire.ts";
import { deviceRows, devicesSchema } from "../configs/config-devices.ts";
import { requireStrong } from "../disks/passwords.ts";
import { instanceEntity } from "../instance-entity.ts";
import { instanceActionOperation } from "../instance-operation.ts";
import { DISKS, INSTANCES } from "../tables.ts";
import { startInstanceAction } from "./instance-action.ts";
import { RESCUE } from "./lifecycle.ts";

const passwordBody = z.object({ root_pass: z.string() });
const rescueBody = z.object({ devices: optional(devicesSchema) });

/** Serves the root password reset and the rescue system (part 2 section 4.5 rules 2 and 5). */
export const accessOperations = [
  instanceActionOperation("/password", "Reset the root password", passwordBody, (context, instance) => {
    const { world, account, body, caller } = context;
    if (instance.status !== "offline") throw refused("The instance must be off");
    const disks = world.store.children(DISKS, account, instance.id).filter((disk) => disk.filesystem !== "swap");
    const [only, ...others] = disks;
    if (!only) throw refused("The instance has no disk with a root password");
    if (others.length > 0) throw refused("The instance has several disks: reset the password of one of them");
    requireStrong("root_pass", body.root_pass);
    world.store.put(DISKS, account, { ...only, root_pass: body.root_pass });
    world.store.put(INSTANCES, account, { ...instance, root_pass: body.root_pass });
    recordEvent(world, account, { action: "password_reset", entity: instanceEntity(instance), caller });
  }),
  instanceActionOperation("/rescue", "Boot a rescue system", rescueBody, (context, instance) => {
    const { world, account, caller, body } = context;
    if (body.devices?.sdh) throw invalid("devices.sdh", "sdh is reserved for the rescue system");
    if (body.devices) deviceRows(context, instance.id, body.devices);
    startInstanceAction(world, account, instance, RESCUE, { caller });
  }),
];
