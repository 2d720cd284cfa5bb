/** What must hold of every life, whatever happened in it. */
import type { CommonSpec } from "../../src/core/kind/common-schema.ts";
import type { CommonStatus } from "../../src/core/kind/status-schema.ts";
import type { CloudRow } from "../world/rows.ts";
import { resources } from "../../src/twin/definitions.ts";
import { conditionOf } from "../world/world.ts";
import { attachments } from "./judge/attachments.ts";
import { promises } from "./judge/promises.ts";
import { requests } from "./judge/requests.ts";
import { published } from "./judge/secrets.ts";
import {
  alive,
  fits,
  hadThen,
  idOf,
  isCreation,
  isHidden,
  isOfFormer,
  isReady,
  isTakenFrom,
  managementOf,
  messageOf,
  reasonOf,
} from "./judge/facts.ts";
import {
  excuses,
  isReported,
  isRenamedSince,
  wasAwaited,
  wasDeletedInItsPlace,
  wasLeftByChoice,
  waitsForParent,
  wayOut,
  wentWithItsMaker,
} from "./judge/left.ts";
import { accountOf, holderOfObject, labelOf, labelOfRow } from "./chronicle.ts";
import type { Record, Touch } from "./chronicle.ts";
import type { Slowness, Stage } from "./actor.ts";
import { kindOfPath, palette } from "./palette.ts";

/** So often each collection is listed, milliseconds. */
export const pollMs = 600_000;

export interface Violation {
  invariant: string;
  /** With the kind, so that stories of one cause come together. */
  kind: string;
  /** Without what differs from life to life. */
  what: string;
  /** With it. */
  detail: string;
}

export interface Facts extends Stage {
  records: Record[];
  touches: Touch[];
  /** Numbers of the ledger and of the writes when the time of silence began. */
  silentFrom: { requests: number; writes: number };
  slow: Slowness[];
}

export type Check = (facts: Facts) => Omit<Violation, "invariant">[];

/** Every invariant that the life broke. */
export function violationsOf(stage: Stage, silentFrom: Facts["silentFrom"]): Violation[] {
  const facts = {
    ...stage,
    silentFrom,
    slow: stage.slow ?? [],
    records: stage.chronicle.records(),
    touches: stage.chronicle.touches(),
  };
  return Object.entries(invariants).flatMap(([invariant, check]) =>
    check(facts).map((violation) => Object.assign(violation, { invariant })),
  );
}

