/** What each command of a story does to the world. */
import type { JsonObject } from "../../src/api/types.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { intentAnnotation, letGoAnnotation, retryCreateAnnotation } from "../../src/core/claim/intent.ts";
import type { CloudRow } from "../world/rows.ts";
import { ruleFor } from "../world/service.ts";
import type { World } from "../world/world.ts";
import type { Chronicle } from "./chronicle.ts";
import { keyOfRow, palette, zone } from "./palette.ts";
import type { Swatch } from "./palette.ts";
import type { Command, Forgery, Life } from "./story.ts";

export interface Stage {
  world: World;
  chronicle: Chronicle;
  life: Life;
}

/** A resident with what stands for it in cluster and cloud. */
interface Actor {
  name: string;
  namespace: string;
  user: string;
  label: string;
  swatch: Swatch;
  object: KubeObject | undefined;
  path: string;
  row: CloudRow | undefined;
}

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
      return;
    }
  }
}

function actOn(stage: Stage, command: Extract<Command, { who: number }>, actor: Actor): void {
  const { world } = stage;
  const { object, row } = actor;
  if (command.do === "create") return create(stage, actor, command);
  if (command.do === "addRow") return addRow(world, actor);
  if (command.do === "oddRow") return addOdd(stage, actor, command.odd);
  if (row) behindTheBack[command.do]?.({ ...actor, row, world, same: "same" in command && command.same });
  if (object) actOnObject(stage, command, actor, object);
}

function actOnObject(stage: Stage, command: Command, actor: Actor, object: KubeObject): void {
  const { chronicle, world } = stage;
  const { uid } = object.metadata;
  const { edits, renames } = actor.swatch;
  if (command.do === "edit") patch(stage, object, { spec: edits[command.change % edits.length] ?? {} });
  if (command.do === "rename" && renames !== undefined) patch(stage, object, { spec: { [renames]: command.to } });
  if (command.do === "manage") patch(stage, object, { spec: { management: command.management } });
  if (command.do === "annotate" && command.how === "letGo") annotate(stage, object, { [letGoAnnotation]: "true" });
  if (command.do === "annotate" && command.how === "retry") {
    chronicle.mark(uid, { retried: true });
    annotate(stage, object, { [retryCreateAnnotation]: attemptOf(object) });
  }
  if (command.do === "forge") {
    chronicle.mark(uid, { forged: true });
    annotate(stage, object, { [intentAnnotation]: forged(stage, actor, command.how) });
  }
  if (command.do === "strip") {
    chronicle.mark(uid, { stripped: true });
    patch(stage, object, { metadata: { finalizers: [] } });
  }
  if (command.do === "restore") restore(stage, actor, object, command.forged);
  if (command.do === "delete") beginDelete(stage, object)();
  if (command.do === "deleteLate") world.clock.schedule(command.ms, beginDelete(stage, object));
}

/** What somebody does to a row behind the operator's back. */
const behindTheBack: Partial<
  Record<Command["do"], (at: Actor & { row: CloudRow; world: World; same: boolean }) => void>
> = {
  removeRow: ({ world, path, row, user }) => world.cloud.remove(path, row.id, user),
  tamper: ({ world, path, row, user, swatch }) => world.cloud.change(path, row.id, swatch.tampered, user),
  replaceRow: ({ world, path, row, user, swatch, same, label }) =>
    void world.cloud.replace(
      path,
      row.id,
      swatch.foreign((same && isTold(path)) || ruleFor(path)?.identify ? label : "theirs"),
      user,
    ),
  withdraw: ({ world, row, user }) => world.cloud.withdraw(user, [row.serial]),
};

function create(stage: Stage, actor: Actor, { forged: how, adopts }: Extract<Command, { do: "create" }>): void {
  const { name, namespace, label, swatch, object, path, user } = actor;
  if (object) return;
  const { world, chronicle } = stage;
  const accountRef = accountRefOf(user, namespace);
  const annotations = how && how !== "removed" ? { [intentAnnotation]: forged(stage, actor, how) } : undefined;
  const victim = victimAt(world, path, user);
  const adopt = adopts === "filter" ? { filter: { label: "victim" } } : { id: victim?.id ?? "1" };
  const made = world.cluster.create(
    swatch.kind,
    name,
    { ...swatch.spec(label), ...(accountRef && { accountRef }) },
    {
      namespace,
      ...(annotations && { annotations: annotations as Record<string, string> }),
      ...(adopts && { management: { adopt } }),
    },
  );
  if (how) chronicle.mark(made.metadata.uid, { forged: true });
}

