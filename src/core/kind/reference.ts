/** What a spec may refer to: declared once, as data. */
import type { JsonObject } from "../../api/types.ts";
import type { NamedReference, SecretKeyReference } from "./schema.ts";

/** A referenced object, found: the identifier in the API, and the status of the object that manages it, if one does. */
export interface Resolved {
  id: string;
  /** The reference in the spec; undefined if the reference has an id instead of a name. */
  entry?: ReferenceEntry;
  /** The kind of the referenced object, if the reference can mean several kinds. */
  kind?: string;
  /** What this object copies of the referenced object; see `copies`. */
  value?: string;
  name?: string;
  status?: JsonObject;
  /** The list that it was recorded in, where that is proven, of what is needed only to create: ids may count within it. */
  list?: string;
  /** What the object that manages it asks for. */
  spec?: JsonObject;
  /** The row of the cloud API: if no object manages it and it has a path of its own, or if the reference copies a value. */
  row?: JsonObject;
  /** What shows whether the id still means the same cloud object, where that is known. */
  origin?: string;
}

/** Reference to objects of another kind. The watch that wakes this object, its waiting message and the deletion guard follow from it. */
export type ObjectReferenceTo<S> = ReferencePlace<S> & (OneKind | SeveralKinds);

interface OneKind {
  kind: string;
  kinds?: undefined;
}

/** Each entry names the kind that it refers to. */
interface SeveralKinds {
  kinds: readonly string[];
  kind?: undefined;
}

/** A reference as a spec contains it. `kind`: the kind that an entry names. */
export interface ReferenceEntry extends NamedReference {
  kind?: string;
}

interface ReferencePlace<S> {
  from: (spec: S) => ReferenceEntry | ReferenceEntry[] | undefined;
  /** Returns the field of each entry, such as `inbound[0].fromRefs[1]`, if that is not the name of the reference and an index. */
  fields?: (spec: S) => string[];
  /** This object is part of the referenced one and goes with it: records of a domain, disks of an instance. */
  contained?: boolean;
  /** Needed only to create, or to run once: when the id is recorded, or the run has ended, it is not resolved, and neither wakes, waits nor holds. */
  creationOnly?: boolean;
  /** False if the referenced object can be deleted before this object, or the kinds that cannot. Defaults to true. */
  holds?: boolean | readonly string[];
  /** Returns the value that this object copies, by the row that the cloud API shows now. */
  copies?: (entry: ReferenceEntry, found: Resolved) => Copied;
}

/**
 * A copied value. `lacks`: what the referenced object does not have yet, so that this object waits. `misfit`: why the referenced
 * object can never have such a value. Both continue a sentence about the referenced object.
 */
export type Copied = { value: string } | { lacks: string } | { misfit: string };

/** Returns the kinds that a reference can mean. */
export function kindsOf<S>({ kind, kinds }: ObjectReferenceTo<S>): readonly string[] {
  return kinds ?? [kind];
}

/** Returns the kinds whose objects wait for this object before their deletion. */
export function heldKindsOf<S>(reference: ObjectReferenceTo<S>): readonly string[] {
  const { holds = true } = reference;
  if (typeof holds === "boolean") return holds ? kindsOf(reference) : [];
  return holds;
}

/** Returns the kind that one entry of a reference means. */
export function kindOf<S>(reference: ObjectReferenceTo<S>, entry: ReferenceEntry): string {
  return reference.kind ?? entry.kind ?? "";
}

/**
 * Reference to one key of a Secret or a ConfigMap; with `generate`, a value is generated and stored before the first use. Each
 * one says whether the value is bytes, or which text the cloud API would refuse.
 */
export type SecretReferenceTo<S> = SecretPlace<S> & (Bytes | Text);

/** The kind gets the value in base64, which any bytes survive. */
interface Bytes {
  encoding: "base64";
  refuses?: undefined;
}

/** The value must be UTF-8 text. */
interface Text {
  encoding?: undefined;
  /** Returns why the cloud API would refuse the text, as the end of a sentence about the value: `must have 7 characters`. */
  refuses: (text: string) => string | undefined;
}

interface SecretPlace<S> {
  secret: (spec: S) => SecretKeyReference | undefined;
  /** `Secret` if not given. */
  in?: "Secret" | "ConfigMap";
  key: string;
  /** The field of the spec that names it, where this reference has another name. */
  says?: string;
  /** Bytes that the value may have, if the operator's limit for values does not apply. */
  mostBytes?: number;
  generate?: (spec: S, name: string) => { name: string; key: string } | undefined;
  /** What people can do where the generated value is lost, for a message. */
  lost?: string;
  /** Needed only to create, and for what disrupts (a rebuild): otherwise it is not read, and its changes wake nobody. */
  creationOnly?: boolean;
  /** The disruptive field whose change needs it again; any of them if not given. */
  neededFor?: string;
}

export type References<S> = Record<string, ObjectReferenceTo<S> | SecretReferenceTo<S>>;

/** True for a kind whose rows are part of something else, so that their list is not known without it; with `within`, of that kind. */
export function isContained({ references = {} }: { references?: References<never> }, within?: string): boolean {
  const holds = (kind: string): boolean => within === undefined || kind === within;
  return Object.values(references).some((one) => !("secret" in one) && one.contained && kindsOf(one).some(holds));
}

/** True for a kind with a field that names a ConfigMap. */
export function readsConfigMaps(kind: object): boolean {
  const { references = {} } = kind as { references?: References<never> };
  return Object.values(references).some((one) => "secret" in one && one.in === "ConfigMap");
}

type FoundOf<F> = F extends readonly unknown[] ? Resolved[] : F extends undefined ? undefined : Resolved;
type ResolvedOf<D> = D extends { from: (...args: never[]) => infer F }
  ? FoundOf<F> | (D extends { creationOnly: true } ? undefined : never)
  : string | undefined;
export type ResolvedReferences<R> = { [K in keyof R]: ResolvedOf<R[K]> };