export const invariants: { [name: string]: Check } = {
  "nothing twice": ({ touches, records, life, world }) =>
    touches.filter(isCreation).flatMap(({ row, beside, atMs, entry }) => {
      const kind = kindOfPath(row.path);
      const laterMs = Math.max(life.lagMs, kind === "DatabaseBackup" ? world.cloud.settings.backupMs : 0);
      const isUnlisted = (other: CloudRow): boolean => atMs - other.createdAt < laterMs;
      // What nobody manages, and the token does not see any more, is nobody's but the cloud's.
      const managed = alive(records).filter(({ object }) => managementOf(object).policy !== "Observe");
      const lost = records.filter(
        ({ stripped, spoiled, leaves, removedAt }) =>
          ((stripped || leaves) && removedAt !== undefined) || (stripped && spoiled),
      );
      const others = beside
        .filter((other) => seenBefore(other, atMs, is(kind, "free") ? pollMs : lookMs))
        .filter((other) => !isHidden(world, other) || managed.some((record) => wantsAs(record, other)))
        .filter((other) => !isRenamedSince(world, other, entry.atMs))
        // In its place.
        .filter((other) => !isReplaced({ world, records }, { row, other }))
        // Of what no list shows yet, or was made after the request left, only the record told that somebody has removed, with
        // its object or without, or let go of, or the process that went.
        .filter(
          (other) =>
            !(isUnlisted(other) || other.createdAt > entry.atMs || (other.madeIn ?? 0) > entry.number) ||
            !(
              lost.some((record) => record.ids.has(other.id) || fits(record, other)) ||
              records.some((record) => fits(record, other) && wentWithItsMaker(world, record, other))
            ),
        );
      const allowed = records.some(
        (record) =>
          record.kind === kind && (record.retried || record.forged || isReported(record, row)) && fits(record, row),
      );
      if (kind === undefined || others.length === 0 || allowed) return [];
      const whose = others.some(({ madeBy }) => madeBy !== undefined) ? "of the operator's own making" : "of others";
      return [
        {
          kind,
          what: `made beside one of the same name, ${whose}`,
          detail: `#${entry.number} ${row.path}/${row.id} beside ${others.map(({ id }) => id).join(", ")}`,
        },
      ];
    }),

  "none without an owner": ({ world, records }) =>
    world.cloud.history().flatMap((row) => {
      const kind = kindOfPath(row.path);
      if (kind === undefined || row.removed || row.madeBy === undefined || isHidden(world, row)) return [];
      const fitting = records.filter((record) => record.kind === kind && fits(record, row));
      const owned = fitting.some(({ removedAt, object }) => removedAt === undefined && idOf(object) === row.id);
      if (
        owned ||
        wasDeletedInItsPlace(world, records, row) ||
        fitting.some(
          (record) =>
            excuses(records, record) ||
            isReported(record, row) ||
            wentWithItsMaker(world, record, row) ||
            wasLeftByChoice(world, record, row),
        )
      )
        return [];
      const what = fitting.some(({ removedAt }) => removedAt === undefined)
        ? "left beside a live object"
        : "left after its object";
      return [{ kind, what, detail: `${row.path}/${row.id} (${labelOfRow(row.fields)}), made in #${row.madeIn}` }];
    }),

  "nothing foreign touched": (facts) =>
    facts.touches.flatMap(({ row, entry, atMs }) => {
      const { records, world } = facts;
      const kind = kindOfPath(row.path) ?? row.path;
      if (row.madeBy !== undefined || isCreation({ row, entry }) || isOfFormer(facts, row, entry)) return [];
      const adopted = records.some(
        (record) => mayAdopt(record, row, atMs) && holderOfObject(world, record.object) === row.holder,
      );
      if (adopted || wasAwaited(world, records, row)) return [];
      const by = (mark: "misled" | "forged") => records.some((record) => record.kind === kind && record[mark]);
      const forged = by("misled") ? " after a forged status" : by("forged") ? " after a forged entry" : "";
      return [
        {
          kind,
          what: `${entry.method} on what others made${forged}`,
          detail: `#${entry.number} ${entry.method} ${entry.path}`,
        },
      ];
    }),

  "nothing deleted but by its owner": (facts) =>
    facts.touches.flatMap(({ row, entry, owners, atMs, published: isPublished }) => {
      const { records } = facts;
      const kind = kindOfPath(row.path);
      if (
        entry.method !== "DELETE" ||
        kind === undefined ||
        isOfFormer(facts, row, entry) ||
        row.path.length + row.id.length + 1 < decodeURIComponent(entry.path).length
      )
        return [];
      const detail = `#${entry.number} DELETE ${entry.path}`;
      const hadIt = records.some(
        (record) =>
          owners.includes(record.uid) && hadThen(record, row, entry.atMs) && !isTakenFrom(records, record, row),
      );
      // Its own object deletes one whose secret no Secret holds any more.
      if (hadIt && (isPublished || !is(kind, "replaces")))
        return [{ kind, what: "deleted under a live owner", detail }];
      const asked = records.filter(
        (one) => one.kind === kind && fits(one, row) && one.deletingAt !== undefined && one.deletingAt <= atMs,
      );
      // Nobody knows the secret of one whose creation lost its response: another one is made in its place.
      const isLost = is(kind, "replaces") && records.some((one) => one.kind === kind && fits(one, row));
      return asked.length > 0 || row.madeBy === undefined || isLost
        ? []
        : [{ kind, what: "deleted and nobody asked for it", detail }];
    }),

  "settled, then silent": ({ world, silentFrom, records }) => [
    ...world.cloud
      .ledger()
      .slice(silentFrom.requests)
      .filter(({ method, path }) => method !== "GET" && !(method === "POST" && isRefused(records, { path })))
      .slice(0, 1)
      .map(({ method, path }) => ({
        kind: kindOfPath(path.replace(/\/\d+(\/[a-z-]+)?$/, "")) ?? "account",
        what: `still sends ${method} ${path.replaceAll(/\d+/g, "*")}`,
        detail: `${method} ${path}`,
      })),
    ...world.cluster
      .writes()
      .slice(silentFrom.writes)
      .filter(({ resource, key }) => !isRefused(records, { resource, key }))
      .slice(0, 1)
      .map(({ verb, resource, key, error }) => ({
        kind: resource,
        what: `still writes: ${verb}${error === undefined ? "" : " in vain"}`,
        detail: `${verb} ${key}`,
      })),
  ],

  "no internal error": ({ world, records }) => [
    ...alive(records)
      .filter(({ object }) => reasonOf(object) === "InternalError")
      .map(({ kind, key, object }) => ({
        kind,
        what: `InternalError: ${general(messageOf(object))}`,
        detail: `${key}: ${messageOf(object)}`,
      })),
    ...world
      .logged()
      .filter(({ level }) => level === "error")
      .slice(0, 1)
      .map(({ message, fields }) => {
        const { key = "", error } = fields as { key?: string; error?: Error };
        return {
          kind: key.split("/")[0] ?? "",
          what: `logged: ${message}: ${general(error?.message ?? "")}`,
          detail: `${key}: ${error?.stack}`,
        };
      }),
  ],

  "stuck names a way out": ({ records }) =>
    alive(records).flatMap(({ kind, key, object }) => {
      const ready = conditionOf(object, "Ready");
      const deleting = object.metadata.deletionTimestamp !== undefined;
      if (ready?.status === "True" && !deleting) return [];
      const reason = ready?.reason ?? "none";
      const detail = `${key}: ${reason}: ${ready?.message}`;
      // What the cloud shows for good is said for good.
      if (!deleting && ready?.message.startsWith("The cloud API reports the status")) return [];
      if (waitsForParent(records, object)) return [];
      if (passing.has(reason))
        return [
          {
            kind,
            what: `${deleting ? "deleting, and " : ""}still ${reason} in the end: ${general(ready?.message ?? "")}`,
            detail,
          },
        ];
      if (!deleting || wayOut.test(ready?.message ?? "") || reason === "Paused") return [];
      return [{ kind, what: `deleting, and ${reason} without a way out: ${general(ready?.message ?? "")}`, detail }];
    }),

  "ready means so": ({ world, records }) =>
    alive(records).flatMap(({ kind, key, object }) => {
      const { id, observedGeneration } = (object.status ?? {}) as CommonStatus;
      const ready = conditionOf(object, "Ready");
      if (kind === "CloudAccount" || is(kind, "once") || ready?.status !== "True" || ready.reason === "Paused")
        return [];
      if (observedGeneration !== object.metadata.generation)
        return [{ kind, what: "ready, and its newest generation was not reconciled", detail: key }];
      const row = world.cloud
        .history()
        .find(
          (one) =>
            !one.removed &&
            one.id === id &&
            kindOfPath(one.path) === kind &&
            one.holder === holderOfObject(world, object),
        );
      if (!row) return [{ kind, what: "ready without anything in the cloud", detail: `${key}: ${id}` }];
      const { management } = (object.spec ?? {}) as CommonSpec;
      const corrected = management?.policy !== "Observe" && management?.driftPolicy !== "Report";
      // A name that the cloud kept, or seemed to accept several times, is reported as drift, and sent again hours later.
      const drifted = conditionOf(object, "Drifted")?.message ?? "";
      const isTold = drifted.includes(labelOf(object)) && drifted.includes(labelOfRow(row.fields));
      const managed = corrected && row.stubborn === undefined && !isTold && !isHidden(world, row);
      if (managed && labelOfRow(row.fields) !== labelOf(object))
        return [{ kind, what: "ready under another name than wanted", detail: `${key}: ${labelOfRow(row.fields)}` }];
      return [];
    }),

  "one owner each": ({ records }) => {
    const owners = Map.groupBy(
      alive(records).filter(
        ({ kind, object }) =>
          !is(kind, "once") &&
          idOf(object) !== undefined &&
          // One that is paused says what was last seen, and may have observed until then.
          isReady(object) &&
          managementOf(object).policy !== "Observe",
      ),
      ({ kind, object }) => `${kind} ${idOf(object)} ${kind === "SSHKey" ? accountOf(object) : ""}`,
    );
    return [...owners]
      .filter(([, all]) => all.length > 1)
      .map(([claim, all]) => ({
        kind: all[0]?.kind ?? "",
        what: "two objects are ready with one cloud object",
        detail: `${claim}: ${all.map(({ key }) => key).join(", ")}`,
      }));
  },

  ...attachments,
  ...requests,
  ...published,
  ...promises,
};