function accountRefOf(user: string, namespace: string): object | undefined {
  if (user === "bob") return { name: "second" };
  return namespace === "guest" ? { name: "default", namespace: "default" } : undefined;
}

/** The cluster is lost, and comes back from a backup that keeps annotations but no status. */
function restore(stage: Stage, actor: Actor, object: KubeObject, how: Forgery | undefined): void {
  const { world, chronicle } = stage;
  const { name, namespace = "", annotations = {}, uid } = object.metadata;
  const text = how && forged(stage, actor, how);
  world.crash();
  chronicle.mark(uid, { stripped: true });
  patch(stage, object, { metadata: { finalizers: [] } });
  if (world.cluster.get(object.kind, name, namespace)) beginDelete(stage, object)();
  const { [intentAnnotation]: kept, ...others } = annotations;
  const intent = how === undefined ? kept : text;
  const made = world.cluster.create(object.kind, name, object.spec, {
    namespace,
    annotations: { ...others, ...(intent !== undefined && intent !== null && { [intentAnnotation]: intent }) },
  });
  if (how) chronicle.mark(made.metadata.uid, { forged: true });
  world.restart();
}

/** An intent that somebody wrote; null where the annotation is taken off. */
function forged(stage: Stage, actor: Actor, how: Forgery): string | null {
  const { world, life } = stage;
  const intent = intentOf(actor);
  const victim = victimAt(world, actor.path, actor.user);
  switch (how) {
    case "removed":
      return null;
    case "garbage":
      return "{";
    case "copied": {
      const other = life.residents
        .map((_, index) => actorOf(stage, index))
        .find(({ name, object }) => object && name !== actor.name);
      return other?.object?.metadata.annotations?.[intentAnnotation] ?? null;
    }
    case "adopted":
      return JSON.stringify({ ...intent, adopted: victim?.id ?? "1" });
    case "collection": {
      const elsewhere = world.cloud.history().find(({ path, madeBy }) => madeBy === undefined && path !== actor.path);
      return JSON.stringify({ ...intent, collection: elsewhere?.path ?? "/domains", adopted: elsewhere?.id ?? "1" });
    }
    case "pattern":
      return JSON.stringify({ ...intent, pattern: {} });
    case "known":
      return JSON.stringify({ ...intent, known: [], pattern: { label: "victim" }, time: "2025-01-01T00:00:00.000Z" });
  }
}

function intentOf({ object, name, namespace, path, label }: Actor): JsonObject {
  const stored = object?.metadata.annotations?.[intentAnnotation];
  try {
    if (stored !== undefined) return JSON.parse(stored) as JsonObject;
  } catch {
    // Garbage was written before.
  }
  const uid = object?.metadata.uid ?? "00000000-0000-4000-8000-999999999999";
  const time = "2026-01-01T00:00:00.000Z";
  return {
    uid,
    namespace,
    name,
    attempt: "forged00",
    time,
    collection: path,
    pattern: { label },
    known: [],
    epoch: "e",
  };
}

function attemptOf({ metadata }: KubeObject): string {
  return /"attempt":"([^"]+)"/.exec(metadata.annotations?.[intentAnnotation] ?? "")?.[1] ?? "none";
}

/** The service lets nobody take a name that is taken, where it lets none have it twice. */
function addRow({ cloud }: World, { path, swatch, label, user }: Actor): void {
  const fields = swatch.foreign(label);
  const rule = ruleFor(path);
  const taken = cloud.rows(path, user).some((row) => keyOfRow(path, row) === keyOfRow(path, fields));
  if (!taken || (rule?.unique === undefined && !rule?.returnsExisting)) cloud.add(path, fields, user);
}

function addOdd({ world }: Stage, { swatch, path, user }: Actor, odd: "label" | "created" | "rule"): void {
  const fields = swatch.foreign(`odd-${world.cloud.history().length}`);
  const strange: JsonObject =
    odd === "rule" ? { rules: { ...(fields["rules"] as JsonObject), inbound: [{ unheard: "of" }] } } : { [odd]: null };
  world.cloud.add(path, { ...fields, ...strange }, user);
}

