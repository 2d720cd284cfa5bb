/** What was true when: the history of every object, kept beside the world to judge the operator by. */
import type { JsonObject } from "../../src/api/types.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import type { CommonSpec } from "../../src/core/kind/common-schema.ts";
import type { CommonStatus } from "../../src/core/kind/status-schema.ts";
import type { LedgerEntry } from "../world/dispatcher.ts";
import type { CloudRow } from "../world/rows.ts";
import { secrets } from "../../src/cluster/secrets.ts";
import { installedOf } from "../../src/twin/definitions.ts";
import type { World } from "../world/world.ts";
import { keyOfRow, kindOfPath, kindsOfLives } from "./palette.ts";
import { asSent } from "./stored.ts";

/** One object, by its uid. */
export interface Record {
  uid: string;
  kind: string;
  key: string;
  object: KubeObject;
  /** Ids that its status had, and when first. */
  ids: Map<string, number>;
  /** What it ever wanted to be called in the cloud. */
  labels: Set<string>;
  /** What it was ever told to take over. */
  adopts: { id?: string; label?: string }[];
  /** Clock milliseconds when its deletion was asked for. */
  deletingAt: number | undefined;
  removedAt: number | undefined;
  /** It was ever told to leave its cloud object behind, or alone. */
  leaves: boolean;
  /** Somebody took its finalizer off, or removed it without the operator. */
  stripped: boolean;
  /** It was made from a backup, with what that held of a journal entry. */
  restored: boolean;
  /** Somebody wrote an id into its status. */
  misled: boolean;
  /** Somebody wrote its journal entry. */
  forged: boolean;
  /** Somebody took its journal entry off, or made it unreadable. */
  spoiled: boolean;
  /** Each spec that it had, and since when. */
  specs: { atMs: number; spec: JsonObject }[];
  /** Somebody allowed another creation. */
  retried: boolean;
}

/** A row that the operator touched, as things were then. */
export interface Touch {
  entry: LedgerEntry;
  row: CloudRow;
  atMs: number;
  /** Objects that then had recorded it, were not being deleted, and did not merely observe. */
  owners: string[];
  /** Rows of the same name that were then there. */
  beside: CloudRow[];
  /** A Secret held what the cloud had shown of it once. */
  published: boolean;
}

export interface Chronicle {
  records: () => Record[];
  touches: () => Touch[];
  mark: (
    uid: string,
    what: Partial<Pick<Record, "stripped" | "restored" | "forged" | "misled" | "spoiled" | "retried" | "leaves">>,
  ) => void;
}

export function keepChronicle(world: World): Chronicle {
  const records = new Map<string, Record>();
  const touches: Touch[] = [];
  for (const [kind, resource] of installedOf(kindsOfLives))
    world.cluster.objects.watch(resource, ({ type, object }) => note(records, kind, object, type === "DELETED", world));
  world.cloud.onTouch((entry, row) => {
    touches.push({
      entry,
      row,
      atMs: world.clock.now(),
      owners: [...records.values()].filter((record) => owns(record, row)).map(({ uid }) => uid),
      beside: besides(world, row),
      published: isPublished(world, row),
    });
  });
  return {
    records: () => [...records.values()],
    touches: () => touches,
    mark: (uid, what) => void Object.assign(records.get(uid) ?? {}, what),
  };
}

function note(records: Map<string, Record>, kind: string, object: KubeObject, removed: boolean, world: World): void {
  const { uid, namespace, name, deletionTimestamp, annotations } = object.metadata;
  const now = world.clock.now();
  const known = records.get(uid) ?? {
    uid,
    kind,
    key: `${kind}/${namespace}/${name}`,
    object,
    ids: new Map<string, number>(),
    labels: new Set<string>(),
    adopts: [],
    deletingAt: undefined,
    removedAt: undefined,
    leaves: false,
    stripped: false,
    restored: false,
    forged: false,
    misled: false,
    spoiled: false,
    specs: [],
    retried: false,
  };
  records.set(uid, known);
  if (known.specs.length === 0 || known.object.metadata.generation !== object.metadata.generation)
    known.specs.push({ atMs: now, spec: (object.spec ?? {}) as JsonObject });
  known.object = object;
  known.labels.add(labelOf(object));
  const { id } = (object.status ?? {}) as CommonStatus;
  if (id !== undefined && !known.ids.has(id)) known.ids.set(id, now);
  const { management = {} } = (object.spec ?? {}) as CommonSpec;
  if (management.adopt) {
    const { id: adopted, filter } = management.adopt;
    known.adopts.push({
      ...(adopted !== undefined && { id: adopted }),
      ...(filter?.["label"] !== undefined && { label: filter["label"] }),
    });
  }
  if (management.policy === "Observe" || management.deletionPolicy === "Orphan") known.leaves = true;
  if (annotations?.["cloudplatform.dev/orphan"] === "true") known.leaves = true;
  if (deletionTimestamp !== undefined || removed) known.deletingAt ??= now;
  if (removed) known.removedAt = now;
}

/** What an object is called in the cloud. */
export function labelOf({ spec, metadata }: KubeObject): string {
  const { label, domain, name } = (spec ?? {}) as { label?: string; domain?: string; name?: string };
  return label ?? domain ?? name ?? metadata.name;
}

/** Returns the name of a row, as a request had it. */
export function labelOfRow({ label, domain, name }: JsonObject): string {
  const text = label ?? domain ?? name;
  return typeof text === "string" ? asSent(text) : "";
}

export function accountOf({ spec, metadata }: KubeObject): string {
  const { accountRef } = (spec ?? {}) as CommonSpec;
  return `${accountRef?.namespace ?? metadata.namespace ?? ""}/${accountRef?.name ?? "default"}`;
}

/** Whose rows an object's are: those of personal collections are of the account's user. */
export function holderOfObject(world: World, object: KubeObject): string {
  const username = accountOf(object) === "default/second" ? "bob" : "ada";
  const [namespace, name] = accountOf(object).split("/");
  const { identity } = (world.cluster.get("CloudAccount", name ?? "", namespace)?.status ?? {}) as {
    identity?: { euuid?: string };
  };
  const account = identity?.euuid ?? world.cloud.user("ada").account;
  return object.kind === "SSHKey" ? `${account}/${username}` : account;
}

function owns(record: Record, row: CloudRow): boolean {
  const { object, removedAt } = record;
  return (
    removedAt === undefined &&
    object.metadata.deletionTimestamp === undefined &&
    policyOf(record) !== "Observe" &&
    record.kind === kindOfPath(row.path) &&
    (object.status as CommonStatus | undefined)?.id === row.id &&
    (record.kind !== "SSHKey" || row.holder.endsWith(accountOf(object) === "default/second" ? "bob" : "ada"))
  );
}

/** One that is paused has the claims that it had before. */
function policyOf({ specs }: Record): string | undefined {
  const policies = specs.map(({ spec }) => (spec as CommonSpec).management?.policy);
  return policies.findLast((policy) => policy !== "Paused");
}

function isPublished({ cluster }: World, { id }: CloudRow): boolean {
  const label = ({ metadata }: KubeObject): string => metadata.labels?.["cloudplatform.dev/published-for"] ?? "";
  return cluster.objects.list(secrets).some((secret) => label(secret).startsWith(`${id}.`));
}

function besides(world: World, row: CloudRow): CloudRow[] {
  const name = keyOfRow(row.path, row.fields);
  return world.cloud
    .history()
    .filter((other) => other !== row && !other.removed && other.path === row.path && other.holder === row.holder)
    .filter((other) => keyOfRow(other.path, other.fields) === name);
}
