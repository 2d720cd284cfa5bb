/** What each command of a story does to the world. */
import { journalAnnotation, orphanAnnotation, retryCreateAnnotation } from "../../src/core/kind/annotations.ts";
import type { JsonObject } from "../../src/api/types.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import type { CloudRow } from "../world/rows.ts";
import { ruleFor } from "../world/service.ts";
import type { World } from "../world/world.ts";
import { actOnAccount } from "./act-account.ts";
import { actOnClaim } from "./act-claim.ts";
import { accountRefOf, actorOf, annotate, beginDelete, patch, victimAt } from "./actor.ts";
import type { Actor, Stage } from "./actor.ts";
import { isAdmitted } from "./admission.ts";
import { labelOfRow } from "./chronicle.ts";
import { attemptOf, forged, markOf, restore } from "./forge.ts";
import { keyOfRow } from "./palette.ts";
import type { Command } from "./story.ts";

/** Does one command; one that does not fit the moment does nothing. */
export async function act(stage: Stage, command: Command): Promise<void> {
  if ("who" in command) return actOn(stage, command, actorOf(stage, command.who));
  const { world } = stage;
  const { cluster, cloud } = world;
  switch (command.do) {
    case "pass":
      return world.advance(command.ms);
    case "fault":
      return cloud.fault({ ...command, path: /^\/(?!account)/ });
    case "writeFault":
      return void cluster.writeFaults.push({ ...command });
    case "restoreGrants":
      return restoreGrants(world);
    case "crash":
      world.crashAfter(command.steps);
      world.clock.schedule(command.downMs + 50, () => void world.restart());
      return;
    case "watches": {
      const { how } = command;
      if (how === "prompt" || how === "listed") {
        Object.assign(cluster.watch, { held: false, delayMs: 0, repeated: false });
        return cluster.releaseWatches(how === "listed" ? "list" : "each");
      }
      if (how === "late") cluster.watch.delayMs = 200;
      else cluster.watch[how] = true;
      if (how === "held") world.clock.schedule(historyMs, () => releaseHeld(stage));
      return;
    }
    case "rotate":
    case "poll":
    case "account":
    case "deleteNamespace":
    case "handOver":
    case "slowTenant":
      return actOnAccount(stage, command);
  }
}

function actOn(stage: Stage, command: Extract<Command, { who: number }>, actor: Actor): void {
  const { world } = stage;
  const { object, row } = actor;
  if (command.do === "create") return create(stage, actor, command);
  if (command.do === "addRow") return addRow(world, actor);
  if (command.do === "takeHolder") return takeHolder(world, actor, command.by);
  if (command.do === "oddRow") return addOdd(stage, actor, command.odd);
  actOnClaim(stage, command, actor);
  if (row) behindTheBack[command.do]?.({ ...actor, row, world, same: "same" in command && command.same });
  if (object) actOnObject(stage, command, actor, object);
}

function actOnObject(stage: Stage, command: Command, actor: Actor, object: KubeObject): void {
  const { chronicle } = stage;
  const { uid } = object.metadata;
  const { edits, renames } = actor.swatch;
  if (command.do === "edit") patch(stage, object, { spec: edits[command.change % edits.length] ?? {} });
  if (command.do === "rename" && renames !== undefined) patch(stage, object, { spec: { [renames]: command.to } });
  if (command.do === "manage") patch(stage, object, { spec: { management: command.management } });
  if (command.do === "annotate" && command.how === "letGo") annotate(stage, object, { [orphanAnnotation]: "true" });
  if (command.do === "annotate" && command.how === "retry") {
    chronicle.mark(uid, { retried: true });
    annotate(stage, object, { [retryCreateAnnotation]: attemptOf(object) });
  }
  if (command.do === "forge") {
    chronicle.mark(uid, markOf(command.how));
    annotate(stage, object, { [journalAnnotation]: forged(stage, actor, command.how) });
  }
  if (command.do === "strip") {
    chronicle.mark(uid, { stripped: true });
    patch(stage, object, { metadata: { finalizers: [] } });
  }
  if (command.do === "restore") restore(stage, actor, object, command.forged);
  if (command.do === "delete") beginDelete(stage, object)();
  if (command.do === "deleteLate") deleteLate(stage, object, command.ms);
}

/** So long a watch can be late: what happened earlier, the API server does not tell any more. */
const historyMs = 9 * 60_000;