function restoreGrants({ cloud }: World): void {
  for (const user of [cloud.user("ada"), cloud.user("bob")]) {
    user.restricted = false;
    user.hidden.clear();
  }
}

function victimAt({ cloud }: World, path: string, user: string): CloudRow | undefined {
  return cloud
    .history()
    .find(
      (row) =>
        row.path === path &&
        row.madeBy === undefined &&
        !row.removed &&
        (!row.holder.includes("/") || row.holder.endsWith(user)),
    );
}

function patch({ world }: Stage, { kind, metadata }: KubeObject, change: Record<string, unknown>): void {
  if (world.cluster.get(kind, metadata.name, metadata.namespace))
    world.cluster.patch(kind, metadata.name, change, metadata.namespace);
}

function annotate(stage: Stage, object: KubeObject, annotations: Record<string, string | null>): void {
  patch(stage, object, { metadata: { annotations } });
}

function beginDelete({ world }: Stage, { kind, metadata }: KubeObject): () => void {
  return world.cluster.beginDelete(kind, metadata.name, metadata.namespace);
}

export function actorOf({ world, life }: Pick<Stage, "world" | "life">, who: number): Actor {
  const { kind, shared, place } = life.residents[who % life.residents.length] ?? {
    kind: 0,
    shared: false,
    place: "default",
  };
  const swatch = palette[kind % palette.length]!;
  const namespace = place === "guest" ? "guest" : "default";
  const user = place === "second" ? "bob" : "ada";
  const name = `s${who}`;
  const object = world.cluster.get(swatch.kind, name, namespace);
  const path = swatch.path === "records" ? recordsPath(world, namespace) : swatch.path;
  const id = object?.status?.["id"] as string | undefined;
  const row = id === undefined ? undefined : world.cloud.find(path, id, user);
  return { name, namespace, user, label: shared ? "shared" : `own-${who}`, swatch, object, path, row };
}

function recordsPath({ cluster }: World, namespace: string): string {
  const id = cluster.get("Domain", zone.name, namespace)?.status?.["id"] as string | undefined;
  return `/domains/${id ?? "0"}/records`;
}

/** Sets the world up for a life: accounts, domains for records, and what others have. */
export async function furnish({ world, life }: Stage): Promise<void> {
  const { cluster, cloud } = world;
  const { account } = cloud.user("ada");
  cloud.addUser({ token: "token-of-second", username: "bob", account });
  const places = new Set(life.residents.map(({ place }) => place));
  if (places.has("second")) {
    cluster.secret("second-token", { token: "token-of-second" });
    cluster.create("CloudAccount", "second", { tokenSecretRef: { name: "second-token" } });
  }
  if (places.has("guest")) cluster.patch("CloudAccount", "default", { spec: { sharing: { namespaces: ["guest"] } } });
  for (const { kind, place } of life.residents) {
    const namespace = place === "guest" ? "guest" : "default";
    if (palette[kind]?.kind !== "DomainRecord" || cluster.get("Domain", zone.name, namespace)) continue;
    const accountRef = accountRefOf("ada", namespace);
    const domain = namespace === "guest" ? "guest.test" : zone.spec.domain;
    cluster.create("Domain", zone.name, { ...zone.spec, domain, ...(accountRef && { accountRef }) }, { namespace });
  }
  await world.advance(1_000);
  for (const index of life.residents.keys()) {
    const { path, swatch, user } = actorOf({ world, life }, index);
    if (!victimAt(world, path, user)) cloud.add(path, swatch.foreign("victim"), user);
  }
}

/** Nothing goes wrong any more. */
export function calm({ world, life }: Stage): void {
  const { cluster, cloud } = world;
  cloud.clearFaults();
  cloud.settings.listLagMs = 0;
  Object.assign(cluster.watch, { held: false, delayMs: 0, repeated: false });
  cluster.releaseWatches();
  if (world.processes().length === 0) world.restart();
  cloud.settings.latencyMs = life.cloudMs;
}

/** The API tells when a domain was made nowhere: one of the same name under the same id is the same for everybody. */
function isTold(path: string): boolean {
  return path !== "/domains";
}
