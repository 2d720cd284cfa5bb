/** Applies each command of a life of tenants to the world. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import { isAdmitted, patchedSpec } from "../admission.ts";
import { byHand, namespaceOf, ownSecret, tokenSecret } from "./cast.ts";
import { accountRefAt, accountSpec, actorOf, secretValue } from "./stage.ts";
import type { Actor, TenantStage } from "./stage.ts";
import type { Sharing, TenantCommand } from "./story.ts";

/** Length of a stall, milliseconds. */
const stallMs = 60_000;

const approveAnnotation = "cloudplatform.dev/approve";

/** Applies one command. A command for an object that does not exist has no effect. */
export function act(stage: TenantStage, command: TenantCommand): Promise<void> | void {
  if ("who" in command) return actOn(stage, command, actorOf(stage, command.who));
  const { world } = stage;
  const { cluster, cloud, clock } = world;
  switch (command.do) {
    case "pass":
      return world.advance(command.ms);
    case "share":
      return share(stage, command.level);
    case "rotate":
      return rotate(stage);
    case "deleteAccount":
      return remove(stage, cluster.get("CloudAccount", "default", namespaceOf.shop));
    case "stall": {
      const { kind } = command;
      cluster.watch.stalled.add(kind);
      clock.schedule(stallMs, () => {
        cluster.watch.stalled.delete(kind);
        cluster.releaseWatches("each", kind);
      });
      return;
    }
    case "disable":
      return void world.restart(command.kinds);
    case "crash":
      world.crashAfter(command.steps);
      clock.schedule(command.downMs + 50, () => void world.restart());
      return;
    case "lose":
      return cloud.fault({ kind: "lostAfter", method: command.method, path: /^\/(?!account)/ });
  }
}

function actOn(stage: TenantStage, command: Extract<TenantCommand, { who: number }>, actor: Actor): void {
  const { object, wish, namespace } = actor;
  const { world } = stage;
  if (command.do === "create") return create(stage, actor, command.adopts === true);
  if (command.do === "tagByHand") return tagByHand(stage, actor);
  if (command.do === "changeSecret") return changeSecret(stage, actor);
  if (command.do === "deleteHolder")
    return remove(stage, wish.holder && world.cluster.get(wish.holder.kind, wish.holder.name, namespace));
  if (!object) return;
  const { edits = [] } = wish;
  switch (command.do) {
    case "edit":
      return change(stage, object, edits[command.change % Math.max(1, edits.length)]?.(actor) ?? {});
    case "delete":
      return remove(stage, object);
    case "protect":
      return change(stage, object, { management: { protect: command.on || null } });
    case "policy":
      return change(stage, object, { management: { policy: command.policy } });
    case "approve":
      return approve(stage, actor, object);
    case "restore":
      return restore(stage, object);
    case "removeFromCloud":
      return removeFromCloud(stage, actor, object);
  }
}

function create({ world }: TenantStage, actor: Actor, adopts: boolean): void {
  const { wish, object, name, namespace, place } = actor;
  if (object) return;
  const adopt = adopts ? { management: { adopt: { id: adoptedBy(actor) } } } : {};
  const spec = { ...accountRefAt(place), ...wish.spec(actor), ...adopt };
  if (isAdmitted(wish.kind, spec)) world.cluster.create(wish.kind, name, spec, { namespace });
}

/** Returns the id of the row made by hand that an object of the kind can adopt. */
function adoptedBy({ wish: { kind }, foreign }: Actor): string {
  const ids: Record<string, string> = { ...idsByKind(foreign), Bucket: byHand.bucket, Image: byHand.image };
  return ids[kind] ?? "1";
}

function idsByKind({ instance, domain, firewall }: Actor["foreign"]): Record<string, string> {
  return { ComputeInstance: instance, Domain: domain, Firewall: firewall, Tag: byHand.tag };
}

function change({ world }: TenantStage, { kind, metadata }: KubeObject, spec: Record<string, unknown>): void {
  const now = world.cluster.get(kind, metadata.name, metadata.namespace);
  if (now && isAdmitted(kind, patchedSpec(now, spec)))
    world.cluster.patch(kind, metadata.name, { spec }, metadata.namespace);
}

/** Deletes an object. The API server refuses to delete a protected object. */
function remove({ world }: TenantStage, object: KubeObject | undefined): void {
  if (!object || isProtected(object)) return;
  world.cluster.delete(object.kind, object.metadata.name, object.metadata.namespace);
}

export function isProtected({ spec }: Pick<KubeObject, "spec">): boolean {
  return (spec as { management?: { protect?: boolean } } | undefined)?.management?.protect === true;
}

/** Changes the sharing of the account. A merge patch keeps every field that the patch does not contain. */
function share({ world }: TenantStage, level: Sharing): void {
  const { sharing } = accountSpec(level) as { sharing?: object };
  const spec = { sharing: sharing ? { existing: null, accountWide: null, ...sharing } : null };
  if (world.cluster.get("CloudAccount", "default", namespaceOf.shop))
    world.cluster.patch("CloudAccount", "default", { spec }, namespaceOf.shop);
}

/** A user adds the tag of the resident to rows made by hand. */
function tagByHand({ world: { cloud } }: TenantStage, { foreign, label }: Actor): void {
  cloud.change("/compute/instances", foreign.instance, { tags: [byHand.tag, label] });
  cloud.change("/domains", foreign.domain, { tags: [byHand.tag, label] });
}

/** Stores a fresh token. The former token stays valid, so the cloud would accept a request with the former token. */
function rotate({ world: { cluster, cloud }, books }: TenantStage): void {
  const fresh = `token-of-default-${books.tokens.length}`;
  cloud.addToken(fresh, "ada");
  if (cluster.get("Secret", tokenSecret, namespaceOf.shop))
    cluster.patch("Secret", tokenSecret, { stringData: { token: fresh } }, namespaceOf.shop);
}

function changeSecret({ world: { cluster }, books }: TenantStage, { namespace, place }: Actor): void {
  const version = books.secrets.filter((one) => one.namespace === namespace && one.name === ownSecret).length;
  cluster.patch("Secret", ownSecret, { stringData: { token: secretValue(place, version) } }, namespace);
}

function approve({ world, books }: TenantStage, { namespace }: Actor, { kind, metadata, status }: KubeObject): void {
  const { hash } = (status?.["plan"] ?? {}) as { hash?: string };
  if (hash === undefined) return;
  books.review(metadata.uid, namespace);
  world.cluster.annotate(kind, metadata.name, { [approveAnnotation]: hash }, namespace);
}

function restore({ world }: TenantStage, { kind, metadata, spec }: KubeObject): void {
  const { name, namespace = "" } = metadata;
  world.crash();
  world.cluster.patch(kind, name, { metadata: { finalizers: [] } }, namespace);
  if (world.cluster.get(kind, name, namespace)) world.cluster.delete(kind, name, namespace);
  world.cluster.create(kind, name, spec, { namespace });
  world.restart();
}

function removeFromCloud({ world }: TenantStage, { wish, holderID }: Actor, { status }: KubeObject): void {
  const path = wish.path.replace("{}", holderID);
  const id = status?.["id"] as string | undefined;
  if (id !== undefined && world.cloud.find(path, id)) world.cloud.remove(path, id);
}
