/** Manifests of cloud objects, with references by name. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { FindExported } from "../../core/kind/export-part.ts";
import { exportedSpec } from "../../core/kind/exported.ts";
import type { ExportTools } from "../../core/kind/exported.ts";
import type { Kind } from "../../core/kind/owned.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { group, version } from "../../core/kind/resource.ts";
import { withoutDefaults } from "../../core/kind/without-defaults.ts";
import type { CloudObject, Missed } from "../account/objects.ts";
import type { Lists } from "../account/lists.ts";
import { textOf } from "../failure.ts";
import { compareIDs, namesOf } from "./names.ts";

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  spec: JsonObject;
}

/** A Secret that the user must create before the object can use it. */
export interface NeededSecret {
  name: string;
  keys: string[];
  /** Kind and name of the object. */
  by: string;
}

export interface Exported {
  manifests: { manifest: Manifest; area: string }[];
  secrets: NeededSecret[];
  missed: Missed[];
  /** Values of the cloud that a spec cannot contain. */
  leftOut: string[];
}

export interface ExportOptions {
  /** The cloud objects to write. Only they get references by name. */
  written: ReadonlySet<CloudObject>;
  policy: "Manage" | "Observe";
  /** True: write default values, too. */
  full: boolean;
  namespace: string | undefined;
  /** Name of the CloudAccount; undefined for `default`. */
  account: string | undefined;
  lists: Lists;
  /** Lets the event loop run, so that Ctrl-C takes effect. */
  turn?: () => Promise<void>;
  /** Names of the written cloud objects. Defaults to their labels. */
  names?: ReadonlyMap<CloudObject, string>;
}

/** Returns the manifests of the written cloud objects, in a stable order. */
export async function manifestsOf(objects: readonly CloudObject[], options: ExportOptions): Promise<Exported> {
  const { names = namesOf(objects) } = options;
  const tools = toolsOf(names, options);
  const exported: Exported = { manifests: [], secrets: [], missed: [], leftOut: [] };
  const parents = new Set(objects.map(({ parent }) => parent?.object));
  const specs = new Map<CloudObject, Promise<JsonObject | undefined>>();
  const specOf = (object: CloudObject): Promise<JsonObject | undefined> => {
    const known = specs.get(object) ?? readSpec(object);
    // Only the parts of an object need its spec again.
    if (parents.has(object)) specs.set(object, known);
    return known;
  };
  const readSpec = async (object: CloudObject): Promise<JsonObject | undefined> => {
    const { kind, id, row, list, parent } = object;
    const name = names.get(object) ?? "";
    const refs = parent && { [parent.reference]: await resolved(parent.object, names, specOf) };
    const { spec, failed, removed, lacks } = await exportedSpec(kind, { name, id, row, list, refs: refs ?? {} }, tools);
    if (!options.written.has(object)) return spec;
    for (const { path, error } of failed)
      exported.missed.push({ what: `${kind.kind} ${id}: the fields from ${path}`, why: textOf(error) });
    for (const one of removed) exported.leftOut.push(`${kind.kind} ${id}: ${one}`);
    if (lacks.length === 0) return spec;
    exported.missed.push({ what: `${kind.kind} ${id}`, why: `no valid spec: ${lacks.join("; ")}` });
    return undefined;
  };
  for (const object of [...options.written].toSorted((a, b) => inOrder(a, b, names))) {
    const spec = await specOf(object);
    if (spec === undefined) continue;
    const name = names.get(object) ?? "";
    exported.secrets.push(...secretsOf(object.kind, spec, name));
    if (exported.manifests.length % 100 === 0) await options.turn?.();
    exported.manifests.push({ area: areaOf(object), manifest: manifestOf(object, name, spec, options) });
  }
  return exported;
}

function inOrder(a: CloudObject, b: CloudObject, names: ReadonlyMap<CloudObject, string>): number {
  return (
    compareIDs(areaOf(a), areaOf(b)) ||
    compareIDs(a.kind.kind, b.kind.kind) ||
    compareIDs(names.get(a) ?? "", names.get(b) ?? "")
  );
}

async function resolved(
  object: CloudObject,
  names: ReadonlyMap<CloudObject, string>,
  specOf: (object: CloudObject) => Promise<JsonObject | undefined>,
): Promise<Resolved> {
  const { id, row, list } = object;
  return { id, row, list, name: names.get(object) ?? "", spec: (await specOf(object)) ?? {} };
}

function toolsOf(names: ReadonlyMap<CloudObject, string>, { written, lists }: ExportOptions): ExportTools {
  const byKind = Map.groupBy(written, ({ kind }) => kind.kind);
  const byID = new Map([...written].map((object) => [`${object.kind.kind}/${object.id}`, names.get(object)]));
  const indexes = new Map<Parameters<FindExported>[1], Map<string, CloudObject>>();
  const indexOf = (kind: string, keysOf: Parameters<FindExported>[1]): Map<string, CloudObject> => {
    const all = (byKind.get(kind) ?? []).flatMap((object) =>
      keysOf(object.row, object.id).map((key) => [key, object] as const),
    );
    const index = indexes.get(keysOf) ?? new Map(all.toReversed());
    indexes.set(keysOf, index);
    return index;
  };
  return {
    read: (detail) => lists.detail(detail),
    nameOf: (kind, id) => byID.get(`${kind}/${id}`),
    find(kind, keysOf, key) {
      const object = (indexes.get(keysOf) ?? indexOf(kind, keysOf)).get(key);
      return object && { id: object.id, name: names.get(object) ?? "" };
    },
  };
}

/** Returns the first word of the path, such as `compute`. */
function areaOf({ list, kind }: CloudObject): string {
  const [, area = kind.plural] = list.split("/");
  return area.split("?")[0] ?? area;
}

function manifestOf(object: CloudObject, name: string, spec: JsonObject, options: ExportOptions): Manifest {
  const { kind, id } = object;
  const { namespace, account, full } = options;
  const policy = observesOnly(kind) ? "Observe" : options.policy;
  const management: JsonObject = { policy, ...(kind.shape === "owned" && { adopt: { id } }) };
  return {
    apiVersion: `${group}/${version}`,
    kind: kind.kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: {
      ...(full ? spec : withoutDefaults(kind, spec, name)),
      ...(account !== undefined && { accountRef: { name: account } }),
      management,
    },
  };
}

function observesOnly({ exports }: Kind): boolean {
  return typeof exports === "object" && exports.observeOnly !== undefined;
}

/** Returns the Secrets that the spec names. */
function secretsOf({ kind, references = {} }: Kind, spec: Record<string, Json>, by: string): NeededSecret[] {
  const named = Object.values(references).flatMap((reference) => {
    const found = "secret" in reference && reference.in !== "ConfigMap" ? reference.secret(spec) : undefined;
    return found && "secret" in reference ? [{ name: found.name, key: found.key ?? reference.key }] : [];
  });
  const groups = Map.groupBy(named, ({ name }) => name);
  return [...groups].map(([name, keys]) => ({ name, keys: keys.map(({ key }) => key), by: `${kind} ${by}` }));
}
