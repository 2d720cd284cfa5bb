/**
 * Adds and removes the finalizer of accounts and custom resources.
 *
 * The finalizer comes with an annotation that names the operator. The permissions in the namespace stay while an object
 * has the finalizer (permissions.ts). Each write is guarded by `resourceVersion`.
 */
import type { KubeObject, ObjectMeta } from "../../cluster/types.ts";
import type { Kind } from "../kind/owned.ts";
import { finalizer, refOf, resourceOf } from "../kind/resource.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Environment } from "../model/environment.ts";
import { operatorAnnotation } from "../kind/annotations.ts";

type NamedKind = Pick<Kind, "kind" | "plural">;

/**
 * Adds the finalizer and the annotations. Returns the stored object. Throws `KubeError`, and `Waiting` without
 * permissions or if the API server stored different metadata.
 */
export async function putFinalizer(
  environment: Environment,
  kind: NamedKind,
  object: KubeObject,
  annotations: Record<string, string | null> = {},
): Promise<KubeObject> {
  const { finalizers = [], namespace = "" } = object.metadata;
  const { operators, permissions } = environment;
  const write = () =>
    patchMetadata(environment, kind, object, {
      finalizers: [...new Set([...finalizers, finalizer])],
      annotations: { ...annotations, ...(operators && { [operatorAnnotation]: operators.own }) },
    });
  const written = await (permissions ? permissions.during(namespace, write) : write());
  refuseAltered(written, annotations);
  noteHeld(environment, written);
  return written;
}

/**
 * Throws `Altered` if the API server stored no finalizer or a different annotation. A deletion would leave a new cloud
 * object behind.
 */
function refuseAltered(written: KubeObject, annotations: Record<string, string | null>): void {
  const { metadata } = written;
  const lost = Object.entries(annotations).find(([key, value]) => (metadata.annotations?.[key] ?? null) !== value);
  if (!lost && metadata.finalizers?.includes(finalizer)) return;
  const what = lost ? `annotation ${lost[0]}` : `finalizer ${finalizer}`;
  const text = `the API server stored this object without the ${what}, which the operator has written`;
  throw new Altered(
    `${text}. The operator creates and changes nothing until the admission policy or webhook keeps the field`,
    written,
  );
}

/** Means that an admission policy or a webhook changed the write of the operator. */
export class Altered extends Waiting {
  readonly written: KubeObject;
  constructor(message: string, written: KubeObject) {
    super("ClusterUnavailable", message);
    this.written = written;
  }
}

/** Removes the finalizer. Returns the stored object. Throws `KubeError`. */
export async function dropFinalizer(
  environment: Environment,
  kind: NamedKind,
  object: KubeObject,
): Promise<KubeObject> {
  const { finalizers = [], namespace = "" } = object.metadata;
  const rest = finalizers.filter((one) => one !== finalizer);
  // The watch can report the end of the object before the response to the write arrives.
  environment.memory.of(object.metadata.uid).held = undefined;
  const written = await patchMetadata(environment, kind, object, { finalizers: rest });
  await environment.permissions?.release(namespace);
  return written;
}

/** Remembers the finalizer. If the object ends without `dropFinalizer`, its cloud object stays in the cloud. */
export function noteHeld({ memory }: Environment, { metadata }: KubeObject): void {
  if (metadata.finalizers?.includes(finalizer)) memory.of(metadata.uid).held = true;
}

type MetadataPatch = Pick<ObjectMeta, "finalizers"> & { annotations?: Record<string, string | null> };

/** Patches the metadata of exactly this version, and stores the response in the cache. Throws `KubeError`. */
export async function patchMetadata(
  { kube, stored }: Environment,
  kind: NamedKind,
  object: KubeObject,
  patch: MetadataPatch,
): Promise<KubeObject> {
  const { uid, resourceVersion } = object.metadata;
  const written = await kube.patch(resourceOf(kind), refOf(object), { metadata: { uid, resourceVersion, ...patch } });
  stored(object, written);
  return written;
}
