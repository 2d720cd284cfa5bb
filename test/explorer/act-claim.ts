/** What a story does to references, adoptions and recorded ids. */
import type { JsonObject } from "../../src/api/types.ts";
import { forgedRecord } from "../world/record.ts";
import { isAdmitted } from "./admission.ts";
import { accountRefOf, actorOf, patch, victimAt } from "./actor.ts";
import type { Actor, Stage } from "./actor.ts";
import type { Attached, Command } from "./story.ts";

export function actOnClaim(stage: Stage, command: Command, actor: Actor): void {
  const { object } = actor;
  if (command.do === "observe") return observe(stage, actor, actorOf(stage, command.whom));
  if (command.do === "takeSecret") return takeSecret(stage, actor);
  if (!object) return;
  if (command.do === "attach" && actor.swatch.kind === "Firewall")
    patch(stage, object, { spec: { instanceRefs: command.to.map((to, index) => reference(stage, actor, to, index)) } });
  if (command.do === "adopt") adopt(stage, actor, command.what);
  if (command.do === "forgeStatus") {
    const victim = victimAt(stage.world, actor.path, actor.user);
    stage.chronicle.mark(object.metadata.uid, { forged: true, misled: true });
    if (!victim) return;
    const status = { id: victim.id, record: forgedRecord(object, { id: victim.id }) };
    stage.world.cluster.objects.patch(actor.resource, object.metadata, { status }, "status");
  }
}

function reference(stage: Stage, { namespace, user }: Actor, to: Attached, nth: number): JsonObject {
  const { world, life } = stage;
  const instances = life.residents
    .map((_, index) => actorOf(stage, index))
    .filter(({ swatch }) => swatch.kind === "ComputeInstance");
  const instance = instances[nth % Math.max(1, instances.length)];
  const id = (instance?.object?.status?.["id"] as string | undefined) ?? "1001";
  switch (to) {
    case "resident":
      return { name: instances.find((one) => one.namespace === namespace)?.name ?? "nobody" };
    case "victim":
      return { id: victimAt(world, "/compute/instances", user)?.id ?? "1002" };
    case "byId":
      return { id };
    case "odd":
      return { id: ["0".concat(id), `./${id}`, "..", `${id}/`][nth % 4] ?? id };
    case "unknown":
      return { id: "999999" };
  }
}

function observe({ world }: Stage, { name, namespace, swatch, object, user }: Actor, whom: Actor): void {
  const id = whom.object?.status?.["id"];
  if (
    object ||
    whom.swatch.kind !== swatch.kind ||
    whom.user !== user ||
    namespace !== whom.namespace ||
    typeof id !== "string"
  )
    return;
  const accountRef = accountRefOf(user, namespace);
  const spec = { ...swatch.spec(whom.label), ...(accountRef && { accountRef }) };
  const management = { policy: "Observe", adopt: { id } };
  if (isAdmitted(swatch.kind, { ...spec, management }))
    world.cluster.create(swatch.kind, name, spec, { namespace, management });
}

function adopt(stage: Stage, actor: Actor, what: "own" | "victim" | "filter" | "none"): void {
  const { world } = stage;
  const { path, user, label, object } = actor;
  const own = world.cloud.history().findLast((row) => row.path === path && !row.removed && row.madeBy !== undefined);
  const id = what === "own" ? own?.id : victimAt(world, path, user)?.id;
  if (!object || (what !== "filter" && what !== "none" && id === undefined)) return;
  const wanted = what === "none" ? null : what === "filter" ? { filter: { label }, id: null } : { id, filter: null };
  patch(stage, object, { spec: { management: { adopt: wanted } } });
}

/** Somebody else's Secret, of the name that the operator would give to its own. */
function takeSecret({ world }: Stage, { name, namespace, swatch }: Actor): void {
  const secret = swatch.secret?.({}, name) ?? `${name}-root-password`;
  if (!world.cluster.get("Secret", secret, namespace)) world.cluster.secret(secret, { theirs: "untouched" }, namespace);
}
