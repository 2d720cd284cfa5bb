/** The world of a life of tenants, before the first command and after the last command. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import { cloudAccount } from "../../../src/kinds/account/cloud-account.ts";
import { seededRandom } from "../../support/chance.ts";
import { createWorld, namespaces, token } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { keepBooks } from "./books.ts";
import type { Books } from "./books.ts";
import {
  byHand,
  handWord,
  kindsOfTenants,
  largeSecret,
  namespaceOf,
  ownSecret,
  tokenSecret,
  wishNamed,
} from "./cast.ts";
import { wordOf } from "./cast.ts";
import type { Scene, Wish } from "./cast.ts";
import type { Place, Sharing, TenantLife } from "./story.ts";

export interface TenantStage {
  world: World;
  life: TenantLife;
  books: Books;
  foreign: Scene["foreign"];
}

/** A resident with its wish and its object in the cluster. */
export interface Actor extends Scene {
  wish: Wish;
  namespace: string;
  object: KubeObject | undefined;
}

const minuteMs = 60_000;

const timing = {
  pollMs: 10 * minuteMs,
  fastPollMs: 15_000,
  resyncMs: 10 * minuteMs,
  feedMs: 5 * minuteMs,
  settle: { freeMs: 30_000, billableMs: 120_000 },
};

/** Size of the large Secret, bytes. One request may contain at most 64 KiB of a Secret. */
export const largeBytes = 66_000;

/** Returns the world of a life after every holder had time to become ready. */
export async function furnish(life: TenantLife, seed: number): Promise<TenantStage> {
  const stage = open(life, { seed });
  const { world } = stage;
  Object.assign(world.cloud.settings, { instanceMs: 12_000 });
  for (const { wish, place } of life.residents) addHolder(world, wishNamed(wish), place);
  await world.advance(minuteMs);
  world.cluster.latency.ms = life.kubeMs;
  world.cloud.settings.latencyMs = life.cloudMs;
  return stage;
}

/** Returns a world with namespaces, Secrets, the account and the rows made by hand. If `start` is false, no operator runs. */
export function open(life: TenantLife, { seed = 1, start = true } = {}): TenantStage {
  const world = createWorld({
    timing,
    random: seededRandom(seed),
    workers: 8,
    installed: kindsOfTenants,
    account: false,
    start,
  });
  const books = keepBooks(world);
  for (const name of Object.values(namespaceOf)) world.cluster.objects.create(namespaces, { metadata: { name } });
  for (const place of places) addSecrets(world, place);
  world.cluster.secret(tokenSecret, { token }, namespaceOf.shop);
  world.cluster.create("CloudAccount", "default", accountSpec(life.sharing), { namespace: namespaceOf.shop });
  return { world, life, books, foreign: addRowsByHand(world) };
}

const places: Place[] = ["shop", "team", "outsider"];

function addSecrets({ cluster }: World, place: Place): void {
  const namespace = namespaceOf[place];
  cluster.secret(ownSecret, { token: secretValue(place, 0) }, namespace);
  cluster.secret(largeSecret, { token: `${wordOf[place]}-large-`.padEnd(largeBytes, "x") }, namespace);
}

/** Returns bytes that differ between all Secrets and all versions of a Secret. */
export function secretValue(place: Place, version: number): string {
  return `bytes-of-${wordOf[place]}-version-${version}.`;
}

/** Returns the spec of the account. As on the API server, pruning removes fields that the definition does not have. */
export function accountSpec(level: Sharing): object {
  const team = [namespaceOf.team];
  const sharing = {
    none: undefined,
    own: { namespaces: team },
    existing: { namespaces: team, existing: team },
    accountWide: { namespaces: team, existing: team, accountWide: team },
  }[level];
  const spec = { tokenSecretRef: { name: tokenSecret }, ...(sharing && { sharing }) };
  return cloudAccount.spec.parse(spec);
}

function addRowsByHand({ cloud }: World): Scene["foreign"] {
  const tags = [byHand.tag];
  const rules = { inbound: [], outbound: [], inbound_policy: "DROP", outbound_policy: "ACCEPT" };
  const place = { region: "eu-west", type: "g6-standard-8" };
  cloud.add("/images", { id: byHand.image, label: `${handWord}-image`, is_public: false, status: "available" });
  cloud.add("/tags", { label: byHand.tag });
  cloud.add("/object-storage/buckets", { label: `${handWord}-bucket`, cluster: "us-east-1" });
  cloud.add("/profile/sshkeys", { label: `${handWord}-key`, ssh_key: "ssh-ed25519 AAAA eve@laptop" });
  cloud.add("/betas", {
    id: "fast-disks",
    label: "Fast disks",
    started: "2025-01-01T00:00:00",
    ended: null,
    enrolled: null,
  });
  return {
    instance: cloud.add("/compute/instances", { label: `${handWord}-web`, ...place, tags, status: "running" }).id,
    domain: cloud.add("/domains", { domain: byHand.domain, type: "master", soa_email: "eve@example.test", tags }).id,
    firewall: cloud.add("/networking/firewalls", { label: `${handWord}-wall`, rules }).id,
  };
}

function addHolder({ cluster }: World, wish: Wish, place: Place): void {
  const { holder } = wish;
  const namespace = namespaceOf[place];
  if (!holder || place === "outsider" || cluster.get(holder.kind, holder.name, namespace)) return;
  cluster.create(holder.kind, holder.name, { ...holder.spec(place), ...accountRefAt(place) }, { namespace });
}

export function accountRefAt(place: Place): { accountRef?: { name: string; namespace: string } } {
  return place === "shop" ? {} : { accountRef: { name: "default", namespace: namespaceOf.shop } };
}

export function actorOf({ world, life, foreign }: TenantStage, who: number): Actor {
  const { wish: what, place, shared } = life.residents[who % life.residents.length]!;
  const wish = wishNamed(what);
  const namespace = namespaceOf[place];
  const name = `${wordOf[place]}-${who}`;
  const holder = wish.holder && world.cluster.get(wish.holder.kind, wish.holder.name, namespace);
  return {
    wish,
    place,
    namespace,
    name,
    label: shared ? "common" : name,
    foreign,
    holderID: (holder?.status?.["id"] as string | undefined) ?? "1",
    object: world.cluster.get(wish.kind, name, namespace),
  };
}

/** Removes all faults, releases the watches, and restarts the operator with every kind enabled. */
export function calm({ world }: TenantStage): void {
  const { cluster, cloud } = world;
  cloud.clearFaults();
  cluster.watch.stalled.clear();
  cluster.releaseWatches();
  world.restart();
}
