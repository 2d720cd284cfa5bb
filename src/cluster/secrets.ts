import { KubeError } from "./errors.ts";
import { valuesOf } from "./values.ts";
import type {
  KubeClient,
  KubeObject,
  ObjectRef,
  OwnerReference,
  Resource,
  Secret,
  SecretStore,
  SecretWrite,
} from "./types.ts";

export const secrets: Resource = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };

const conflictRetries = 5;

/**
 * Creates the store. Reads Secrets by GET, never from a cache, to keep values in memory for a short time only. Guards
 * every change of an existing Secret with its resourceVersion. After a conflict, reads again and repeats, at most five
 * times.
 */
export function createSecretStore(client: KubeClient): SecretStore {
  const read = (ref: ObjectRef) => readSecret(client, ref);
  const update = (ref: ObjectRef, change: Change) => updateSecret(client, ref, change);
  return {
    read,

    async write(ref, wanted) {
      if ((await read(ref)) === undefined) {
        try {
          return decoded(await client.create(secrets, bodyOf(ref, wanted)));
        } catch (error) {
          if (!(error instanceof KubeError) || !error.alreadyExists) throw error;
        }
      }
      const written = await update(ref, (secret) => changeTo(secret, wanted));
      if (written === undefined)
        throw new KubeError(`the Secret ${ref.name} was deleted during the write`, { status: 404 });
      return written;
    },

    async rehearse(ref, wanted) {
      const there = await read(ref);
      const patch = there && changeTo(there, wanted);
      if (!there) await client.create(secrets, bodyOf(ref, wanted), { dryRun: true });
      else if (patch) await client.patch(secrets, ref, patch, { dryRun: true });
    },

    async remove(ref, ownerUid) {
      const secret = await read(ref);
      if (!secret || !isControlledBy(secret, ownerUid)) return;
      const { uid, resourceVersion } = secret.metadata;
      await client.delete(secrets, ref, { uid, resourceVersion });
    },

    async disown(ref, ownerUid) {
      await update(ref, ({ metadata }) => {
        const owners = metadata.ownerReferences ?? [];
        const others = owners.filter((owner) => owner.uid !== ownerUid);
        return others.length === owners.length ? undefined : { metadata: { ownerReferences: others } };
      });
    },

    async addFinalizer(ref, finalizer, annotations = {}) {
      return update(ref, ({ metadata }) => {
        const finalizers = metadata.finalizers ?? [];
        const isDone = finalizers.includes(finalizer) && unlike(annotations, metadata.annotations).length === 0;
        // The API server rejects new finalizers on an object with a deletion timestamp.
        if (isDone || metadata.deletionTimestamp !== undefined) return undefined;
        return { metadata: { finalizers: [...new Set([...finalizers, finalizer])], annotations } };
      });
    },

    async removeFinalizer(ref, finalizer) {
      await update(ref, ({ metadata }) => {
        const finalizers = metadata.finalizers ?? [];
        if (!finalizers.includes(finalizer)) return undefined;
        return { metadata: { finalizers: finalizers.filter((other) => other !== finalizer) } };
      });
    },
  };
}

/** Returns the patch for the current Secret, or `undefined` for no change. */
type Change = (secret: Secret) => Record<string, unknown> | undefined;

async function readSecret(client: KubeClient, ref: ObjectRef): Promise<Secret | undefined> {
  const object = await client.get(secrets, ref);
  return object === undefined ? undefined : decoded(object);
}

/** Returns the changed Secret, or `undefined` if the Secret does not exist. */
async function updateSecret(client: KubeClient, ref: ObjectRef, change: Change): Promise<Secret | undefined> {
  for (let tried = 0; ; tried++) {
    const secret = await readSecret(client, ref);
    const patch = secret === undefined ? undefined : change(secret);
    if (secret === undefined || patch === undefined) return secret;
    try {
      return decoded(await client.patch(secrets, ref, withVersion(patch, secret)));
    } catch (error) {
      if (!(error instanceof KubeError) || !error.conflict || tried >= conflictRetries) throw error;
    }
  }
}

function decoded(object: KubeObject): Secret {
  const { data, type } = object as KubeObject & { data?: Record<string, string>; type?: string };
  const encoded = Object.entries(data ?? {});
  const texts = encoded.flatMap(([name, value]) => {
    const text = textOf(value);
    return text === undefined ? [] : [[name, text] as const];
  });
  return { ...object, ...(type === undefined ? {} : { type }), data: valuesOf(texts), encoded: valuesOf(encoded) };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns undefined for bytes that are not UTF-8, because decoding would replace bytes. */
function textOf(value: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(value, "base64"));
  } catch {
    return undefined;
  }
}

function encodedMap(data: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
}

function withVersion(patch: Record<string, unknown>, { metadata }: Secret): Record<string, unknown> {
  const { resourceVersion } = metadata;
  return { ...patch, metadata: { ...(patch["metadata"] as object | undefined), resourceVersion } };
}

function bodyOf(ref: ObjectRef, { owner, data, type = "Opaque", labels = {}, annotations = {} }: SecretWrite) {
  const marks = { labels: withoutNull(labels), annotations: withoutNull(annotations) };
  const metadata = { ...ref, ...marks, ownerReferences: [owner] };
  return { apiVersion: "v1", kind: "Secret", metadata, type, data: encodedMap(data) };
}

function changeTo(secret: Secret, { owner, data, labels = {}, annotations = {} }: SecretWrite) {
  refuseForeign(secret, owner);
  return differences(secret, data, { labels, annotations });
}

/** Returns true for the controller of a Secret. Only the controller may write; two writers would alternate. */
function isControlledBy({ metadata }: KubeObject, uid: string): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller === true) ?? false;
}

function refuseForeign(secret: Secret, owner: OwnerReference): void {
  const { metadata } = secret;
  if (isControlledBy(secret, owner.uid)) return;
  const message = `the Secret ${metadata.name} exists and has another owner; choose another name, or delete the Secret`;
  throw new KubeError(message, { status: 409, reason: "AlreadyExists" });
}

type Marks = Required<Pick<SecretWrite, "labels" | "annotations">>;

/** Returns a merge patch to exactly `data`, with labels and annotations, or `undefined` without a difference. */
function differences(
  secret: Secret,
  data: Record<string, string>,
  { labels, annotations }: Marks,
): Record<string, unknown> | undefined {
  const changed = Object.entries(data).filter(([name, text]) => secret.data[name] !== text);
  const removed = Object.keys(secret.encoded).filter((name) => !Object.hasOwn(data, name));
  const unlabelled = unlike(labels, secret.metadata.labels);
  const unnoted = unlike(annotations, secret.metadata.annotations);
  if (changed.length + removed.length + unlabelled.length + unnoted.length === 0) return undefined;
  const removal = Object.fromEntries(removed.map((name) => [name, null]));
  return {
    data: { ...encodedMap(Object.fromEntries(changed)), ...removal },
    metadata: {
      ...(unlabelled.length > 0 && { labels: Object.fromEntries(unlabelled) }),
      ...(unnoted.length > 0 && { annotations: Object.fromEntries(unnoted) }),
    },
  };
}

function unlike(wanted: Record<string, string | null>, there: Record<string, string> = {}) {
  return Object.entries(wanted).filter(([name, value]) => (there[name] ?? null) !== value);
}

function withoutNull(marks: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(marks).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
