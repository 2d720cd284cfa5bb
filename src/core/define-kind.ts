/**
 * A kind is a value: what is particular to one resource of the API, as schemas and mostly pure functions.
 *
 * The core owns the lifecycle (reconcile.ts) and asks a kind only questions; a kind never catches, never writes status
 * and never decides about retries. It may throw `Waiting` or `Invalid` (outcome.ts). Read SSHKey, Firewall and
 * ComputeInstance first, in this order.
 */
import type { z } from "zod";
import type { Json, JsonObject } from "../api/types.ts";
import type { AdmissionRule, IdPattern, NamedReference, SecretKeyReference } from "./schema.ts";
import { commonSpec, commonStatus } from "./common-schema.ts";
import type { Reason } from "./reasons.ts";

/** A referenced object, found: the identifier in the API, and the status of the object that manages it, if one does. */
export interface Resolved {
  id: string;
  name?: string;
  status?: JsonObject;
}

/** Reference to objects of another kind. The watch that wakes this object, its waiting message and the deletion guard follow from it. */
export interface ObjectReferenceTo<S> {
  kind: string;
  from: (spec: S) => NamedReference | NamedReference[] | undefined;
  /** This object is part of the referenced one and goes with it: records of a domain, disks of an instance. */
  contained?: boolean;
  /** Needed only to create: once the id is recorded it is not resolved, and neither wakes, waits nor holds. */
  creationOnly?: boolean;
}

/** Reference to one key of a Secret; with `generate`, a value is made and stored before the first use. */
export interface SecretReferenceTo<S> {
  secret: (spec: S) => SecretKeyReference | undefined;
  key: string;
  /** The kind gets the value in base64, which any bytes survive; without it, the value must be UTF-8 text. */
  encoding?: "base64";
  generate?: (spec: S, name: string) => { name: string; key: string } | undefined;
  /** Needed only to create, and for what disrupts (a rebuild): otherwise it is not read, and its changes wake nobody. */
  creationOnly?: boolean;
  /** The disruptive field whose change needs it again; any of them if not given. */
  neededFor?: string;
}

export type References<S> = Record<string, ObjectReferenceTo<S> | SecretReferenceTo<S>>;

type FoundOf<F> = F extends readonly unknown[] ? Resolved[] : F extends undefined ? undefined : Resolved;
type ResolvedOf<D> = D extends { from: (...args: never[]) => infer F }
  ? FoundOf<F> | (D extends { creationOnly: true } ? undefined : never)
  : string | undefined;
export type ResolvedReferences<R> = { [K in keyof R]: ResolvedOf<R[K]> };

/** What a kind knows of one object before anything was read of the cloud. */
export interface Wanted<S, R> {
  name: string;
  namespace: string;
  spec: S;
  refs: ResolvedReferences<R>;
}

/** …and of the cloud object that belongs to it. */
export interface Live<S, R, W> extends Wanted<S, R> {
  id: string;
  wire: W;
  /** Values last applied of disruptive fields; undefined for an adopted object and before the first success. */
  applied: Record<string, string> | undefined;
  /** It was taken over, not made by us: no generated Secret belongs to it. */
  adopted?: boolean;
}

/** One mutating call, as data. */
export interface Call {
  method: "POST" | "PUT" | "DELETE";
  path: string;
  body?: JsonObject;
  /** What it does, in UpperCamelCase; becomes the event's action and reason. */
  action: string;
  /** What changes, for people: the field and both values, never a secret. */
  note: string;
  beta?: boolean;
  /** Repeating it destroys: it is never sent again by itself when its outcome is not known. */
  destructive?: boolean;
  /** Disruptive values that are applied once the service has accepted the call. */
  applies?: Record<string, string>;
  /** No change of the spec asks for it: it is reported as drift, and never sent. */
  unasked?: boolean;
}

/**
 * Something read besides the row; the answer is kept until something changes. `paged`: all pages, as an array. `needs`:
 * members without which the answer is not what was asked for.
 */
