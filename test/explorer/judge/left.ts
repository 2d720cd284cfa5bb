/** Cloud objects of which nothing tells whose they are: left to people, who were told of them, or taken for what was awaited. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { CloudRow } from "../../world/rows.ts";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { labelOfRow } from "../chronicle.ts";
import type { Record } from "../chronicle.ts";
import { kindOfPath } from "../palette.ts";
import { alive, messageOf, reasonOf } from "./facts.ts";

/** What an attempt made that nothing proves is left to people, and named. */
export function isReported({ object, removedAt }: Record, { id }: CloudRow): boolean {
  const text = conditionOf(object, "Duplicate")?.message ?? "";
  return removedAt === undefined && text.split(/[\s,"]+/).includes(id);
}

/** A person took another one, and an event named this: more than one matched, or it was made late. */
export function wasLeftByChoice({ cluster }: World, { key, adopts }: Record, { id }: CloudRow): boolean {
  const [kind, ...object] = key.split("/");
  return (
    adopts.length > 0 &&
    cluster
      .events()
      .some(
        (event) =>
          event.kind === kind &&
          event.key === object.join("/") &&
          ["CreateUncertain", "CreatedLate"].includes(event.reason) &&
          event.note.split(/[\s,."]+/).includes(id),
      )
  );
}

/** Of these, neither a tag nor anything else tells what an attempt made from what others make meanwhile under its name. */
const unmarked = new Map([
  ["Bucket", "buckets"],
  ["Image", "images"],
]);

/**
 * Others made it under the name of an attempt while that was uncertain, as it is again to what was restored. Only an empty
 * bucket is deleted, where its spec does not say otherwise.
 */
export function wasAwaited(world: World, records: Record[], row: CloudRow): boolean {
  const resource = unmarked.get(kindOfPath(row.path) ?? "");
  if (resource === undefined) return false;
  const now = labelOfRow(row.fields);
  // Its object may have been renamed since, and the row with it.
  const names = records.filter(({ labels }) => labels.has(now)).map(({ labels }) => labels);
  return [new Set([now]), ...names].some((labels) =>
    [...labels].some((label) => wasAwaitedAs(label, resource, { world, records, row })),
  );
}

function wasAwaitedAs(
  label: string,
  resource: string,
  { world: { cluster, clock, cloud }, records, row }: { world: World; records: Record[]; row: CloudRow },
): boolean {
  const named = `\\"label\\":\\"${label}\\"`;
  const origin = clock.date().getTime() - clock.now();
  const created = Date.parse(`${JSON.stringify(row.fields["created"]).slice(1, -1)}Z`) - origin;
  const isMade = cloud.ledger().some(
    ({ method, path, body, status = 0, applied, atMs }) =>
      method === "POST" &&
      path.startsWith(row.path) &&
      body?.["label"] === label &&
      // Something on the way may have answered in its place.
      applied &&
      status < 300 &&
      status > 0 &&
      atMs < created,
  );
  // Nor does it know more whose status was overwritten.
  const restored = records.some((record) => (record.restored || record.misled) && record.labels.has(label));
  return (
    (restored || !isMade) &&
    cluster
      .writes()
      .some(
        (write) =>
          write.resource === resource &&
          write.error === undefined &&
          write.atMs < created + 1_000 &&
          JSON.stringify(write.body).includes(named),
      )
  );
}

/** While the request was on its way others made the same; that was taken for what it made, and deleted with the object. */
export function wasDeletedInItsPlace(world: World, records: Record[], row: CloudRow): boolean {
  const sentMs = world.cloud.ledger().find(({ number }) => number === row.madeIn)?.atMs ?? Infinity;
  return world.cloud
    .history()
    .some(
      (other) =>
        other.path === row.path &&
        other.madeBy === undefined &&
        other.removed?.by !== undefined &&
        labelOfRow(other.fields) === labelOfRow(row.fields) &&
        other.createdAt >= sentMs &&
        other.createdAt <= row.createdAt &&
        wasAwaited(world, records, other),
    );
}

/**
 * A deletion begun before the finalizer was stored removed the object, and the process that made the row for it was
 * gone before it could remove it: nothing that is left knows of it.
 */
export function wentWithItsMaker({ cloud }: World, { removedAt, object }: Record, row: CloudRow) {
  const { madeBy, createdAt } = row;
  const overtaken = removedAt !== undefined && (object.metadata.finalizers ?? []).length > 0;
  // While its account was closed it could not, nor where no answer came.
  const sent = cloud.ledger().filter(({ process, path }) => process === madeBy && path.startsWith(row.path));
  const last = sent.at(-1);
  const isTried = sent.findLast(({ method }) => method === "DELETE")?.applied === false;
  return overtaken && last !== undefined && (isTried || last.atMs - createdAt < 60_000);
}

/** It had another name when the request left that is carried out late. */
export function isRenamedSince({ cloud }: World, { path, id, fields }: CloudRow, sentMs: number): boolean {
  return cloud
    .ledger()
    .some(
      ({ method, path: changed, body, atMs }) =>
        method === "PUT" && atMs > sentMs && changed === `${path}/${id}` && body?.["label"] === labelOfRow(fields),
    );
}

/**
 * Reasons of an object whose claim is open: nothing else is made for it, and it is not let go before that is clear. With a
 * spec that cannot be meant, or without the token, it is searched for once that is corrected, or when it is deleted; while
 * others refer to what is being deleted, once they are gone.
 */
const holding = new Set([
  "AccountChanged",
  "AdoptionFailed",
  "Conflict",
  "CreateUncertain",
  "InvalidSpec",
  "NotShared",
  "NotVisible",
  "Paused",
  "TokenMissing",
  "Unreadable",
  "WaitingForAccount",
  "WaitingForDependents",
  "WaitingForReference",
]);

/** The operator may leave behind what it was told to, and what it cannot know of any more. */
export function excuses(records: Record[], { leaves, stripped, forged, removedAt, object }: Record): boolean {
  if (leaves || forged || (stripped && removedAt !== undefined)) return true;
  return removedAt === undefined && (holding.has(reasonOf(object)) || waitsForParent(records, object));
}

/** What holds its parent up is said there, and holds it up as well. */
export function waitsForParent(records: Record[], object: KubeObject): boolean {
  return reasonOf(object) === "WaitingForParent" && hasWaitingParent(records, messageOf(object));
}

function hasWaitingParent(records: Record[], message: string): boolean {
  return alive(records).some(
    ({ kind, object }) =>
      message.includes(` ${kind} ${object.metadata.name},`) &&
      object.metadata.deletionTimestamp !== undefined &&
      (reasonOf(object) === "WaitingForDependents" || wayOut.test(messageOf(object))),
  );
}

/** What a message says that names a way out. */
export const wayOut = /annotat|kubectl|grant|token|Secret|still referred|set spec|remove its|adopt|still used/;
