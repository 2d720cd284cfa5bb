/** Applies patches to objects, and refuses patches as the API server does. */
import { isDeepStrictEqual } from "node:util";
import { KubeError } from "../cluster/errors.ts";
import type { KubeObject, ObjectMeta, Resource } from "../cluster/types.ts";

export type Body = Record<string, unknown>;

/** The status of an object before the first write of a status. */
export const firstStatus = { observedGeneration: -1 };

export function withStatus(before: KubeObject, { status }: Body): KubeObject {
  if (status === undefined) return before;
  return status === null ? { ...before, status: firstStatus } : (merged(before, { status }) as unknown as KubeObject);
}

/** Fields of the metadata that a patch does not change. */
const fixed = new Set([
  "uid",
  "resourceVersion",
  "name",
  "namespace",
  "creationTimestamp",
  "deletionTimestamp",
  "generation",
]);

export function withMain(resource: Resource, before: KubeObject, { metadata = {}, ...patch }: Body): KubeObject {
  const changed = Object.fromEntries(Object.entries(metadata as Body).filter(([field]) => !fixed.has(field)));
  const { stringData, status: _status, ...rest } = patch;
  const texts = stringData === undefined ? {} : { data: encoded(stringData as Record<string, string>) };
  const patched = merged(before, { ...rest, ...texts, metadata: changed }) as unknown as KubeObject;
  const after = { ...patched, metadata: withoutEmpty(patched.metadata) };
  if (resource.group === "" || isDeepStrictEqual(before.spec, after.spec)) return after;
  return { ...after, metadata: { ...after.metadata, generation: (before.metadata.generation ?? 0) + 1 } };
}

/** Removes empty lists and maps, which the API server does not store. */
export function withoutEmpty<Meta extends Partial<ObjectMeta>>(metadata: Meta): Meta {
  const { finalizers, labels, annotations, ownerReferences } = metadata;
  const lists = { finalizers, labels, annotations, ownerReferences };
  const empty = Object.entries(lists).filter(([, value]) => value !== undefined && Object.keys(value).length === 0);
  if (empty.length === 0) return metadata;
  const names = new Set(empty.map(([name]) => name));
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !names.has(name))) as Meta;
}

/** Throws if a patch names another object, or contains a deletion time. */
export function refuseOtherIdentity(
  { kind }: Resource,
  { metadata }: KubeObject,
  { name, namespace, uid, deletionTimestamp }: Partial<ObjectMeta>,
): void {
  if ((name ?? metadata.name) !== metadata.name || (namespace ?? metadata.namespace) !== metadata.namespace)
    throw refusal(400, "BadRequest", `the name of the object does not match the name on the URL (${metadata.name})`);
  const field =
    (uid ?? metadata.uid) !== metadata.uid
      ? "uid"
      : (deletionTimestamp ?? metadata.deletionTimestamp) !== metadata.deletionTimestamp && "deletionTimestamp";
  if (field)
    throw refusal(422, "Invalid", `${kind} "${metadata.name}" is invalid: metadata.${field}: field is immutable`);
}

export function refuseNewFinalizers(before: KubeObject, after: KubeObject): void {
  if (before.metadata.deletionTimestamp === undefined) return;
  const added = (after.metadata.finalizers ?? []).filter((one) => !before.metadata.finalizers?.includes(one));
  if (added.length > 0) throw refusal(422, "Invalid", "no new finalizers can be added if the object is being deleted");
}

type StoredSecret = KubeObject & { immutable?: boolean; data?: object; type?: string };

/** Throws if a patch changes the type of a Secret, or the data of an immutable Secret. */
export function refuseFixedOfSecrets(before: StoredSecret, after: StoredSecret): void {
  const { name } = before.metadata;
  const frozen = before.immutable === true;
  if (frozen && (after.immutable !== true || !isDeepStrictEqual(before.data, after.data)))
    throw refusal(422, "Invalid", `Secret "${name}" is invalid: data: field is immutable when \`immutable\` is set`);
  if (before.type !== after.type)
    throw refusal(422, "Invalid", `Secret "${name}" is invalid: type: field is immutable`);
}

/** Throws for a Secret for basic authentication without a user name and a password. */
export function refuseUnusable({ metadata: { name }, type, data = {} }: StoredSecret): void {
  if (type === "kubernetes.io/basic-auth" && !("username" in data) && !("password" in data))
    throw refusal(422, "Invalid", `Secret "${name}" is invalid: data[username]: Required value`);
}

export function refusal(status: number, reason: string, message: string): KubeError {
  return new KubeError(message, { status, reason });
}

/** Applies a JSON merge patch (RFC 7386). The result shares unchanged values with the target. */
function merged(target: unknown, patch: Body): Body {
  const result: Body = { ...(isRecord(target) ? target : {}) };
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else result[field] = isRecord(value) ? merged(result[field], value) : value;
  }
  return result;
}

function isRecord(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function encoded(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
}
