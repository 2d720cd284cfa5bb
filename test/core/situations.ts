/** What cases on the world in memory share: specs, what an object says, and what the cloud was asked to change. */
import type { LedgerEntry } from "../world/dispatcher.ts";
import { conditionOf } from "../world/world.ts";
import type { World } from "../world/world.ts";

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

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

/** `Ready`, or the reason why it is not. */
export function stateOf({ cluster }: World, kind: string, name: string): string | undefined {
  const ready = conditionOf(cluster.get(kind, name), "Ready");
  return ready?.status === "True" ? "Ready" : ready?.reason;
}

export function messageOf({ cluster }: World, kind: string, name: string): string {
  return conditionOf(cluster.get(kind, name), "Ready")?.message ?? "";
}

/** The id that is recorded; empty where none is. */
export function idOf({ cluster }: World, kind: string, name: string): string {
  const { id = "" } = (cluster.get(kind, name)?.status ?? {}) as { id?: string };
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
