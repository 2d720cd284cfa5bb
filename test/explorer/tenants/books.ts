/**
 * The books of the judge: facts as the API server stored them, and every row that a request touched. The judge concludes
 * nothing from a status except the id of the cloud object.
 */
import { secrets as secretResource } from "../../../src/cluster/secrets.ts";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { installedOf } from "../../../src/twin/definitions.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import type { CloudRow } from "../../world/rows.ts";
import type { World } from "../../world/world.ts";
import { kindsOfTenants, namespaceOf, tokenSecret } from "./cast.ts";

/** A value, and the start of its validity in clock milliseconds. */
export interface Since<T> {
  atMs: number;
  value: T;
}

export interface Grants {
  namespaces: string[];
  existing: string[];
  accountWide: string[];
}

export interface Held {
  uid: string;
  kind: string;
  namespace: string;
  name: string;
  /** The last stored version. */
  object: KubeObject;
  specs: Since<Record<string, unknown>>[];
  /** Each id in the status, with the time of the first appearance. */
  ids: Map<string, number>;
  createdAt: number;
  deletingAt: number;
  removedAt: number;
  /** Every stored status, as JSON. */
  statuses: Set<string>;
}

export interface SecretValue {
  namespace: string;
  name: string;
  key: string;
  value: string;
  /** Keys of the owners of the Secret. A Secret of a user has no owners. */
  owners: string[];
}

export interface Touch {
  entry: LedgerEntry;
  row: CloudRow;
  atMs: number;
}

/** Values of the Secrets of a namespace at the time of an approval. */
export interface Review {
  uid: string;
  atMs: number;
  values: string[];
}

export interface Books {
  objects: Held[];
  grants: Since<Grants>[];
  tokens: Since<string>[];
  secrets: SecretValue[];
  touches: Touch[];
  reviews: Review[];
  review: (uid: string, namespace: string) => void;
}

const never = Infinity;

export function keepBooks(world: World): Books {
  const { cluster, cloud, clock } = world;
  const held = new Map<string, Held>();
  const books: Books = {
    objects: [],
    grants: [],
    tokens: [],
    secrets: [],
    touches: [],
    reviews: [],
    review(uid, namespace) {
      const current = cluster.objects.list(secretResource).filter(({ metadata }) => metadata.namespace === namespace);
      const values = current.flatMap((secret) => Object.values(valuesIn(secret)));
      books.reviews.push({ uid, atMs: clock.now(), values });
    },
  };
  for (const resource of installedOf(kindsOfTenants).values())
    cluster.objects.watch(resource, ({ type, object }) => {
      if (object.kind === "CloudAccount") books.grants.push({ atMs: clock.now(), value: grantsIn(object) });
      const now = held.get(object.metadata.uid) ?? begin(object, clock.now());
      if (!held.has(now.uid)) books.objects.push(now);
      held.set(now.uid, now);
      note(now, object, { atMs: clock.now(), removed: type === "DELETED" });
    });
  cluster.objects.watch(secretResource, ({ object }) => noteSecret(books, object, clock.now()));
  cloud.onTouch((entry, row) => books.touches.push({ entry, row, atMs: clock.now() }));
  return books;
}

function begin(object: KubeObject, atMs: number): Held {
  const { uid, namespace = "", name } = object.metadata;
  return {
    uid,
    kind: object.kind,
    namespace,
    name,
    object,
    specs: [],
    ids: new Map(),
    createdAt: atMs,
    deletingAt: never,
    removedAt: never,
    statuses: new Set(),
  };
}

function note(held: Held, object: KubeObject, { atMs, removed }: { atMs: number; removed: boolean }): void {
  const { generation, deletionTimestamp } = object.metadata;
  if (held.specs.length === 0 || held.object.metadata.generation !== generation)
    held.specs.push({ atMs, value: object.spec ?? {} });
  held.object = object;
  const id = object.status?.["id"];
  if (typeof id === "string" && !held.ids.has(id)) held.ids.set(id, atMs);
  held.statuses.add(JSON.stringify(object.status ?? {}));
  if (deletionTimestamp !== undefined || removed) held.deletingAt = Math.min(held.deletingAt, atMs);
  if (removed) held.removedAt = atMs;
}

function noteSecret(books: Books, object: KubeObject, atMs: number): void {
  const { namespace = "", name, ownerReferences = [] } = object.metadata;
  const owners = ownerReferences.map((owner) => `${owner.kind}/${namespace}/${owner.name}`);
  for (const [key, value] of Object.entries(valuesIn(object))) {
    if (!books.secrets.some((one) => one.value === value && one.name === name && one.namespace === namespace))
      books.secrets.push({ namespace, name, key, value, owners });
    if (name !== tokenSecret || namespace !== namespaceOf.shop || books.tokens.at(-1)?.value === value) continue;
    books.tokens.push({ atMs, value });
  }
}

function valuesIn(object: KubeObject): Record<string, string> {
  const { data = {} } = object as KubeObject & { data?: Record<string, string> };
  return Object.fromEntries(
    Object.entries(data).map(([key, encoded]) => [key, Buffer.from(encoded, "base64").toString()]),
  );
}

function grantsIn({ spec }: KubeObject): Grants {
  const { sharing = {} } = (spec ?? {}) as { sharing?: Partial<Grants> };
  const { namespaces = [], existing = [], accountWide = [] } = sharing;
  return { namespaces, existing, accountWide };
}