export interface Detail {
  path: string;
  paged?: boolean;
  needs?: readonly string[];
}

/** A secondary endpoint: compare, then set. */
export interface Step<S, R, W> {
  read?: (live: Live<S, R, W>) => Detail | undefined;
  /** The calls that bring what is there to what is wanted, in order; none when it is so already. */
  calls: (live: Live<S, R, W>, current: Json | undefined) => Call[];
}

/** `busy`: the API refuses changes until it has passed. */
export type Readiness =
  | { ready: true }
  | { ready: false; reason: Reason; message: string; busy?: boolean; afterMs?: number };

/** How a creation whose answer was lost is recognised (design, section 5). */
export interface LostCreate<S, R> {
  /** `enforced`: a second create with the same key is an error. `returnsExisting`: it answers with what is there, whose id the natural key tells. `none`: it makes another. */
  uniqueness: "enforced" | "returnsExisting" | "none";
  /** A second one costs money: it is never made on a guess. */
  billable: boolean;
  /** Fields of a row that name the thing. Something there already with these values is a conflict. */
  naturalKey: (wanted: Wanted<S, R>) => JsonObject;
  /** Fields of a row that are fixed at creation and must match too. */
  createOnly?: (wanted: Wanted<S, R>) => JsonObject;
  /** What a creation sets and the row does not show. Where a creation answers with what exists, other values say that it was there before. */
  sets?: (wanted: Wanted<S, R>, id: string) => { path: string; fields: JsonObject };
  /** Field of a row with the time of its creation, where the API tells it. */
  createdField?: string;
}

/** A Secret that the operator keeps for the user: connection data. */
export interface PublishedSecret<S, R, W> {
  name: (wanted: Wanted<S, R>) => string;
  /** What to read, by name. */
  reads: (live: Live<S, R, W>) => Record<string, Detail>;
  data: (live: Live<S, R, W>, answers: Record<string, JsonObject>) => Record<string, string>;
}

/** What a `release` may use of the cloud. */
export interface ReleaseTools {
  get: (path: string) => Promise<Json | undefined>;
  send: (call: Call) => Promise<Json>;
  /** A request to a URL that the API handed out. */
  sendToUrl: (method: "PUT" | "DELETE", url: string) => Promise<void>;
}

export interface Example<S> {
  name: string;
  doc: string;
  spec: S;
  /** Specs that differ from `spec` in one mutable field each: what the contract suite changes and expects to arrive. */
  changes?: Record<string, Partial<S>>;
  /** Objects of other kinds that it refers to, by kind and example name; a Secret by its data. */
  needs?: { kind: string; example: string; name?: string }[];
  secrets?: Record<string, Record<string, string>>;
  /** Part of the samples that the demo applies. */
  sample?: boolean;
}

export interface Column {
  name: string;
  jsonPath: string;
  type?: "string" | "integer" | "boolean" | "date";
  /** 1 shows it only with `-o wide`. */
  priority?: number;
}

/** What the API server and a reader have to know of a resource, whatever drives it: all that the generator uses. */
export interface Described {
  kind: string;
  plural: string;
  shortNames: string[];
  doc: string;
  columns: Column[];
  spec: z.ZodObject;
  status: z.ZodObject;
  /** `Namespaced` if not given. What is cluster-scoped is written by the operator alone. */
  scope?: "Namespaced" | "Cluster";
  admission?: AdmissionRule[];
  /** Who writes it gives or takes access to the account: no aggregated role may. */
  guardsAccess?: boolean;
  examples: Example<Record<string, unknown>>[];
}

