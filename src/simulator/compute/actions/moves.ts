import * as z from "zod";
import { requireNothingOutstanding } from "../../account/funds.ts";
import { regionNamed, requireSold } from "../../catalog/offers.ts";
import { invalid, refused } from "../../server/errors.ts";
import { EVENTS } from "../../server/events.ts";
import { JOBS } from "../../server/jobs.ts";
import type { Context } from "../../server/operation.ts";
import { SHARED } from "../../server/store/store.ts";
import { optional } from "../../server/wire.ts";
import { typeNamed } from "../catalogs/compute-types.ts";
import { instanceActionOperation, instanceOperation } from "../instance-operation.ts";
import { requireDisksFit, requireVlansKept } from "../instances/conditions.ts";
import type { InstanceRow } from "../tables.ts";
import { abandonAction, requireIdle, startInstanceAction } from "./instance-action.ts";
import { MIGRATE, MIGRATE_REGION, RESIZE, UPGRADE, bootAfterwards } from "./move-actions.ts";
import type { Move } from "./move-actions.ts";

const resizeBody = z.object({ type: z.string(), allow_auto_disk_resize: optional(z.boolean()) });
const migrateBody = z.object({ region: optional(z.string()), upgrade: optional(z.boolean()) });
const upgradeBody = z.object({ allow_auto_disk_resize: optional(z.boolean()) });

/** Serves resize, migrate and upgrade. Each moves the instance to another host (part 2 section 4.5, not-shown section 3). */
export const moveOperations = [
  instanceActionOperation("/resize", "Change the type of an instance", resizeBody, (context, instance) => {
    const { world, account, caller, body } = context;
    requireNothingOutstanding(context);
    const type = typeNamed(world, body.type);
    if (type.id === instance.type) throw invalid("type", `The instance is a ${type.id} already`);
    requireSold(world, regionNamed(world, instance.region), type);
    requireDisksFit(world, account, instance.id, type);
    const payload: Move = {
      type: type.id,
      grow: body.allow_auto_disk_resize ?? true,
      boot: bootAfterwards(instance),
    };
    startInstanceAction(world, account, instance, RESIZE, { caller, payload });
  }),
  instanceOperation({
    method: "POST",
    path: "/migrate",
    summary: "Move an instance to another region, or to the latest hardware of its type",
    body: migrateBody,
    handler(context, instance) {
      const { world, account, caller } = context;
      const pending = context.body.region === undefined ? undefined : pendingMove(context, instance);
      if (!pending) requireIdle(world, account, instance);
      const boot = pending ? pending.boot : bootAfterwards(instance);
      const payload = { ...destination(context, instance), boot };
      const action = payload.region === undefined ? MIGRATE : MIGRATE_REGION;
      startInstanceAction(world, account, abandonAction(world, account, instance), action, { caller, payload });
      return {};
    },
  }),
  instanceActionOperation("/mutate", "Upgrade an instance of a deprecated type", upgradeBody, (context, instance) => {
    const { world, account, caller, body } = context;
    const type = freeUpgrade(context, instance);
    requireDisksFit(world, account, instance.id, typeNamed(world, type));
    const payload: Move = { type, grow: body.allow_auto_disk_resize ?? true, boot: bootAfterwards(instance) };
    startInstanceAction(world, account, instance, UPGRADE, { caller, payload });
  }),
];

/** Returns the checked destination of a migration. */
function destination(
  context: Context<z.output<typeof migrateBody>>,
  instance: Readonly<InstanceRow>,
): Pick<Move, "region" | "type" | "grow"> {
  const { world, account, body } = context;
  const upgrade = body.upgrade ? { type: freeUpgrade(context, instance), grow: true } : {};
  if (body.region === undefined) {
    if (!body.upgrade) throw refused("There is no pending migration: give a region");
    return upgrade;
  }
  const region = regionNamed(world, body.region);
  if (region.id === instance.region) throw invalid("region", `The instance is in ${region.id} already`);
  requireSold(world, region, typeNamed(world, upgrade.type ?? instance.type));
  requireVlansKept(world, account, instance.id, region);
  return { ...upgrade, region: region.id };
}

/** Returns the successor of the instance's type. Throws 400 if the type has no successor. */
function freeUpgrade({ world }: Context, instance: Readonly<InstanceRow>): string {
  const { successor } = typeNamed(world, instance.type);
  if (successor === null) throw refused("There is no free upgrade for this instance");
  return successor;
}

/** Returns a planned move that has not started. A migration cancels the planned move (part 2 section 4.5 rule 6). */
function pendingMove({ world, account, now }: Context, { job }: Readonly<InstanceRow>): Move | undefined {
  if (!job?.event || ![MIGRATE.name, MIGRATE_REGION.name, RESIZE.name].includes(job.name)) return undefined;
  const event = world.store.get(EVENTS, account, job.event);
  const planned = world.store.get(JOBS, SHARED, job.id);
  return event && planned && now < event.startsAt ? (planned.payload as unknown as Move) : undefined;
}
