/** Applies manifests to the API server of a run, as a user with all permissions does with kubectl. */
import { isDeepStrictEqual } from "node:util";
import { apiVersionOf } from "../cluster/paths.ts";
import { secrets } from "../cluster/secrets.ts";
import { configMaps } from "../cluster/config-maps.ts";
import type { KubeObject, ObjectRef, Resource } from "../cluster/types.ts";
import { group } from "../core/kind/resource.ts";
import type { OpenApi } from "../generate/open-api.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds } from "../kinds/registry.ts";
import { generated, resources } from "./definitions.ts";
import type { Objects } from "./objects.ts";
import { problemsOf, unknownFields, withDefaults } from "./validate.ts";
import type { Problem } from "./validate.ts";

/** A document of a file. */
export interface Manifest {
  /** Name of the file, for refusals. */
  file: string;
  object: Record<string, unknown>;
}

/** A manifest that the API server would refuse. */
export interface Refusal extends Problem {
  file: string;
  /** Kind, namespace and name, as far as the manifest has them. */
  about: string;
}

/** The result of a manifest. `ignored`: a kind that the operator does not read. */
export type Applied =
  | { file: string; result: "created" | "changed" | "unchanged"; object: KubeObject }
  | { file: string; result: "ignored"; about: string }
  | { file: string; result: "refused"; refusals: Refusal[] };

const namespaces: Resource = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
const core = new Map([secrets, configMaps, namespaces].map((resource) => [resource.kind, resource]));
const described = new Map([...kinds, cloudAccount].map((kind) => [kind.kind, kind]));
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Applies one manifest. `namespace`: the namespace of manifests without a namespace. */
export function apply(objects: Objects, { file, object }: Manifest, namespace: string): Applied {
  const { apiVersion, kind, metadata } = object as Partial<KubeObject>;
  const resource = typeof kind === "string" ? resourceOf(apiVersion, kind) : undefined;
  const name = metadata?.name;
  const own = metadata?.namespace ?? namespace;
  const about = `${String(kind)} ${resource?.namespaced === false ? "" : `${own}/`}${String(name)}`;
  if (!resource) {
    if (String(apiVersion).startsWith(`${group}/`))
      return refused(file, about, [{ field: "kind", message: `no matches for kind ${JSON.stringify(kind)}` }]);
    return { file, result: "ignored", about };
  }
  if (typeof name !== "string" || !isName(name))
    return refused(file, about, [{ field: "metadata.name", message: nameRule(name) }]);
  const ref = resource.namespaced ? { namespace: own, name } : { name };
  const before = objects.get(resource, ref);
  const wanted = wantedOf(object, before, resource, ref);
  const problems = problemsIn(resource, wanted, before);
  if (problems.length > 0) return refused(file, about, problems);
  if (!before) return { file, result: "created", object: objects.create(resource, wanted) };
  if (isSame(before, wanted)) return { file, result: "unchanged", object: before };
  const changed = objects.patch(resource, ref, replacing(before, wanted));
  return { file, result: "changed", object: changed };
}

function resourceOf(apiVersion: string | undefined, kind: string): Resource | undefined {
  const found = resources.get(kind) ?? core.get(kind);
  return found && apiVersionOf(found) === apiVersion ? found : undefined;
}

function refused(file: string, about: string, problems: Problem[]): Applied {
  return { file, result: "refused", refusals: problems.map((problem) => ({ ...problem, file, about })) };
}

