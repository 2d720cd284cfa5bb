/** What the cases of claims share: objects of each sort of kind, and what is judged in the end. */
import { resources } from "../world/cluster.ts";
import { forgedRecord } from "../world/record.ts";
import type { CloudRow } from "../world/rows.ts";
import { conditionOf, createWorld } from "../world/world.ts";
import type { World, WorldOptions } from "../world/world.ts";

export const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

export const instances = "/compute/instances";
export const walls = "/networking/firewalls";
export const sshKeys = "/profile/sshkeys";
export const buckets = "/object-storage/buckets";

/** A spec of each kind that stands for a class of design, section 5, and where its cloud objects are. */
export const shapes = {
  SSHKey: { path: sshKeys, spec: { sshKey: publicKey } },
  Firewall: { path: walls, spec: { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" } },
  Bucket: { path: buckets, spec: { cluster: "us-east-1" } },
  ComputeInstance: {
    path: instances,
    spec: { region: "us-east", type: "g6-standard-1", image: "compute/debian12" },
  },
} as const;

export type Shape = keyof typeof shapes;

export const shapeNames = Object.keys(shapes) as Shape[];

export const minutes = (count: number): number => count * 60_000;

/** Time passes with few timers where just the end matters. */
export const calm = { timing: { pollMs: 300_000, feedMs: 300_000 } };

/** A world whose account is connected. */
export async function begin(options: WorldOptions = {}): Promise<World> {
  const world = createWorld(options);
  await world.settle();
  return world;
}

export function create(world: World, kind: Shape, name: string, fields: object = {}): void {
  world.cluster.create(kind, name, { ...shapes[kind].spec, ...fields });
}

/** A world with a ready object of this kind, and its row. */
export async function withReady(kind: Shape): Promise<{ world: World; row: CloudRow }> {
  const world = await begin();
  create(world, kind, "web");
  await world.advance(minutes(3));
  const row = left(world)[0];
  if (!row || ready(world, kind, "web") !== "Ready") throw new Error(messageOf(world, kind, "web"));
  return { world, row };
}

/** Somebody else has its id from now on: of another name where the id does not say it. */
export function giveAway(world: World, { path, id, fields }: CloudRow): CloudRow {
  const { created: _, ...rest } = structuredClone(fields);
  const named = "domain" in rest ? { domain: "others.example" } : { label: "others" };
  return world.cloud.replace(path, id, { ...rest, ...(path !== buckets && named) });
}

/** Until a request of this method is on its way. */
export async function untilSent({ cloud, advance }: World, method: string): Promise<void> {
  const isSent = () => cloud.ledger().some((entry) => entry.method === method);
  for (let ms = 0; ms < minutes(1) && !isSent(); ms += 10) await advance(10);
  if (!isSent()) throw new Error(`no ${method} was sent`);
}

/** Until the cloud has answered a request with 429: from then on those of its method are held. */
export async function untilHeld({ cloud, advance }: World, method?: string): Promise<void> {
  const isHeld = () =>
    cloud.ledger().some((entry) => entry.status === 429 && (method === undefined || entry.method === method));
  for (let ms = 0; ms < minutes(1) && !isHeld(); ms += 10) await advance(10);
  if (!isHeld()) throw new Error("no request was answered with 429");
}

/** What the operator made and nobody removed. */
export function left({ cloud }: World): CloudRow[] {
  return cloud.history().filter(({ madeBy, removed }) => madeBy !== undefined && !removed);
}

/** How often something was made, in whatever way it ended. */
export function made({ cloud }: World, path: string): number {
  return cloud.history().filter((row) => row.madeBy !== undefined && row.path === path).length;
}

/** Requests of this method that the cloud carried out. */
export function applied({ cloud }: World, method: string, path?: RegExp): string[] {
  return cloud
    .ledger()
    .filter((entry) => entry.method === method && entry.applied && (path?.test(entry.path) ?? true))
    .map((entry) => entry.path);
}

/** Changes that were asked for, whatever came of them. */
export function changes({ cloud }: World, since = 0): string[] {
  const sent = cloud.ledger().slice(since);
  return sent.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
}

export function ready({ cluster }: World, kind: string, name: string, namespace?: string): string | undefined {
  const condition = conditionOf(cluster.get(kind, name, namespace), "Ready");
  return condition?.status === "True" ? "Ready" : condition?.reason;
}

export function messageOf({ cluster }: World, kind: string, name: string, namespace?: string): string {
  return conditionOf(cluster.get(kind, name, namespace), "Ready")?.message ?? "";
}

export function idOf({ cluster }: World, kind: string, name: string, namespace?: string): string | undefined {
  return cluster.get(kind, name, namespace)?.status?.["id"] as string | undefined;
}

/** Writes a record as whoever may write the status: other facts, and the signature that it had. */
export function forgeRecord(world: World, kind: Shape, name: string, facts: object): void {
  storeStatus(world, kind, name, { record: forgedRecord(world.cluster.get(kind, name), facts) });
}

/** Writes status as whoever may write the subresource. */
export function storeStatus({ cluster }: World, kind: Shape, name: string, status: object): void {
  const resource = resources.get(kind)!;
  cluster.objects.patch(resource, { namespace: "default", name }, { status }, "status");
}

/** The object is lost, and made again from a backup that keeps annotations but no status. */
export function restore({ cluster }: World, kind: string, name: string): void {
  const object = cluster.get(kind, name)!;
  const { annotations = {} } = object.metadata;
  cluster.patch(kind, name, { metadata: { finalizers: [] } });
  cluster.delete(kind, name);
  cluster.create(kind, name, object.spec, { annotations });
}

/** Does what the object's message tells people to do. */
export function follow(world: World, kind: string, name: string, what: string): void {
  const [, annotation, value] = new RegExp(`(\\S+/${what})=(\\S+)`).exec(messageOf(world, kind, name)) ?? [];
  if (annotation === undefined || value === undefined)
    throw new Error(`the message names no ${what}: ${messageOf(world, kind, name)}`);
  world.cluster.annotate(kind, name, { [annotation]: value });
}

/** Crashes at each nth step after the scene, from the first given, until no crash comes; answers the ends that are not right. */
export async function crashedAnywhere(
  scene: () => Promise<World>,
  isRight: (world: World) => Promise<boolean>,
  every = 1,
  first = 0,
): Promise<number[]> {
  const wrong: number[] = [];
  for (let steps = first; steps < 80; steps += every) {
    const world = await scene();
    world.crashAfter(steps);
    await world.advance(minutes(1));
    if (world.processes().length > 0) return wrong;
    world.restart();
    await world.advance(minutes(12));
    if (!(await isRight(world))) wrong.push(steps);
  }
  return wrong;
}