/** One that nobody sees, and that is to have another name, leaves its own to others. */
function wantsAs({ ids, object }: Record, { id, fields }: CloudRow): boolean {
  return ids.has(id) && labelOf(object) === labelOfRow(fields);
}

/** Reasons that pass by themselves once nothing goes wrong. */
const passing = new Set([
  "none",
  "Creating",
  "Provisioning",
  "Updating",
  "Deleting",
  "Busy",
  "RateLimited",
  "CloudUnavailable",
  "ClusterUnavailable",
  "WaitingForParent",
]);

/** What others made so lately may have come after the look, milliseconds. */
const lookMs = 70_000;

function seenBefore({ madeBy, createdAt }: CloudRow, atMs: number, withinMs: number): boolean {
  return madeBy !== undefined || atMs - createdAt > withinMs;
}

/** What the cloud refuses to create is asked for again with each resync: the cloud may have changed. */
function isRefused(records: Record[], at: { path?: string; resource?: string; key?: string }): boolean {
  return alive(records).some(({ kind, object }) => {
    const { metadata } = object;
    // So is a creation that is answered with what nobody sees: no list tells when that is gone.
    const isHeld = reasonOf(object) === "Conflict" && messageOf(object).includes("exists already");
    if (reasonOf(object) !== "Refused" && !isHeld) return false;
    const isItself = at.key === `${metadata.namespace}/${metadata.name}` && resources.get(kind)?.plural === at.resource;
    return isItself || (at.path !== undefined && kindOfPath(at.path) === kind);
  });
}

