/** What the made-up API server keeps: the text of each object as it would be sent, and who watches. */
import { randomUUID } from "node:crypto";
import type { KubeObject } from "../../src/cluster/types.ts";

type Fields = Record<string, unknown>;
export type EventType = "ADDED" | "MODIFIED" | "DELETED";
type Listener = (type: EventType, text: string) => void;

export class Refusal extends Error {
  status: number;
  reason: string;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
    this.reason = reason;
  }
}

let version = 1;
export const versionNow = (): string => String(version);

/** One resource. Objects are kept as text: a hundred thousand of them cost the collector of garbage nothing. */
export class Collection {
  readonly texts = new Map<string, string>();
  readonly listeners = new Set<Listener>();

  get(key: string): KubeObject {
    const text = this.texts.get(key);
    if (text === undefined) throw new Refusal(404, "NotFound");
    return JSON.parse(text) as KubeObject;
  }

  create(key: string, given: Fields): string {
    if (this.texts.has(key)) throw new Refusal(409, "AlreadyExists");
    const { stringData, ...object } = given as Fields & { metadata: Fields };
    const data = stringData === undefined ? {} : { data: encoded(stringData as Record<string, string>) };
    const creationTimestamp = new Date().toISOString().replace(/\.\d+/, "");
    const metadata = { uid: randomUUID(), creationTimestamp, generation: 1, ...object.metadata };
    return this.#store("ADDED", key, { ...object, ...data, metadata });
  }

  patch(key: string, { metadata = {}, ...patch }: { metadata?: Fields } & Fields, status: boolean): string {
    const before = this.get(key);
    const { uid, resourceVersion, ...rest } = metadata;
    if (
      (resourceVersion ?? before.metadata.resourceVersion) !== before.metadata.resourceVersion ||
      this.#isOther(before, uid)
    )
      throw new Refusal(409, "Conflict");
    const after = merged(
      before,
      status ? { status: patch["status"] } : { ...without(patch, "status"), metadata: rest },
    );
    if (!status && JSON.stringify(before.spec) !== JSON.stringify(after["spec"]))
      (after["metadata"] as Fields)["generation"] = (before.metadata.generation ?? 0) + 1;
    const { deletionTimestamp, finalizers = [] } = after["metadata"] as KubeObject["metadata"];
    if (deletionTimestamp !== undefined && finalizers.length === 0) return this.#end(key, after);
    return this.#store("MODIFIED", key, after);
  }

  delete(key: string): string {
    const object = this.get(key);
    if ((object.metadata.finalizers ?? []).length === 0) return this.#end(key, { ...object });
    if (object.metadata.deletionTimestamp !== undefined) return this.texts.get(key) ?? "";
    const metadata = { ...object.metadata, deletionTimestamp: new Date().toISOString(), generation: 2 };
    return this.#store("MODIFIED", key, { ...object, metadata });
  }

  #isOther(object: KubeObject, uid: unknown): boolean {
    return uid !== undefined && uid !== object.metadata.uid;
  }

  #store(type: EventType, key: string, object: Fields): string {
    version += 1;
    const metadata = { ...(object["metadata"] as Fields), resourceVersion: String(version), managedFields };
    const text = JSON.stringify({ ...object, metadata });
    this.texts.set(key, text);
    for (const listener of this.listeners) listener(type, text);
    return text;
  }

  #end(key: string, object: Fields): string {
    this.#store("DELETED", key, object);
    const text = this.texts.get(key) ?? "";
    this.texts.delete(key);
    return text;
  }
}

/** The operator reads past it, as past a real one: two managers of a dozen fields each. */
const managedFields = ["kubectl-create", "cloud-platform-operator"].map((manager) => ({
  manager,
  operation: "Update",
  apiVersion: "cloudplatform.dev/v1alpha1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: Object.fromEntries(
    ["conditions", "id", "observedGeneration", "record", "finalizers", "annotations"].map((name) => [
      `f:${name}`,
      { ".": {}, [`k:{"type":"${name}"}`]: { ".": {}, "f:status": {} } },
    ]),
  ),
}));

function without(fields: Fields, name: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
}

/** A JSON merge patch (RFC 7386). */
function merged(target: unknown, patch: Fields): Fields {
  const result: Fields = { ...(isFields(target) ? target : {}) };
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else result[field] = isFields(value) ? merged(result[field], value) : value;
  }
  return result;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function encoded(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
}