export interface Definition<Spec extends z.ZodObject, Status extends z.ZodObject, Wire extends z.ZodObject, R> {
  kind: string;
  plural: string;
  /** With the product prefix, for example `cpvm`. */
  shortNames: string[];
  doc: string;
  columns: Column[];
  spec: Spec;
  status: Status;
  /** Exactly what is read of a row, so that it stays small in memory. */
  wire: Wire;
  /** Rules over the whole object, `self.metadata.name` among them. */
  admission?: AdmissionRule[];
  /** Who writes it gives or takes access to the account: no aggregated role may. */
  guardsAccess?: boolean;
  references?: R & References<z.output<Spec>>;
  /** Path of the list; an item is this path and its id unless `itemPath` says otherwise. */
  collection: (wanted: Wanted<z.output<Spec>, R>) => string;
  identify?: (wire: z.output<Wire>) => string;
  /** How an id is written in `management.adopt.id`; numbers if not given. */
  idPattern?: IdPattern;
  itemPath?: (collection: string, id: string) => string;
  eventEntity?: string;
  /** The collection is the token's user's own: another user of the same account has another one. */
  ofUser?: boolean;
  lostCreate: LostCreate<z.output<Spec>, R>;
  /** The body of a create, as the API returns it afterwards: normalised. */
  desired: (wanted: Wanted<z.output<Spec>, R>) => JsonObject;
  /** The part of `desired` that the API returns and that can be updated; a key it omits is create-only. */
  observed: (wire: z.output<Wire>) => JsonObject;
  ready?: (live: Live<z.output<Spec>, R, z.output<Wire>>) => Readiness;
  steps?: Record<string, Step<z.output<Spec>, R, z.output<Wire>>>;
  verbs?: {
    create?: (wanted: Wanted<z.output<Spec>, R>, body: JsonObject) => Call;
    update?: (live: Live<z.output<Spec>, R, z.output<Wire>>, body: JsonObject) => Call;
    remove?: (live: Live<z.output<Spec>, R, z.output<Wire>>) => Call;
  };
  /** Before the delete: what else must be gone. Throws `Waiting` when it must not be. */
  release?: (live: Live<z.output<Spec>, R, z.output<Wire>>, tools: ReleaseTools) => Promise<void>;
  /** Readiness for deletion, where the API refuses it in some states. */
  removable?: (wire: z.output<Wire>) => Readiness;
  publish?: PublishedSecret<z.output<Spec>, R, z.output<Wire>>;
  /** What the report needs besides the row, by name; shares its answers with the steps that read the same path. */
  details?: (live: Live<z.output<Spec>, R, z.output<Wire>>) => Record<string, Detail>;
  report: (live: Live<z.output<Spec>, R, z.output<Wire>>, details: Record<string, Json | undefined>) => z.input<Status>;
  /** Fields whose change disrupts: run only when the spec differs from what was last applied. */
  disruptive?: (spec: z.output<Spec>) => Record<string, string>;
  /** It holds data that nothing here can bring back: when it vanishes, that is reported and nothing empty takes its place. */
  holdsData?: boolean;
  /** The API knows tags on it: the installation tag marks what we made. */
  tagged?: boolean;
  examples: Example<z.input<Spec>>[];
}

/** A kind as the core sees it, its own types forgotten. */
export type Kind = Definition<z.ZodObject, z.ZodObject, z.ZodObject, References<Record<string, unknown>>>;

/** Declares a kind. Adds what every kind has in spec and status. */
export function defineKind<
  Spec extends z.ZodObject,
  Status extends z.ZodObject,
  Wire extends z.ZodObject,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a kind without references has none
  R extends References<z.output<Spec>> = Record<never, never>,
>(definition: Definition<Spec, Status, Wire, R>): Kind {
  const kind = definition as unknown as Kind;
  return {
    ...kind,
    spec: withMarks(kind.spec, kind.spec.safeExtend(commonSpec(kind.idPattern))),
    status: withMarks(kind.status, kind.status.safeExtend(commonStatus)),
  };
}

function withMarks(original: z.ZodObject, extended: z.ZodObject): z.ZodObject {
  const marks = original.meta();
  return marks ? extended.meta(marks) : extended;
}