/** What one object made is deleted once what it makes next is there, where its kind does that. */
function isReplaced(
  { world, records }: Pick<Facts, "world" | "records">,
  { row, other }: { row: CloudRow; other: CloudRow },
): boolean {
  const kind = kindOfPath(row.path);
  const makers = records.filter((record) => record.kind === kind && fits(record, other));
  // What a grant hides by then cannot be deleted, and that is said.
  const isTold = isHidden(world, other) && makers.some(({ object }) => messageOf(object).includes(other.id));
  // The former one goes with the replacement, of which it is not clear what became: that is said, too.
  const isOpen = makers.some(
    ({ object }) => reasonOf(object) === "CreateUncertain" && messageOf(object).includes(row.id),
  );
  return is(kind, "replaces") && makers.length > 0 && (isTold || isOpen || other.removed?.by !== undefined);
}

function is(kind: string | undefined, what: "once" | "free" | "replaces"): boolean {
  return palette.some((one) => one.kind === kind && one[what] === true);
}

function mayAdopt({ kind, adopts, object, ids }: Record, row: CloudRow, atMs: number): boolean {
  if (kind !== kindOfPath(row.path) || object.metadata.namespace === "guest") return false;
  const since = ids.get(row.id);
  if (since !== undefined && row.createdAt > since && atMs >= since) return false;
  return adopts.some(({ id, label }) => id === row.id || label === labelOfRow(row.fields) || since !== undefined);
}

/** A message without what differs from life to life. */
export function general(message: string): string {
  return message
    .replaceAll(/\s+/g, " ")
    .replaceAll(/us-east-1\/[\w.-]+|\b\d+\b|\b[0-9a-f]{8}\b|forged00/g, "*")
    .replaceAll(/\b(s\d|own-\d|shared|other|victim|theirs)\b/g, "x")
    .slice(0, 140);
}
