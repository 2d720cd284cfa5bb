/** Compares objects of files with the account. References by name lead to other objects of the files or of the cluster. */
import type { JsonObject } from "../../api/types.ts";
import type { CommonSpec } from "../../core/kind/common-schema.ts";
import { compared } from "../../core/kind/compared.ts";
import { adoptedLive, valueOf } from "../../core/kind/adopted-live.ts";
import type { Difference } from "../../core/kind/differences.ts";
import { isKeyAlike, naturalKey, shownKey } from "../../core/kind/fields.ts";
import { neutralSpec } from "../../core/kind/neutral.ts";
import type { Neutral } from "../../core/kind/neutral.ts";
import type { Kind } from "../../core/kind/owned.ts";
import { parseSpec } from "../../core/kind/parse-spec.ts";
import { kindOf } from "../../core/kind/reference.ts";
import type { ObjectReferenceTo, ReferenceEntry, Resolved } from "../../core/kind/reference.ts";
import type { CloudObject } from "../account/objects.ts";
import type { Lists } from "../account/lists.ts";
import { Failure } from "../failure.ts";
import type { FileObject } from "./file-objects.ts";

export interface Found {
  object: FileObject;
  /** Undefined: no cloud object fits. */
  id: string | undefined;
  differences: Difference[];
  unknown: string[];
}

interface ComparisonOptions {
  kinds: ReadonlyMap<string, Kind>;
  files: readonly FileObject[];
  objects: readonly CloudObject[];
  lists: Lists;
  neutral: Neutral;
  /** Returns the ID that an object of the cluster records. */
  recordedID: (kind: Kind, name: string, namespace: string | undefined) => Promise<string | undefined>;
}

/** Compares one object. Throws `Failure` or `Stalled` if the spec is not valid or names an unknown object. */
export type Compare = (object: FileObject) => Promise<Found>;

export function createComparison(options: ComparisonOptions): Compare {
  const { kinds, files, lists, neutral } = options;
  const byKind = Map.groupBy(options.objects, ({ kind }) => kind.kind);
  const located = new Map<string, Promise<Located>>();

  const locate = (kind: Kind, file: FileObject): Promise<Located> => {
    const key = `${kind.kind}/${file.namespace ?? ""}/${file.name}`;
    const known = located.get(key) ?? locateOnce(kind, file);
    located.set(key, known);
    return known;
  };

  const locateOnce = async (kind: Kind, file: FileObject): Promise<Located> => {
    const spec = parseSpec(kind, neutralSpec(kind, file.spec, neutral));
    const refs: Located["refs"] = {};
    for (const [name, reference] of Object.entries(kind.references ?? {})) {
      if ("secret" in reference) continue;
      const entries = reference.from(spec);
      if (entries === undefined) continue;
      const resolve = (entry: ReferenceEntry) => resolved(reference, entry, file);
      refs[name] = Array.isArray(entries) ? await Promise.all(entries.map(resolve)) : await resolve(entries);
    }
    const wanted = { name: file.name, namespace: file.namespace ?? "", spec, refs };
    const { adopt } = (spec as CommonSpec).management ?? {};
    const id =
      adopt?.id ?? (await options.recordedID(kind, file.name, file.namespace)) ?? kind.which?.(wanted as never);
    const path = kind.listPath(wanted);
    const among = (byKind.get(kind.kind) ?? []).filter(({ list }) => list === path);
    return { spec, refs, found: among.find((one) => isMeant(kind, one, wanted, id)) };
  };

  const resolved = async (
    reference: ObjectReferenceTo<Record<string, unknown>>,
    entry: ReferenceEntry,
    from: FileObject,
  ): Promise<Resolved> => {
    const kind = kinds.get(kindOf(reference, entry));
    if (!kind) throw new Failure(`${nameOf(from)} refers to an unknown kind. Correct the manifest`);
    const file = files.find(
      (one) => one.kind === kind.kind && one.name === entry.name && one.namespace === from.namespace,
    );
    const place = file && (await locate(kind, file));
    const id = entry.id ?? place?.found?.id ?? (await options.recordedID(kind, entry.name ?? "", from.namespace));
    const shown = place?.found ?? byKind.get(kind.kind)?.find((one) => one.id === id);
    if (id === undefined)
      throw new Failure(
        `${nameOf(from)} refers to ${kind.kind} ${entry.name}, which is not in the files and has no cloud object. Add its manifest with -f`,
      );
    return resolvedOf(reference, entry, { kind, id, shown, place });
  };

  return async (file) => {
    const kind = kinds.get(file.kind);
    if (!kind) throw new Failure(`${nameOf(file)}: the kind is not known. Correct ${file.file}`);
    const { spec, refs, found } = await locate(kind, file);
    if (!found) return { object: file, id: undefined, differences: [], unknown: [] };
    const shown = { name: file.name, id: found.id, row: found.row, list: found.list, refs };
    const result = await compared(kind, shown, spec, (detail) => lists.detail(detail));
    return { object: file, id: found.id, ...result };
  };
}

/** Returns true for the cloud object with the ID, or without an ID for a cloud object with the natural key. */
function isMeant(kind: Kind, one: CloudObject, wanted: Wanted, id: string | undefined): boolean {
  if (id !== undefined) return one.id === id;
  return kind.shape === "setting" || isKeyAlike(kind, shownKey(kind, one.row), naturalKey(kind, wanted), wanted);
}

type Wanted = Parameters<typeof naturalKey>[1];

interface Located {
  spec: Record<string, unknown>;
  refs: Record<string, Resolved | Resolved[] | undefined>;
  found: CloudObject | undefined;
}

interface Target {
  kind: Kind;
  id: string;
  shown: CloudObject | undefined;
  place: Located | undefined;
}

function resolvedOf(
  reference: ObjectReferenceTo<Record<string, unknown>>,
  entry: ReferenceEntry,
  { kind, id, shown, place }: Target,
): Resolved {
  const { row, list } = shown ?? {};
  const live =
    shown && adoptedLive({ name: entry.name ?? "", id, row: shown.row, list: shown.list, refs: {} }, place?.spec);
  const status = live && (valueOf(() => kind.report(live, {})) as JsonObject | undefined);
  const found: Resolved = {
    id,
    entry,
    kind: kind.kind,
    ...(entry.name !== undefined && { name: entry.name }),
    ...(row && { row }),
    ...(list !== undefined && { list }),
    ...(place && { spec: place.spec as JsonObject }),
    ...(status && { status }),
  };
  const copied = reference.copies?.(entry, found);
  return copied && "value" in copied ? { ...found, value: copied.value } : found;
}

function nameOf({ kind, name }: FileObject): string {
  return `${kind} ${name}`;
}
