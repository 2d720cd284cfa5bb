import { apiVersionOf } from "./paths.ts";
import type { KubeObject, ObjectMeta, Resource } from "./types.ts";

/** Objects by their keys (`keyOf`), in the order in which they came. A Map of objects is one. */
export interface Shelf {
  get(key: string): KubeObject | undefined;
  has(key: string): boolean;
  set(key: string, object: KubeObject): unknown;
  delete(key: string): boolean;
  keys(): Iterable<string>;
}

/** Between the parts of a text; none of them has one. */
const gap = " ";

/**
 * A shelf for metadata as `slimmest` leaves it. A cluster has thousands of Secrets that nobody owns and nothing holds: of each,
 * one text is kept, and its object is made when it is asked for. That takes 0.2 KB in place of 0.35.
 */
export function createMetadataShelf(resource: Resource): Shelf {
  const kept = new Map<string, KubeObject | string>();
  const [apiVersion, kind] = [apiVersionOf(resource), resource.kind];
  return {
    get(key) {
      const object = kept.get(key);
      return typeof object === "string" ? { apiVersion, kind, metadata: unpacked(key, object) } : object;
    },
    has: (key) => kept.has(key),
    set: (key, object) => kept.set(key, packed(object) ?? object),
    delete: (key) => kept.delete(key),
    keys: () => kept.keys(),
  };
}

/** Undefined where one text would not say all of it. */
function packed({ metadata }: KubeObject): string | undefined {
  const { name: _, namespace: __, uid, resourceVersion, creationTimestamp, ...more } = metadata;
  const parts = [uid, resourceVersion, creationTimestamp];
  const isPlain = parts.every((part) => typeof part === "string" && !part.includes(gap));
  return isPlain && Object.keys(more).length === 0 ? parts.join(gap) : undefined;
}

function unpacked(key: string, text: string): ObjectMeta {
  const [uid = "", resourceVersion = "", creationTimestamp = ""] = text.split(gap);
  const slash = key.indexOf("/");
  const place = slash === -1 ? { name: key } : { name: key.slice(slash + 1), namespace: key.slice(0, slash) };
  return { ...place, uid, resourceVersion, creationTimestamp };
}

/** Longer texts are of one object alone. */
const longestShared = 64;
/** So many are known at once; which they are is learnt again from then on. */
const mostShared = 5_000;

/** Names of namespaces, finalizers and the like stand in thousands of objects: what it returns is one text for all that are the same. */
function createTexts(): (text: string) => string {
  const texts = new Map<string, string>();
  return (text) => {
    // Whatever else stands in its place is none of ours to judge.
    if (typeof text !== "string" || text.length > longestShared) return text;
    const same = texts.get(text);
    if (same !== undefined) return same;
    if (texts.size >= mostShared) texts.clear();
    texts.set(text, text);
    return text;
  };
}

const manifestCopy = "kubectl.kubernetes.io/last-applied-configuration";

/** The object as it is kept. Lists and metadata-only answers carry no kind of their own, so it is put back. */
export function slimmed(resource: Resource): (object: KubeObject) => KubeObject {
  const [apiVersion, kind] = [apiVersionOf(resource), resource.kind];
  const shared = createTexts();
  return (object) => {
    const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
    if (metadata.namespace !== undefined) metadata.namespace = shared(metadata.namespace);
    if (metadata.finalizers) metadata.finalizers = metadata.finalizers.map(shared);
    const { annotations = {} } = metadata;
    for (const [name, value] of Object.entries(annotations)) annotations[name] = shared(value);
    if (annotations[manifestCopy] !== undefined) {
      const { [manifestCopy]: __, ...others } = annotations;
      metadata.annotations = others;
    }
    return { ...object, apiVersion, kind, metadata };
  };
}

/**
 * Keeps of an object's metadata what tells whose it is, and the annotation named `kept`. Labels of an object with an owner stay:
 * they tell for what its owner has made it.
 */
export function slimmest(resource: Resource, kept?: string): (object: KubeObject) => KubeObject {
  const shared = createTexts();
  const [apiVersion, kind] = [apiVersionOf(resource), resource.kind];
  return ({ metadata }) => {
    const { name, uid, resourceVersion, creationTimestamp } = metadata;
    const { deletionTimestamp, finalizers, ownerReferences, labels } = metadata;
    const namespace = metadata.namespace === undefined ? undefined : shared(metadata.namespace);
    const annotation = kept === undefined ? undefined : metadata.annotations?.[kept];
    return {
      apiVersion,
      kind,
      metadata: {
        name,
        ...(namespace !== undefined && { namespace }),
        uid,
        resourceVersion,
        creationTimestamp,
        ...(deletionTimestamp !== undefined && { deletionTimestamp }),
        ...(finalizers && { finalizers }),
        ...(kept !== undefined && annotation !== undefined && { annotations: { [kept]: annotation } }),
        ...(ownerReferences && { ownerReferences, ...(labels && { labels }) }),
      },
    };
  };
}
