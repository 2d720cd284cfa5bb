/**
 * The finalizer: what the operator writes on an object's metadata, for accounts and for all kinds.
 *
 * It comes with the mark of the operator that manages the object, and while the permissions there are held; where it goes
 * from the last object of a namespace, the permissions go too. Every write is guarded by the object's version.
 */
import type { KubeObject, ObjectMeta } from "../../cluster/types.ts";
import type { Kind } from "../kind/owned.ts";
import { finalizer, refOf, resourceOf } from "../kind/resource.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Environment } from "../model/environment.ts";
import { operatorAnnotation } from "../kind/annotations.ts";

type Named = Pick<Kind, "kind" | "plural">;

/**
 * The object with the finalizer, and with these annotations besides. Throws `KubeError`, and `Waiting` without permissions, or
 * where the API server stored something else.
 */
export async function putFinalizer(
  environment: Environment,
  kind: Named,
  object: KubeObject,
  annotations: Record<string, string | null> = {},
): Promise<KubeObject> {
  const { finalizers = [], namespace = "" } = object.metadata;
  const { custody, permissions } = environment;
  const write = () =>
    patchMetadata(environment, kind, object, {
      finalizers: [...new Set([...finalizers, finalizer])],
      annotations: { ...annotations, ...(custody && { [operatorAnnotation]: custody.own }) },
    });
  const written = await (permissions ? permissions.during(namespace, write) : write());
  refuseAltered(written, annotations);
  noteHeld(environment, written);
  return written;
}

/** What is created for an object that nothing holds, or that does not say what is created, stays in the cloud when it goes. */
function refuseAltered(written: KubeObject, annotations: Record<string, string | null>): void {
  const { metadata } = written;
  const lost = Object.entries(annotations).find(([key, value]) => (metadata.annotations?.[key] ?? null) !== value);
  if (!lost && metadata.finalizers?.includes(finalizer)) return;
  const what = lost ? `annotation ${lost[0]}` : `finalizer ${finalizer}`;
  const text = `the API server stored this object without the ${what}, which the operator has written`;
  throw new Altered(
    `${text}. Nothing is created or set until an admission policy or a webhook leaves it in place`,
    written,
  );
}

/** Somebody's admission policy has changed what the operator wrote. */
export class Altered extends Waiting {
  readonly written: KubeObject;
  constructor(message: string, written: KubeObject) {
    super("ClusterUnavailable", message);
    this.written = written;
  }
}

/** The object without it. Throws `KubeError`. */
export async function dropFinalizer(environment: Environment, kind: Named, object: KubeObject): Promise<KubeObject> {
  const { finalizers = [], namespace = "" } = object.metadata;
  const rest = finalizers.filter((one) => one !== finalizer);
  // Before the write: the watch may report the end of the object before the response comes.
  environment.memory.of(object.metadata.uid).held = undefined;
  const written = await patchMetadata(environment, kind, object, { finalizers: rest });
  await environment.permissions?.release(namespace);
  return written;
}

/** From here on, an object that goes without `dropFinalizer` leaves its cloud object behind. */
export function noteHeld({ memory }: Environment, { metadata }: KubeObject): void {
  if (metadata.finalizers?.includes(finalizer)) memory.of(metadata.uid).held = true;
}

type MetadataPatch = Pick<ObjectMeta, "finalizers"> & { annotations?: Record<string, string | null> };

/** Writes metadata of this very version, and takes up what the API server stored. Throws `KubeError`. */
export async function patchMetadata(
  { kube, stored }: Environment,
  kind: Named,
  object: KubeObject,
  patch: MetadataPatch,
): Promise<KubeObject> {
  const { uid, resourceVersion } = object.metadata;
  const written = await kube.patch(resourceOf(kind), refOf(object), { metadata: { uid, resourceVersion, ...patch } });
  stored(object, written);
  return written;
}