/** Returns the object after the manifest: fields of other managers stay, if the object has a last applied configuration. */
function wantedOf(
  given: Record<string, unknown>,
  before: KubeObject | undefined,
  resource: Resource,
  ref: ObjectRef,
): Record<string, unknown> {
  const { metadata: own, spec, status: _status, ...rest } = given as Partial<KubeObject>;
  const metadata: Partial<KubeObject["metadata"]> = own ?? {};
  const schema = schemaOf(resource);
  const last = lastSpecOf(before);
  const merged = last === undefined ? spec : mergedSpec(before?.spec, last, spec);
  const kept = before && { labels: before.metadata.labels, annotations: before.metadata.annotations };
  const labels = { ...kept?.labels, ...metadata.labels };
  const annotations = { ...kept?.annotations, ...metadata.annotations };
  return {
    ...rest,
    metadata: {
      ...ref,
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    ...(spec !== undefined && { spec: withDefaults(schema?.properties?.["spec"], merged) }),
  };
}

function lastSpecOf(before: KubeObject | undefined): unknown {
  const text = before?.metadata.annotations?.[lastApplied];
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as { spec?: unknown }).spec ?? {};
  } catch {
    return undefined;
  }
}

/** A merge of three: removes fields that the last configuration had and the new one lacks. */
function mergedSpec(stored: unknown, last: unknown, wanted: unknown): Record<string, unknown> | undefined {
  if (!isMap(wanted)) return undefined;
  const kept = isMap(stored) ? Object.entries(stored) : [];
  const others = kept.filter(([name]) => !(name in wanted) && !(isMap(last) && name in last));
  const own = Object.entries(wanted).map(([name, value]) => {
    const [before, former] = [isMap(stored) ? stored[name] : undefined, isMap(last) ? last[name] : undefined];
    return [name, isMap(value) && isMap(before) ? mergedSpec(before, former, value) : value] as const;
  });
  return Object.fromEntries([...others, ...own]);
}

function problemsIn(resource: Resource, wanted: Record<string, unknown>, before: KubeObject | undefined): Problem[] {
  const schema = schemaOf(resource);
  if (!schema) return [];
  const { spec, metadata } = wanted as Pick<KubeObject, "spec" | "metadata">;
  const unknown = unknownFields(schema.properties?.["spec"], spec, "spec").map((field) => ({
    field,
    message: "unknown field",
  }));
  if (unknown.length > 0) return unknown;
  // Rules of the root can use only the name.
  const object = { metadata: { name: metadata.name }, ...(spec !== undefined && { spec }) };
  const old = before && { metadata: { name: metadata.name }, ...(before.spec && { spec: before.spec }) };
  return problemsOf(schema, object, old);
}

function schemaOf({ kind }: Resource): OpenApi | undefined {
  const found = described.get(kind);
  if (!found) return undefined;
  const { versions } = generated(found) as { versions: { schema: { openAPIV3Schema: OpenApi } }[] };
  return versions[0]?.schema.openAPIV3Schema;
}

function isSame(before: KubeObject, wanted: Record<string, unknown>): boolean {
  const { metadata, spec, data, stringData } = wanted as Partial<KubeObject> & { data?: unknown; stringData?: unknown };
  const { labels, annotations } = before.metadata;
  return (
    isDeepStrictEqual(before.spec, spec) &&
    isDeepStrictEqual(labels, metadata?.labels) &&
    isDeepStrictEqual(annotations, metadata?.annotations) &&
    data === undefined &&
    stringData === undefined
  );
}

/** Returns a merge patch that also removes the fields of the spec that the object no longer has. */
function replacing(before: KubeObject, wanted: Record<string, unknown>): Record<string, unknown> {
  return { ...wanted, ...(isMap(wanted["spec"]) && { spec: patchOf(before.spec ?? {}, wanted["spec"]) }) };
}

function patchOf(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const removed = Object.keys(before).filter((name) => !(name in after));
  const changed = Object.entries(after).map(([name, value]) => {
    const old = before[name];
    return [name, isMap(value) && isMap(old) ? patchOf(old, value) : value] as const;
  });
  return Object.fromEntries([...removed.map((name) => [name, null] as const), ...changed]);
}

function isName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
}

function nameRule(name: unknown): string {
  return name === undefined
    ? "Required value: name or generateName is required"
    : `Invalid value: ${JSON.stringify(name)}: must be a lowercase RFC 1123 subdomain`;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
