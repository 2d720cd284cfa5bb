/** The tests of the core share this: specs, worlds with objects, what an object and the cloud show, and what users do. */
import { resources } from "../../src/twin/definitions.ts";
import type { LedgerEntry } from "../world/dispatcher.ts";
import { forgedRecord } from "../world/record.ts";
import type { CloudRow } from "../world/rows.ts";
import { conditionOf, createWorld } from "../world/world.ts";
import type { World, WorldOptions } from "../world/world.ts";

export const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

export const specs = {
  SSHKey: { sshKey: publicKey },
  Firewall: { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" },
  ComputeInstance: { region: "us-east", type: "g6-standard-1", image: "compute/debian12" },
  Domain: { domain: "example.org", type: "master", soaEmail: "ada@example.org" },
  Bucket: { cluster: "us-east-1" },
  ManagedMySQL: { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" },
};

export const paths = {
  SSHKey: "/profile/sshkeys",
  Firewall: "/networking/firewalls",
  ComputeInstance: "/compute/instances",
  Domain: "/domains",
  Bucket: "/object-storage/buckets",
  ManagedMySQL: "/databases/mysql/instances",
};

export type CaseKind = keyof typeof specs;

/** Longer than any of the kinds takes to be made. */
export const madeMs = 1_300_000;

/** Returns `Ready`, or the reason why the object is not ready. */
export function stateOf({ cluster }: World, kind: string, name: string, namespace?: string): string | undefined {
  const ready = conditionOf(cluster.get(kind, name, namespace), "Ready");
  return ready?.status === "True" ? "Ready" : ready?.reason;
}

export function messageOf({ cluster }: World, kind: string, name: string, namespace?: string): string {
  return conditionOf(cluster.get(kind, name, namespace), "Ready")?.message ?? "";
}

/** Returns the recorded ID; empty without one. */
export function idOf({ cluster }: World, kind: string, name: string, namespace?: string): string {
  const { id = "" } = (cluster.get(kind, name, namespace)?.status ?? {}) as { id?: string };
  return id;
}

/** The ids that the cloud has. */
export function idsIn({ cloud }: World, kind: CaseKind): string[] {
  return cloud.rows(paths[kind]).map(({ id }) => JSON.stringify(id));
}

/** What the cloud was asked to change, as `METHOD path`; those from `since` on. */
export function changes({ cloud }: World, since = 0): string[] {
  return changesIn(cloud.ledger().slice(since)).map(({ method, path }) => `${method} ${path}`);
}

export function changesIn(ledger: readonly LedgerEntry[]): LedgerEntry[] {
  return ledger.filter(({ method }) => method !== "GET");
}

/** Does what the message of an object tells people to type; the message must name a command for it. */
export function obey(world: World, kind: string, name: string): void {
  const command = /kubectl annotate (\S+) -n (\S+) (\S+) --overwrite (\S+?)=(\S+)/.exec(messageOf(world, kind, name));
  if (!command) throw new Error(`no command in: ${messageOf(world, kind, name)}`);
  const [, of, namespace, named, annotation = "", value = ""] = command;
  if (of !== kind.toLowerCase() || named !== name) throw new Error(`it names another object: ${command[0]}`);
  world.cluster.annotate(kind, name, { [annotation]: value }, namespace);
}

/** Sets members of `spec.management`, which a message may ask for. */
export function manage({ cluster }: World, kind: string, name: string, management: Record<string, unknown>): void {
  cluster.patch(kind, name, { spec: { management } });
}

export const instances = "/compute/instances";
export const walls = "/networking/firewalls";
export const sshKeys = "/profile/sshkeys";
export const buckets = "/object-storage/buckets";

/** A spec of each kind that stands for a class of design, section 5, and where its cloud objects are. */
export const shapes = {
  SSHKey: { path: sshKeys, spec: specs.SSHKey },
  Firewall: { path: walls, spec: specs.Firewall },
  Bucket: { path: buckets, spec: specs.Bucket },
  ComputeInstance: { path: instances, spec: specs.ComputeInstance },
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
  if (!row || stateOf(world, kind, "web") !== "Ready") throw new Error(messageOf(world, kind, "web"));
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
