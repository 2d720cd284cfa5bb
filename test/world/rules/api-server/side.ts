/** The API server as the rules ask it: the world's and a real one. */
import type { KubeError } from "../../../../src/cluster/errors.ts";
import { secrets } from "../../../../src/cluster/secrets.ts";
import type { KubeObject, ListOptions, ObjectRef, Resource } from "../../../../src/cluster/types.ts";
import { resourceOf } from "../../../../src/core/kind/resource.ts";
import type { Preconditions, WatchEvent } from "../../../../src/twin/objects.ts";

export type Body = Record<string, unknown>;

export interface ApiServer {
  /** Of the object that a rule is about; no other rule uses it. */
  ref: { namespace: string; name: string };
  create: (resource: Resource, object: Body, dryRun?: boolean) => Promise<KubeObject>;
  get: (resource: Resource, ref: ObjectRef) => Promise<KubeObject | undefined>;
  list: (resource: Resource, options: ListOptions) => Promise<KubeObject[]>;
  patch: (
    resource: Resource,
    ref: ObjectRef,
    patch: Body,
    subresource?: "status",
    dryRun?: boolean,
  ) => Promise<KubeObject>;
  delete: (resource: Resource, ref: ObjectRef, preconditions?: Preconditions) => Promise<void>;
  /** The API server has read the object and is about to remove it; the returned function lets it go on, to its answer. */
  beginDelete: (resource: Resource, ref: ObjectRef, preconditions?: Preconditions) => Promise<() => Promise<void>>;
  /** What a watch of the collection is told after a version. */
  eventsAfter: (resource: Resource, version: string) => Promise<WatchEvent[]>;
  /** Lets the garbage collector do what it has to. */
  untilGone: (resource: Resource, ref: ObjectRef) => Promise<void>;
}

export const keys = resourceOf({ kind: "SSHKey", plural: "sshkeys" });
export { secrets };

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh";

/** A new SSHKey. */
export function made({ create, ref }: ApiServer, metadata: object = {}, more: Body = {}): Promise<KubeObject> {
  return create(keys, { metadata: { ...ref, ...metadata }, spec: { sshKey, label: "a" }, ...more });
}

export function madeSecret({ create, ref }: ApiServer, more: Body = {}, metadata: object = {}): Promise<KubeObject> {
  return create(secrets, { metadata: { ...ref, ...metadata }, stringData: { token: "a" }, ...more });
}

/** What a call came to, as status and reason. */
export async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    const { status, reason } = error as KubeError;
    return `${status} ${reason}`;
  }
}

/** Each event as its type and, where it is the version of an object at hand, that object's name in `known`. */
export async function told(
  { eventsAfter }: ApiServer,
  after: KubeObject,
  known: Record<string, KubeObject> = {},
): Promise<string[]> {
  const names = new Map(Object.entries(known).map(([name, { metadata }]) => [metadata.resourceVersion, name]));
  const events = await eventsAfter(keys, after.metadata.resourceVersion);
  return events.map(({ type, object }) => `${type} ${names.get(object.metadata.resourceVersion) ?? "new version"}`);
}