function releaseHeld({ world: { cluster } }: Stage): void {
  if (!cluster.watch.held) return;
  cluster.watch.held = false;
  cluster.releaseWatches();
}

/** What somebody does to a row behind the operator's back. */
const behindTheBack: Partial<
  Record<Command["do"], (at: Actor & { row: CloudRow; world: World; same: boolean }) => void>
> = {
  removeRow: ({ world, path, row, user }) => world.cloud.remove(path, row.id, user),
  tamper: ({ world, path, row, user, swatch }) => world.cloud.change(path, row.id, swatch.tampered, user),
  replaceRow({ world, path, row, user, swatch, same, label }) {
    // What is identified by its name has the same one again, whoever's it was.
    const named = ruleFor(path)?.identify ? labelOfRow(row.fields) : same && isTold(path) ? label : "theirs";
    world.cloud.replace(path, row.id, swatch.foreign(named), user);
  },
  withdraw: ({ world, row, user }) => world.cloud.withdraw(user, [row.serial]),
  lengthen: ({ row, swatch }) => void Object.assign(row.fields, swatch.long),
  stubborn: ({ row }) => void Object.assign(row, { stubborn: true }),
};

function create(stage: Stage, actor: Actor, { forged: how, adopts }: Extract<Command, { do: "create" }>): void {
  const { name, namespace, label, swatch, object, path, user } = actor;
  if (object) return;
  const { world, chronicle } = stage;
  const accountRef = accountRefOf(user, namespace);
  const annotations = how && how !== "removed" ? { [journalAnnotation]: forged(stage, actor, how) } : undefined;
  const victim = victimAt(world, path, user);
  const spec = { ...swatch.spec(label), ...(accountRef && { accountRef }) };
  if (!isAdmitted(swatch.kind, spec)) return;
  const adopt = adopts === "filter" ? { filter: { label: "victim" } } : { id: victim?.id ?? "1" };
  const made = world.cluster.create(swatch.kind, name, spec, {
    namespace,
    ...(annotations && { annotations: annotations as Record<string, string> }),
    ...(adopts && { management: { adopt } }),
  });
  if (how) chronicle.mark(made.metadata.uid, markOf(how));
}

/** A zone shows no time of creation: another of its name under its id is the same for everybody. */
function takeHolder({ cloud }: World, { holder, user }: Actor, by: "nobody" | "others"): void {
  if (!holder || !cloud.find(holder.path, holder.id, user)) return;
  if (by === "nobody") cloud.remove(holder.path, holder.id, user);
  else cloud.replace(holder.path, holder.id, holder.foreign("theirs"), user);
}

/** The service lets nobody take a name that is taken, where it lets none have it twice. */
function addRow({ cloud }: World, { path, swatch, label, user }: Actor): void {
  const fields = swatch.foreign(label);
  const rule = ruleFor(path);
  const taken = cloud.rows(path, user).some((row) => keyOfRow(path, row) === keyOfRow(path, fields));
  if (taken && (rule?.unique !== undefined || rule?.returnsExisting)) return;
  if (user === "ada") cloud.byHand(path, fields, "eve");
  else cloud.add(path, fields, user);
}

function addOdd({ world }: Stage, { swatch, path, user }: Actor, odd: "label" | "created" | "rule"): void {
  const fields = swatch.foreign(`odd-${world.cloud.history().length}`);
  const strange: JsonObject =
    odd === "rule" ? { rules: { ...(fields["rules"] as JsonObject), inbound: [{ unheard: "of" }] } } : { [odd]: null };
  const row = { ...fields, ...strange };
  const id = ruleFor(path)?.identify?.(row);
  if (id === undefined || !world.cloud.find(path, id, user)) world.cloud.add(path, row, user);
}

function restoreGrants({ cloud }: World): void {
  for (const user of [cloud.user("ada"), cloud.user("bob")]) {
    user.restricted = false;
    user.hidden.clear();
  }
}

/** The API tells when a domain was made nowhere: one of the same name under the same id is the same for everybody. */
function isTold(path: string): boolean {
  return path !== "/domains";
}

/** The API server has begun with it, and ends it with whatever has the name by then. */
function deleteLate(stage: Stage, object: KubeObject, ms: number): void {
  const { kind, metadata } = object;
  const end = beginDelete(stage, object);
  stage.world.clock.schedule(ms, () => {
    if (stage.world.cluster.get(kind, metadata.name, metadata.namespace)) end();
  });
}
