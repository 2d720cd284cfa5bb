/** References of a spec to other objects, declared as data. */
import type { JsonObject } from "../../api/types.ts";
import type { NamedReference, SecretKeyReference } from "./schema.ts";

/** A found reference: the ID of the cloud object, and the object that manages the cloud object. */
export interface Resolved {
  id: string;
  /** The reference in the spec; undefined if the reference has an id instead of a name. */
  entry?: ReferenceEntry;
  /** The kind of the referenced object, if the reference can mean several kinds. */
  kind?: string;
  /** Copied value of the referenced row; see `copies`. */
  value?: string;
  name?: string;
  status?: JsonObject;
  /**
   * Path of the list with the cloud object, if known. With `creationOnly`: the list at the creation, from a proven record. IDs
   * can be unique only in the list.
   */
  list?: string;
  /** Spec of the object that manages the cloud object. */
  spec?: JsonObject;
  /** Row of the cloud object. Present for a reference by ID with its own path, and for a reference with `copies`. */
  row?: JsonObject;
  /** Origin of the cloud object, if known. A different origin means that the cloud reused the ID. */
  origin?: string;
}

/** Declares a reference to objects of another kind. The operator derives the wakes, the waits and the deletion order. */
export type ObjectReferenceTo<S> = ReferencePlace<S> & (OneKind | SeveralKinds);

interface OneKind {
  kind: string;
  kinds?: undefined;
}

/** The field `kind` of an entry selects one of several kinds. */
interface SeveralKinds {
  kinds: readonly string[];
  kind?: undefined;
}

/** A reference in a spec, with a name or an ID. `kind`: the kind in an entry that can refer to several kinds. */
export interface ReferenceEntry extends NamedReference {
  kind?: string;
}

interface ReferencePlace<S> {
  /** Returns the entry or the entries in the spec. */
  from: (spec: S) => ReferenceEntry | ReferenceEntry[] | undefined;
  /** Returns the path of every entry, such as `inbound[0].fromRefs[1]`. Defaults to the name of the reference with an index. */
  fields?: (spec: S) => string[];
  /**
   * The referrer is a part of the referenced object, such as a disk of an instance. The cloud deletes the part with the whole.
   */
  contained?: boolean;
  /**
   * Only the creation or the run needs the reference. After the operator records the ID or the result, the reference causes no
   * wait and no wake, and does not block a deletion.
   */
  creationOnly?: boolean;
  /**
   * False if the operator can delete the referenced object before the referrer. A list names the kinds that must wait. Defaults
   * to true.
   */
  holds?: boolean | readonly string[];
  /** Returns a value of the referenced row that the object copies, such as an address of an instance. */
  copies?: (entry: ReferenceEntry, found: Resolved) => Copied;
}

/**
 * Result of `copies`. `lacks`: the missing fact in the referenced object; the object waits. `misfit`: the reason why the
 * referenced object can never have a value; the operator reports `InvalidSpec`. Both texts continue a sentence about the
 * referenced object.
 */
export type Copied = { value: string } | { lacks: string } | { misfit: string };

/** Returns the kinds of a reference. */
export function kindsOf<S>({ kind, kinds }: ObjectReferenceTo<S>): readonly string[] {
  return kinds ?? [kind];
}

/** Returns the kinds whose deletion waits for the deletion of the referrer. */
export function heldKindsOf<S>(reference: ObjectReferenceTo<S>): readonly string[] {
  const { holds = true } = reference;
  if (typeof holds === "boolean") return holds ? kindsOf(reference) : [];
  return holds;
}

/** Returns the kind of one entry. */
export function kindOf<S>(reference: ObjectReferenceTo<S>, entry: ReferenceEntry): string {
  return reference.kind ?? entry.kind ?? "";
}

/**
 * Declares a reference to a key of a Secret or a ConfigMap. With `generate`, the operator generates a missing value and stores
 * the value before the first request. Set `encoding` for bytes, or `refuses` for text.
 */
export type SecretReferenceTo<S> = SecretPlace<S> & (Bytes | Text);

/** The kind gets the value in base64. All bytes are valid. */
interface Bytes {
  encoding: "base64";
  refuses?: undefined;
}

/** The value must be UTF-8 text. */
interface Text {
  encoding?: undefined;
  /** Returns why the cloud API would refuse the text. The reason ends a sentence about the value: `must have 7 characters`. */
  refuses: (text: string) => string | undefined;
}

interface SecretPlace<S> {
  /** Returns the reference in the spec. */
  secret: (spec: S) => SecretKeyReference | undefined;
  /** Defaults to `Secret`. */
  in?: "Secret" | "ConfigMap";
  /** Default key, for a reference in the spec without a key. */
  key: string;
  /** Field of the spec with the reference. Defaults to the name of the reference. */
  specField?: string;
  /** Limit in bytes. Defaults to the operator's limit for values. */
  mostBytes?: number;
  /** Returns the place of a generated value, for a spec without a reference. */
  generate?: (spec: S, name: string) => { name: string; key: string } | undefined;
  /**
   * Advice for users after the loss of a generated value, such as `To set another root password, …`. A sentence for a message.
   */
  lost?: string;
  /**
   * Only the creation and disruptive changes (such as a rebuild) need the value. Otherwise the operator does not read the value,
   * and a change does not wake the object.
   */
  creationOnly?: boolean;
  /** Disruptive field whose change needs the value. Defaults to all disruptive fields. */
  neededFor?: string;
}

export type References<S> = Record<string, ObjectReferenceTo<S> | SecretReferenceTo<S>>;

/**
 * Returns true for a kind with a `contained` reference. The path of the list then contains the parent. `within`: the required
 * kind of the parent.
 */
export function isContained({ references = {} }: { references?: References<never> }, within?: string): boolean {
  const holds = (kind: string): boolean => within === undefined || kind === within;
  return Object.values(references).some((one) => !("secret" in one) && one.contained && kindsOf(one).some(holds));
}

/** Returns true for a kind that reads ConfigMaps. */
export function readsConfigMaps(kind: object): boolean {
  const { references = {} } = kind as { references?: References<never> };
  return Object.values(references).some((one) => "secret" in one && one.in === "ConfigMap");
}

type FoundOf<F> = F extends readonly unknown[] ? Resolved[] : F extends undefined ? undefined : Resolved;
type ResolvedOf<D> = D extends { from: (...args: never[]) => infer F }
  ? FoundOf<F> | (D extends { creationOnly: true } ? undefined : never)
  : string | undefined;
export type ResolvedReferences<R> = { [K in keyof R]: ResolvedOf<R[K]> };
