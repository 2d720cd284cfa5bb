/**
 * Spec of an existing cloud object: the inverse of the fields, the steps and the references of a kind. The function writes what
 * `status.observed` of an adopted object shows, and the values that only the creation needs.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Detail } from "./call.ts";
import { plain } from "./differences.ts";
import type { FindExported } from "./export-part.ts";
import { shownKey } from "./fields.ts";
import { memoize } from "./memoize.ts";
import { patternOfIds } from "./schema.ts";
import { claimsNothing } from "./owned.ts";
import type { Kind } from "./owned.ts";
import { adoptedLive, valueOf } from "./adopted-live.ts";
import type { AnyLive, Shown } from "./adopted-live.ts";
import { acceptedPart } from "./accepted-part.ts";
import { withNames } from "./spec-path.ts";
import type { NameOf } from "./spec-path.ts";
import { observedFields } from "./words.ts";

export interface ExportTools {
  read: (detail: Detail) => Promise<Json | undefined>;
  nameOf: NameOf;
  find: FindExported;
}

export interface ExportedSpec {
  /** Undefined if the row holds nothing for the kind, such as an address without a reverse name. */
  spec: JsonObject | undefined;
  /** Reads that failed. Their fields are absent. */
  failed: { path: string; error: unknown }[];
  /** Values that the spec cannot contain. */
  removed: string[];
  /** Why the spec is not valid. Empty for a valid spec. */
  lacks: string[];
}

/** Returns why an export has no objects of the kind; undefined if an export has them. */
export function notExported(kind: Kind): string | undefined {
  if (kind.shape === "once") return "it runs once, and its cloud objects belong to other kinds";
  if (kind.shape === "survey" || claimsNothing(kind)) return "it holds nothing in the cloud";
  return typeof kind.exports === "string" ? kind.exports : undefined;
}

/** Returns the spec without `management` and `accountRef`. */
export async function exportedSpec(
  kind: Kind,
  shown: Shown,
  { read, nameOf, find }: ExportTools,
): Promise<ExportedSpec> {
  const failed: ExportedSpec["failed"] = [];
  const tried = (detail: Detail) =>
    read(detail).catch((error: unknown) => void failed.push({ path: detail.path, error }));
  const none = { spec: undefined, failed, removed: [], lacks: [] };
  if (!isOfKind(kind, shown)) return none;
  const live = adoptedLive(shown);
  const told = {
    ...parentsOf(shown),
    ...observedFields(withCreation(kind), shown.row),
    ...(await stepFields(kind, live, tried)),
  };
  const own = ownExport(kind);
  const answers: Record<string, Json | undefined> = {};
  for (const [name, detail] of Object.entries(own?.reads?.() ?? {})) answers[name] = await tried(detail);
  const added = own === undefined ? {} : own.spec({ ...live, told, answers, find });
  if (added === undefined) return none;
  const whole = Object.entries({ ...told, ...added }).filter(([, value]) => value !== null);
  const named = withNames(kind.spec, plain(Object.fromEntries(whole)), nameOf);
  const { spec, removed, lacks } = acceptedPart(kind.spec, named);
  return { spec: inSchemaOrder(kind, spec), failed, removed, lacks };
}

function ownExport(kind: Kind) {
  return typeof kind.exports === "object" ? kind.exports : undefined;
}

/** Adds the values that only a creation sends and that a row still shows. */
const withCreation = memoize((kind: Kind): Kind => {
  const fields = Object.entries(kind.fields).map(([name, field]) => [
    name,
    field.exported ? { ...field, observed: field.exported } : field,
  ]);
  return { ...kind, fields: Object.fromEntries(fields) as Kind["fields"] };
});

function parentsOf({ refs }: Shown): JsonObject {
  const found = Object.entries(refs).flatMap(([name, one]) => [one].flat().map((to) => [name, { id: to?.id ?? "" }]));
  return Object.fromEntries(found) as JsonObject;
}

/** Returns true if the ID and the constants of the kind fit: a list can also have rows of other kinds. */
function isOfKind(kind: Kind, { id, row }: Shown): boolean {
  if (!formOf(kind).test(id)) return false;
  return Object.entries(kind.fields).every(([name, { observed, desired }]) => {
    if (observed === undefined || !(name in constantsOf(kind))) return true;
    return observed(row) === desired(nothingWanted);
  });
}

const nothingWanted = { name: "", namespace: "", spec: {}, refs: {} };

/** Returns the form of the IDs; any text for a setting, whose ID is not in the spec. */
const formOf = memoize((kind: Kind) => new RegExp(kind.shape === "owned" ? patternOfIds(kind.idPattern) : ""));

/** Returns the fields with one desired value for every spec, such as the type of a backup. */
const constantsOf = memoize(({ fields, spec }: Kind): JsonObject => {
  const constants = Object.entries(fields).flatMap(([name, { desired, specField }]): [string, Json][] => {
    if (specField !== undefined || name in spec.shape) return [];
    const value = valueOf(() => desired(nothingWanted));
    return typeof value === "string" || value === true ? [[name, value]] : [];
  });
  return Object.fromEntries(constants.filter(([, value]) => value !== ""));
});

/** Returns the values of the steps, in the form of the spec. */
async function stepFields(kind: Kind, live: AnyLive, read: ExportTools["read"]): Promise<JsonObject> {
  const fields: JsonObject = {};
  for (const { describe, read: asked, observes, shownBy } of Object.values(kind.steps ?? {})) {
    if (describe === undefined || shownBy !== undefined) continue;
    const detail = asked?.(live) ?? observes?.(live);
    const current = detail && (await read(detail));
    Object.assign(
      fields,
      valueOf(() => describe(live, current).cloud),
    );
  }
  return fields;
}

function inSchemaOrder({ spec: { shape } }: Kind, spec: JsonObject): JsonObject {
  const names = Object.keys(shape).filter((name) => spec[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, spec[name] ?? null]));
}

/**
 * Returns the rows without the cloud objects that a parent has without a custom resource, such as the first address of an
 * instance. See `held`.
 */
export function withoutBuiltIn<T extends { row: JsonObject }>(kind: Kind, shown: T[]): T[] {
  const { held } = kind;
  if (!held) return shown;
  const groups = Map.groupBy(shown, ({ row }) => JSON.stringify([shownKey(kind, row), observedFields(kind, row)]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first || Object.values(shownKey(kind, first.row)).includes(null)) return group;
    return group.slice(held.builtIn({ ...nothingWanted, spec: observedFields(kind, first.row) }));
  });
}
