/** What the invariants ask of a life's end. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { CommonSpec } from "../../../src/core/kind/common-schema.ts";
import type { CommonStatus } from "../../../src/core/kind/status-schema.ts";
import type { CloudRow } from "../../world/rows.ts";
import { conditionOf } from "../../world/world.ts";
import type { Stage } from "../actor.ts";
import type { Record, Touch } from "../chronicle.ts";
import { holderOfObject, labelOfRow } from "../chronicle.ts";
import { kindOfPath } from "../palette.ts";

export function isCreation({ row, entry }: Pick<Touch, "row" | "entry">): boolean {
  return row.madeIn === entry.number && entry.method === "POST";
}

export function fits({ ids, labels }: Record, row: CloudRow): boolean {
  return ids.has(row.id) || labels.has(labelOfRow(row.fields));
}

/** One that was restored after the request had left did not have it then; an id that somebody wrote into a status makes no owner. */
export function hadThen({ ids, misled, labels }: Record, { id, fields }: CloudRow, sentMs: number): boolean {
  return (ids.get(id) ?? Infinity) <= sentMs && (!misled || labels.has(labelOfRow(fields)));
}

/** Somebody wrote its id into the status of an object while another one had it. */
export function isTakenFrom(records: Record[], { ids, misled, uid }: Record, { id, path }: CloudRow): boolean {
  const since = ids.get(id) ?? -Infinity;
  const had = (other: Record): boolean => other.kind === kindOfPath(path) && (other.ids.get(id) ?? Infinity) < since;
  return misled && records.some((other) => other.uid !== uid && had(other));
}

export function alive(records: Record[]): Record[] {
  return records.filter(({ removedAt }) => removedAt === undefined);
}

export function isHidden({ cloud }: Stage["world"], { serial }: CloudRow): boolean {
  return [cloud.user("ada"), cloud.user("bob")].some(({ restricted, hidden }) => restricted && hidden.has(serial));
}

export function managementOf({ spec }: KubeObject): NonNullable<CommonSpec["management"]> {
  return ((spec ?? {}) as CommonSpec).management ?? {};
}

export function idOf({ status }: KubeObject): string | undefined {
  return (status as CommonStatus | undefined)?.id;
}

export function reasonOf(object: KubeObject): string {
  return conditionOf(object, "Ready")?.reason ?? "none";
}

export function messageOf(object: KubeObject): string {
  return conditionOf(object, "Ready")?.message ?? "";
}

export function isReady(object: KubeObject): boolean {
  return conditionOf(object, "Ready")?.status === "True" && reasonOf(object) !== "Paused";
}

/** True where the object is to be as its spec says, and the cloud may be changed for it. */
export function isKept(object: KubeObject): boolean {
  const { policy = "Manage", driftPolicy = "Correct" } = managementOf(object);
  return policy === "Manage" && driftPolicy === "Correct";
}

/** The row that an object says is its own. */
export function rowOf(world: Stage["world"], object: KubeObject): CloudRow | undefined {
  const id = idOf(object);
  return world.cloud
    .history()
    .find(
      (row) =>
        !row.removed &&
        row.id === id &&
        kindOfPath(row.path) === object.kind &&
        row.holder === holderOfObject(world, object),
    );
}

/** What a request changes, and what it names besides, was read so long before at the most, milliseconds. */
const [changedMs, namedMs] = [100, 2_000];

/**
 * It left before this had the id, and is carried out late: nobody can take it back. Nor can what leaves while nothing was
 * read since the id was given away.
 */
export function isOfFormer(
  { world: { cloud }, life }: Pick<Stage, "world" | "life">,
  row: CloudRow,
  { atMs, number, path, process }: Touch["entry"],
): boolean {
  const { createdAt, madeAfter = 0 } = row;
  if (atMs < createdAt) return true;
  const own = `${row.path}/${row.id}`;
  const isNamed = !path.startsWith(own) || kindOfPath(path) !== undefined;
  const reads = cloud
    .ledger()
    .filter((one) => one.method === "GET" && [own, row.path].includes(one.path) && one.process === process);
  // A response that was on its way by then showed the former one, however long it took.
  const formerMs = reads.filter((one) => one.number < madeAfter).map(({ answeredAtMs }) => answeredAtMs ?? 0);
  const lastMs = Math.max(createdAt, ...formerMs);
  if (atMs - lastMs > (isNamed ? namedMs : changedMs) + 2 * life.cloudMs) return false;
  const isGivenAway = cloud.history().some((one) => one !== row && `${one.path}/${one.id}` === own && one.removed);
  const isRead = reads.some(
    (one) =>
      one.number >= madeAfter &&
      one.number < number &&
      // What another object was told while this one stored what it is about to do, or what was not answered by then.
      atMs - (one.answeredAtMs ?? Infinity) >= 2 * life.kubeMs,
  );
  return isGivenAway && !isRead;
}
