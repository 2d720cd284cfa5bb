import { patchStatus } from "../../src/cluster/patch-status.ts";
import { KubeError } from "../../src/cluster/errors.ts";
import type { KubeClient, KubeObject, Resource } from "../../src/cluster/types.ts";

export interface FakeClient extends KubeClient {
  objects: Map<string, KubeObject>;
  /** `verb plural/name`, in order. */
  calls: string[];
  /** Throws to fail a call before it is applied; may change objects to play somebody else. */
  before: (call: string) => void | Promise<void>;
  /** Throws to lose the answer of a call that was applied. */
  after: (call: string) => void;
}

/** The API server's rules for versions, conflicts and merge patches, in memory. */
export function createFakeClient(): FakeClient {
  let version = 100;
  const keyOf = (resource: Resource, { namespace, name }: { namespace?: string; name: string }) =>
    `${resource.plural}/${namespace ?? ""}/${name}`;

  const during = async <T>(call: string, act: () => T): Promise<T> => {
    fake.calls.push(call);
    await fake.before(call);
    const result = structuredClone(act());
    fake.after(call);
    return result;
  };

  const fake: FakeClient = {
    objects: new Map(),
    calls: [],
    before: () => undefined,
    after: () => undefined,
    get: (resource, ref) => during(`get ${resource.plural}/${ref.name}`, () => fake.objects.get(keyOf(resource, ref))),
    list: (resource) =>
      during(`list ${resource.plural}`, () =>
        [...fake.objects].flatMap(([key, object]) => (key.startsWith(`${resource.plural}/`) ? [object] : [])),
      ),
    create: (resource, object, { dryRun = false } = {}) => {
      const metadata = object["metadata"] as KubeObject["metadata"];
      return during(`create ${resource.plural}/${metadata.name}`, () => {
        const key = keyOf(resource, metadata);
        if (fake.objects.has(key)) throw new KubeError("already exists", { status: 409, reason: "AlreadyExists" });
        const made = {
          ...object,
          metadata: { ...metadata, uid: `uid-${version}`, resourceVersion: String(++version) },
        };
        if (!dryRun) fake.objects.set(key, structuredClone(made) as unknown as KubeObject);
        return made as unknown as KubeObject;
      });
    },
    patch: (resource, ref, patch, { dryRun = false } = {}) =>
      during(`patch ${resource.plural}/${ref.name}`, () => {
        const object = fake.objects.get(keyOf(resource, ref));
        if (object === undefined) throw new KubeError("not found", { status: 404, reason: "NotFound" });
        const guard = (patch["metadata"] as KubeObject["metadata"] | undefined)?.resourceVersion;
        if (guard !== undefined && guard !== object.metadata.resourceVersion) {
          throw new KubeError("the object has been modified", { status: 409, reason: "Conflict" });
        }
        const merged = merge(object, patch) as KubeObject;
        merged.metadata.resourceVersion = String(++version);
        if (!dryRun) fake.objects.set(keyOf(resource, ref), merged);
        return merged;
      }),
    delete: (resource, ref, preconditions = {}) =>
      during(`delete ${resource.plural}/${ref.name}`, () => {
        const { metadata } = fake.objects.get(keyOf(resource, ref)) ?? {};
        const { uid = metadata?.uid, resourceVersion = metadata?.resourceVersion } = preconditions;
        if (uid !== metadata?.uid || resourceVersion !== metadata?.resourceVersion)
          throw new KubeError("the precondition failed", { status: 409, reason: "Conflict" });
        fake.objects.delete(keyOf(resource, ref));
      }),
    patchStatus: (resource, object, status) => patchStatus(fake, resource, object, status),
    raw: () => Promise.resolve({}),
  };
  return fake;
}

/** RFC 7396. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return structuredClone(patch);
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merge(result[name], value);
  }
  return result;
}
