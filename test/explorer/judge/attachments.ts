/** What a firewall may be attached to, and what it must be. */
import type { JsonObject } from "../../../src/api/types.ts";
import { text } from "../../world/collections.ts";
import type { CloudRow } from "../../world/rows.ts";
import { labelOfRow } from "../chronicle.ts";
import type { Record, Touch } from "../chronicle.ts";
import type { Check, Facts } from "../invariants.ts";
import { alive, idOf, isCreation, isHidden, isKept, isReady, rowOf } from "./facts.ts";

interface Reference {
  name?: string;
  id?: string;
}

export const attachments: { [name: string]: Check } = {
  "an id is attached once, and only where a spec allows it": ({ touches, world, records, life }) => [
    ...touches
      .filter((touch) => isDevice(touch.row) && isCreation(touch))
      .filter(({ row, atMs }) => !records.some((record) => allows(record, row, atMs, { records, world })))
      .map(({ row, entry }) => ({
        kind: "Firewall",
        what: "attached to what no spec names",
        detail: `#${entry.number} ${row.path}: instance ${instanceOf(row)}`,
      })),
    ...world.cloud
      .ledger()
      .filter(({ method, path, status, body }) => method === "POST" && isDevicesPath(path) && status === 400 && body)
      .filter(({ path, body, ...asked }) =>
        world.cloud
          .history()
          .some(
            (row) =>
              row.path === path &&
              instanceOf(row) === text(body?.["id"]) &&
              isKnownTo(asked, row, world) &&
              !(asked.atMs - row.createdAt < life.lagMs && isEditedBetween(records, row, asked.atMs)),
          ),
      )
      .map(({ number, path, body }) => ({
        kind: "Firewall",
        what: "attached again to what it is attached to",
        detail: `#${number} POST ${path} ${JSON.stringify(body)}`,
      })),
  ],

  "what is ready is attached to all that it names": ({ records, world }) =>
    alive(records).flatMap(({ kind, key, object }) => {
      const references = referencesOf(object.spec);
      const row = rowOf(world, object);
      if (kind !== "Firewall" || !isReady(object) || !isKept(object) || !references || !row || isHidden(world, row))
        return [];
      const wanted = references.map((reference) => idNamed(reference, object.metadata.namespace, records)).toSorted();
      const attached = world.cloud
        .history()
        .filter((device) => !device.removed && device.path === `${row.path}/${row.id}/devices`)
        .map(instanceOf)
        .toSorted();
      if (JSON.stringify(wanted) === JSON.stringify(attached)) return [];
      const what = "ready, and attached to other instances than it names";
      return [{ kind, what, detail: `${key}: ${wanted.join()} but ${attached.join()}` }];
    }),
};

/** So long lists may not show it to a process that did not attach it itself, milliseconds. */
const unlistedMs = 30_000;

/** Attached by an answered request of the operator a moment ago. */
function isKnownTo(
  { atMs, process }: Pick<Touch["entry"], "atMs" | "process">,
  { madeIn, createdAt, removed }: CloudRow,
  { cloud }: Facts["world"],
): boolean {
  const maker = madeIn === undefined ? undefined : cloud.ledger().find(({ number }) => number === madeIn);
  const isShown = maker?.process === process || atMs - createdAt > unlistedMs;
  return maker?.status === 200 && isShown && createdAt < atMs && (removed === undefined || removed.at > atMs);
}

/** What is not shown is sent again at once where people edit the spec. */
function isEditedBetween(records: Record[], { path, createdAt }: CloudRow, atMs: number): boolean {
  const firewall = path.split("/")[3] ?? "";
  return records.some(
    ({ ids, specs }) => ids.has(firewall) && specs.some((spec) => spec.atMs >= createdAt && spec.atMs <= atMs),
  );
}

function allows(
  { kind, object, ids, labels, removedAt, specs }: Record,
  device: CloudRow,
  atMs: number,
  { records, world }: Pick<Facts, "records" | "world">,
): boolean {
  const firewall = device.path.split("/")[3] ?? "";
  const { namespace } = object.metadata;
  const row = world.cloud.history().find(({ path, id }) => path === "/networking/firewalls" && id === firewall);
  // An object that was gone before the answer never recorded it, nor has one that waits for what it refers to.
  const isUnrecorded = removedAt !== undefined || idOf(object) === undefined;
  const wasMadeFor = isUnrecorded && row?.madeIn === device.madeIn && labels.has(labelOfRow(row?.fields ?? {}));
  const mayName = kind === "Firewall" && (ids.has(firewall) || wasMadeFor);
  const id = instanceOf(device);
  const named = ({ name, id: given }: Reference) =>
    name === undefined
      ? given === id && namespace === "default" && !isManaged(id, atMs, records)
      : records.some(
          (one) =>
            one.kind === "ComputeInstance" &&
            one.ids.has(id) &&
            one.object.metadata.name === name &&
            one.object.metadata.namespace === namespace,
        );
  return mayName && specs.some(({ spec }) => referencesOf(spec)?.some(named));
}

/** An object has had it for a while, and wants to keep it. */
function isManaged(id: string, atMs: number, records: Record[]): boolean {
  return records.some(
    ({ kind, ids, removedAt, deletingAt, leaves, misled }) =>
      kind === "ComputeInstance" &&
      // Somebody wrote the id into its status.
      !misled &&
      (ids.get(id) ?? Infinity) < atMs - 5_000 &&
      (removedAt ?? Infinity) > atMs &&
      (deletingAt ?? Infinity) > atMs &&
      !leaves,
  );
}

function idNamed({ name, id }: Reference, namespace: string | undefined, records: Record[]): string {
  if (id !== undefined) return id;
  const named = alive(records).find(
    ({ kind, object: { metadata } }) =>
      kind === "ComputeInstance" && metadata.name === name && metadata.namespace === namespace,
  );
  return (named && idOf(named.object)) ?? "none";
}

function referencesOf(spec: unknown): Reference[] | undefined {
  return (spec as { instanceRefs?: Reference[] } | undefined)?.instanceRefs;
}

function isDevice({ path }: CloudRow): boolean {
  return isDevicesPath(path);
}

function isDevicesPath(path: string): boolean {
  return /^\/networking\/firewalls\/\d+\/devices$/.test(path);
}

function instanceOf({ fields }: CloudRow): string {
  return text((fields["entity"] as JsonObject)["id"]);
}
