/** What an object's conditions promise or deny, held against what happened. */
import { recordOf } from "../../world/record.ts";
import { conditionOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import type { CloudRow } from "../../world/rows.ts";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { statedEntryIn } from "../../../src/core/model/journal.ts";
import type { CommonSpec } from "../../../src/core/kind/common-schema.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import { holderOfObject, labelOf, labelOfRow } from "../chronicle.ts";
import type { Record } from "../chronicle.ts";
import type { Check } from "../invariants.ts";
import { kindOfPath, palette } from "../palette.ts";
import { differs } from "../shown.ts";
import { isMarked } from "../stored.ts";
import { alive, fits, idOf, isHidden, isKept, isReady, messageOf, reasonOf, rowOf } from "./facts.ts";

export const promises: { [name: string]: Check } = {
  "what is ready is as its spec says": ({ world, records, life }) =>
    alive(records).flatMap(({ kind, key, object, forged }) => {
      const row = rowOf(world, object);
      const swatch = palette.find((one) => one.kind === kind);
      // What the cloud kept to itself for long enough is reported, and not asked for again.
      if (!row || row.stubborn !== undefined || forged || !isReady(object) || !isKept(object) || isHidden(world, row))
        return [];
      // What something between here and the cloud answered in its place is said, and sent again an hour later.
      const spoilt = life.commands.some((command) => command.do === "fault" && command.kind === "empty");
      // The object must report a value that the service stores in another form.
      const isStored = life.stores !== undefined;
      if ((spoilt || isStored) && conditionOf(object, "Drifted")?.status === "True") return [];
      if (isMarked(row.fields, swatch?.key ?? []))
        return [{ kind, what: "ready, and stored under another name without a report", detail: key }];
      const fields = Object.entries(swatch?.shows?.((object.spec ?? {}) as JsonObject, row) ?? {});
      return fields
        .filter(([what, pair]) => differs(pair) && !(isTakenOver(object, row) && isAskedFor(what)))
        .filter(([what]) => !(what === "backups" && isLeftOn(world, object)))
        .map(([what, pair]) => ({
          kind,
          what: `ready, and another ${what} than wanted`,
          detail: `${key}: ${JSON.stringify(pair)}`,
        }));
    }),

  "who observes is in nobody's way": ({ world, records }) =>
    alive(records).flatMap(({ kind, key, object }) => {
      const { management } = (object.spec ?? {}) as CommonSpec;
      const adopted = management?.adopt?.id;
      const there = world.cloud
        .history()
        .some(({ path, id, removed }) => kindOfPath(path) === kind && id === adopted && !removed);
      // The id was used again, and means another thing than what is observed.
      const isAnother = messageOf(object).includes("is not the recorded cloud object");
      if (management?.policy !== "Observe" || !there || isAnother || reasonOf(object) !== "Conflict") return [];
      return [
        { kind, what: "observes, and is in conflict", detail: `${key}: ${conditionOf(object, "Ready")?.message}` },
      ];
    }),

  "what is made needs its source no more": ({ records }) =>
    alive(records).flatMap(({ kind, key, object }) => {
      const { source } = (object.spec ?? {}) as { source?: object };
      if (source === undefined || idOf(object) === undefined || reasonOf(object) !== "WaitingForReference") return [];
      return [{ kind, what: "made, and waits for what it was made from", detail: key }];
    }),

  "an object knows what it made": ({ world, records }) =>
    records.flatMap((record) => {
      const { kind, key, object, removedAt, forged, stripped, adopts, retried } = record;
      const reason = reasonOf(object);
      if (removedAt !== undefined || forged || stripped || adopts.length > 0 || kind === "CloudAccount") return [];
      const made = world.cloud
        .history()
        .filter(
          (row) =>
            kindOfPath(row.path) === kind &&
            row.madeBy !== undefined &&
            row.holder === holderOfObject(world, object) &&
            fits(record, row),
        );
      const others = records.filter((other) => other !== record && other.kind === kind);
      const own = made.filter((row) => !isHidden(world, row) && !others.some((other) => fits(other, row)));
      const message = conditionOf(object, "Ready")?.message ?? "";
      const deleting = object.metadata.deletionTimestamp !== undefined;
      const blamed = own.find(
        (row) =>
          !row.removed &&
          !deleting &&
          // Who allows another creation says that what there is belongs to somebody else.
          !retried &&
          reason === "Conflict" &&
          message.includes(row.id) &&
          labelOfRow(row.fields) === labelOf(object),
      );
      if (blamed && !sharesName(world, blamed.id, labelOf(object), kind))
        return [{ kind, what: "in conflict with what it made itself", detail: `${key}: ${message}` }];
      // A token that became restricted only when the process that sent the DELETE was gone leaves no proof of it.
      const restricted = ["ada", "bob"].some((user) => world.cloud.user(user).restricted);
      const known = own.every(
        ({ removed }) => !restricted || world.processes().some(({ gate }) => gate.process === removed?.by),
      );
      const hides = made.some((row) => !row.removed && isHidden(world, row));
      const undone = deleting && known && !hides && own.length > 0 && own.every((row) => isDeletedItself(world, row));
      const isOver = undone && !wasNeverSent(world, object) && !isAskedAgain(world, record, own);
      if (isOver && ["CreateUncertain", "NotVisible"].includes(reason))
        return [{ kind, what: `deleting, and ${reason} after its own DELETE`, detail: `${key}: ${message}` }];
      return [];
    }),
};

/** After all that it made another request left, and no answer to that says what became of it. */
function isAskedAgain({ cloud }: World, { labels }: Record, own: CloudRow[]): boolean {
  const last = Math.max(...own.map(({ madeIn = -1 }) => madeIn));
  return cloud
    .ledger()
    .some(
      ({ number, method, path, body = {}, applied, unsent, status = 0 }) =>
        number > last &&
        method === "POST" &&
        own.some((row) => path.startsWith(row.path)) &&
        labels.has(labelOfRow(body)) &&
        !applied &&
        !unsent &&
        (status < 400 || status >= 500),
    );
}

/** What was to be created next, by a process that ended before it sent that: no other process can know that it was not sent. */
function wasNeverSent({ cloud, clock, processes, leaseEnds }: World, object: KubeObject): boolean {
  const entry = statedEntryIn(object);
  if (!entry) return false;
  const storedAt = Date.parse(entry.time) - clock.date().getTime() + clock.now();
  const number = Number(entry.epoch.replace("epoch-", ""));
  const isGone = leaseEnds().has(number) || !processes().some(({ gate }) => gate.process === number);
  const isOfIt = (path: string): boolean => path.startsWith(entry.collection);
  return (
    isGone &&
    !cloud
      .ledger()
      .some(
        ({ method, process, atMs, path }) =>
          method === "POST" && process === number && atMs >= storedAt && isOfIt(path),
      )
  );
}

/**
 * Backups that a process turned on that ended before it recorded that, and that the spec does not want any more: they are not
 * deleted unless that is asked for once more, which the condition says.
 */
function isLeftOn({ processes }: World, object: KubeObject): boolean {
  const told = conditionOf(object, "Drifted")?.message.startsWith("CancelBackups: ") === true;
  return told && !processes().some(({ gate }) => gate.process === 1);
}

/** By a DELETE of its own, and not with what it was part of. */
function isDeletedItself({ cloud }: World, { path, id, removed }: CloudRow): boolean {
  const own = `${path}/${id}`;
  return (
    removed?.by !== undefined &&
    cloud.ledger().some(({ method, applied, ...sent }) => method === "DELETE" && applied && sent.path === own)
  );
}

/** A restored object takes over what was made for the one before it, where people name it. */
function isTakenOver(object: KubeObject, { madeBy }: CloudRow): boolean {
  return madeBy === undefined || recordOf(object).adopted === true;
}

/** What a takeover leaves as it is found: it changes where the spec changes. */
function isAskedFor(what: string): boolean {
  return what === "type" || what === "image";
}

/** Somebody else has the name, too. */
function sharesName({ cloud }: Parameters<Check>[0]["world"], id: string, label: string, kind: string): boolean {
  return cloud
    .history()
    .some((row) => !row.removed && row.id !== id && kindOfPath(row.path) === kind && labelOfRow(row.fields) === label);
}
