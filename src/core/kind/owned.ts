/**
 * Layer `core/kind`, the lowest: the members that a kind declares. A kind is a value: schemas and mostly pure functions. The
 * layer imports zod, and no other layer of the core.
 *
 * The core owns the lifecycle (lifecycle/reconcile.ts) and calls the functions of a kind. A kind catches no error, writes no
 * status, and decides nothing about retries. A kind can throw `Waiting` or `Invalid` (outcome.ts). Read SSHKey, Firewall and
 * ComputeInstance first. docs/adding-a-kind.md explains the members in the order of your decisions.
 */
import type { z } from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type {
  Call,
  Delivery,
  Detail,
  EventsOf,
  Made,
  Readiness,
  ReleaseTools,
  Request,
  Surveyed,
  SurveyRead,
  Undoing,
} from "./call.ts";
import { commonSpec, stayingSpec } from "./common-schema.ts";
import { commonStatus } from "./status-schema.ts";
import type { Desired, Live, OperatorSetting, Field, SpecFieldOf, Step, PublishedSecret } from "./live.ts";
import type { Excludes } from "./excludes.ts";
import type { ExportPart } from "./export-part.ts";
import type { Described, Example } from "./described.ts";
import type { KindReach } from "./reach.ts";
import type { References } from "./reference.ts";
import type { IdPattern } from "./schema.ts";
import { monthlyColumn, monthlyStatus } from "./monthly.ts";
import type { Monthly } from "./monthly.ts";
import { wideStatus } from "./wide-columns.ts";

/** Data that the operator reads from a URL in the spec and sends to a URL of the cloud, such as an image file. */
export interface Upload<S = Record<string, unknown>, W = JsonObject> {
  /** Returns the source in the spec, and the name of the field. */
  from: (spec: S) => { field: string; url: string } | undefined;
  /** Returns true if the row waits for the data. */
  awaited: (wire: W) => boolean;
  /** Key of the Secret with the URL of the cloud. */
  key: string;
  contentType: string;
  /** Limit of the data in bytes. */
  mostBytes: number;
}

/** Cloud objects of this kind that a parent has, such as the addresses of an instance. */
export interface Held<W> {
  /** Returns the read of the list at the parent. */
  read: (wanted: W) => Detail;
  /** Returns the IDs of the cloud objects that match the spec, in the order of the response. */
  ids: (answer: Json | undefined, wanted: W) => string[];
  /**
   * Returns the number of cloud objects that the parent has without a custom resource, from the documents of the API. An instance
   * has one public address, so IPAddress returns 1.
   */
  builtIn: (wanted: W) => number;
}

/** Makes `held` required for a kind with `unique: "several"`. */
type HeldIfSeveral = { unique: "several"; held: object } | { unique: "enforced" | "returnsExisting" | "none" };

export interface Owned<
  Spec extends z.ZodObject,
  Status extends z.ZodObject,
  Wire extends z.ZodObject,
  R,
> extends Described {
  /** Schema of the spec. `defineOwned` adds the common fields. */
  spec: Spec;
  /** Schema of the values that `report` returns. `defineOwned` adds the common fields. */
  status: Status;
  /** Schema with exactly the fields of a row that the kind reads. The operator drops all other fields to save memory. */
  wire: Wire;
  /** References to other objects, Secrets and ConfigMaps; see reference.ts. The found values are in `refs`. */
  references?: R & References<z.output<Spec>>;
  /** Reach of the objects in the account: `own`, `existing` or `account`. A function if the spec decides. See reach.ts. */
  reach: KindReach<z.output<Spec>>;
  /**
   * Cloud objects that a new object affects by its name, such as the zone above a new zone. Without `sharing.existing`, a
   * namespace cannot create an object that overlaps a cloud object of a different namespace.
   */
  overlaps?: {
    /** Field of the spec with the name, such as `domain`. */
    field: Extract<keyof z.output<Spec>, string>;
    /** Relation for messages, such as `is above or below a zone`. */
    relation: string;
    test: (spec: z.output<Spec>, wire: z.output<Wire>) => boolean;
  };
  /**
   * Returns the field of the spec that does not fit a referenced object, and the reason. The operator then sends no request.
   * Example: a record outside of its zone.
   */
  misfit?: (wanted: Desired<z.output<Spec>, NoInfer<R>>) => { field: string; why: string } | undefined;
  /** Cloud objects that cannot exist together, such as a CNAME and a second record with an equal name; see excludes.ts. */
  excludes?: Excludes<z.output<Spec>, NoInfer<R>, z.output<Wire>>;
  /** Returns the path of the list, such as `/networking/firewalls`. */
  listPath: (wanted: Desired<z.output<Spec>, NoInfer<R>>) => string;
  /** Returns the ID of a row. Defaults to the field `id`. */
  identify?: (wire: z.output<Wire>) => string;
  /** Format of the IDs in `management.adopt.id`. Defaults to numbers. */
  idPattern?: IdPattern;
  /** Fields of the row with the label for messages. Defaults to `label`. */
  labelFields?: Extract<keyof z.output<Wire>, string>[];
  /** Returns the path of an item. Defaults to the path of the list and the encoded ID. */
  itemPath?: (collection: string, id: string) => string;
  /** Returns the path of a shorter list that contains the row, such as the buckets of one cluster. */
  amongPath?: (id: string) => string;
  /** The item path omits compared fields, so the operator reads rows only from the list. `only`: the item path returns no row. */
  wholeInList?: boolean | "only";
  /**
   * Returns the row with the values that the API temporarily omits, such as the target of a shared range. `pattern`: the values
   * in the journal entry, or the desired values without a journal entry. Returns `wire` itself if the row is complete.
   */
  recall?: (wire: z.output<Wire>, pattern: JsonObject) => z.output<Wire>;
  /** Returns true for a response without a row. Declare if `listPath` returns the only row instead of a list. */
  absentIn?: (answer: Json | undefined, path: string) => boolean;
  /** Type of the cloud object in the events of the account, such as `firewall`. */
  eventEntity?: string;
  /** Returns the row inside the response to the create request. Defaults to the whole response. */
  answered?: (answer: JsonObject) => Json | undefined;
  /** True if every user of the account has a separate list, such as SSH keys in the profile. */
  ofUser?: boolean;
  /**
   * Fields of the request body, by the name in the API. The operator derives the creation, the comparison, the update, and the
   * search after a lost response.
   */
  fields: Record<string, Field<z.output<Spec>, NoInfer<R>, z.output<Wire>>>;
  /**
   * Fields of the spec for body fields outside of `fields`. Messages about a refusal use the names. Example:
   * `{ region: "instanceRef" }`.
   */
  specFields?: Record<string, SpecFieldOf>;
  /** Fields of the status that referrers copy, such as the addresses of an instance. A change wakes the referrers. */
  copied?: string[];
  /**
   * Behaviour of the API for a second create request with an equal key. `enforced`: the API refuses the request.
   * `returnsExisting`: the API returns the existing cloud object, and the natural key contains the ID. `none`: the API creates a
   * duplicate. `several`: like `none`, and the key names the parent. The parent can have several cloud objects, and only the list
   * before the creation distinguishes them. The operator therefore creates one at a time.
   */
  unique: "enforced" | "returnsExisting" | "none" | "several";
  /**
   * Cloud objects of this kind that the parent has. Required for `several`. If the parent has an unowned cloud object, the
   * operator does not pay for a second one.
   */
  held?: Held<Desired<z.output<Spec>, NoInfer<R>>>;
  /**
   * The response to the create request contains no row, such as `{}`. The operator searches the list. The cloud object can appear
   * later.
   */
  answersNothing?: boolean;
  /** Price per month, for the status and for plans. See monthly.ts. */
  monthly?: Monthly<z.output<Spec>, z.output<Wire>>;
  /**
   * A duplicate costs money, or must not exist for a different reason. The operator never repeats a create request with an
   * unknown result.
   */
  billable?: boolean;
  /** Field of the row with the creation time. Distinguishes a new cloud object with a reused ID. */
  createdField?: string;
  /**
   * Every update changes the value of `originField`. Example: the digest of the content of a BucketObject. A different value
   * then means drift, and not a new cloud object.
   */
  versioned?: boolean;
  /** Field of the row with a unique and immutable value, for an API without creation times. Example: `access_key` of a key. */
  originField?: string;
  /**
   * Returns values that the creation sets and no row shows, with the path that shows them. With `returnsExisting`, different
   * values prove an older cloud object.
   */
  sets?: (wanted: Desired<z.output<Spec>, NoInfer<R>>, id: string) => { path: string; fields: JsonObject };
  /**
   * Returns keyed digests of values that the API never shows, such as a private key. The record contains the
   * digests, and a step detects a change.
   */
  digests?: (
    wanted: Desired<z.output<Spec>, NoInfer<R>> & Pick<Live<unknown, unknown, unknown>, "digest">,
  ) => Record<string, string>;
  /**
   * Returns the parts that the creation adds to foreign cloud objects, as texts. The record contains the parts. The
   * operator later removes only recorded parts. See `noted` of a step.
   */
  additions?: (wanted: Desired<z.output<Spec>, NoInfer<R>>) => Record<string, string>;
  /**
   * Returns the digests of values in a row, with the keys of `digests`. A row with different digests is not the result of an
   * unanswered create request.
   */
  shownDigests?: (wire: z.output<Wire>, digest: (value: string) => string) => Record<string, string>;
  /**
   * Returns names that objects of several kinds share without a reference, such as the host of a record. A change of a second
   * object with the name can end a refusal. See read/blockers.ts.
   */
  shares?: (wanted: Desired<z.output<Spec>, NoInfer<R>>) => string[];
  /** Returns the readiness of the row. `busy`: the cloud API refuses changes, and the operator sends none. Defaults to ready. */
  ready?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Readiness;
  /** Parts of the cloud object with their own endpoints, by a name of your choice. The operator runs the steps in order. */
  steps?: Record<string, Step<z.output<Spec>, NoInfer<R>, z.output<Wire>>>;
  /**
   * Returns the content for a signed URL in the response to a request. The operator sends the content, and the list then shows
   * the result.
   */
  delivery?: (request: Request, wanted: Desired<z.output<Spec>, NoInfer<R>>) => Delivery | undefined;
  /**
   * Requests that differ from the default: POST on the list, PUT and DELETE on the item. A verb replaces one request, and never
   * the flow.
   */
  verbs?: {
    create?: (wanted: Desired<z.output<Spec>, NoInfer<R>>, body: JsonObject) => Request;
    update?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>, body: JsonObject) => Request;
    remove?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Request;
  };
  /**
   * Prepares the deletion, for example by emptying a bucket. Throws `Waiting` if the deletion must wait. Returns a reason if the
   * cloud object must stay.
   */
  release?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>, tools: ReleaseTools) => Promise<string | void>;
  /** Returns the readiness of the parent for a creation. While the parent is not ready, the operator sends no create request. */
  creatable?: (wanted: Desired<z.output<Spec>, NoInfer<R>>) => Readiness;
  /** Returns the readiness of the cloud object for the deletion. Defaults to ready. */
  removable?: (wire: z.output<Wire>) => Readiness;
  /** Reason why the cloud object stays when the user deletes the object. For an API without a request for the deletion. */
  stays?: string;
  /** Secret with connection data that the operator publishes for the user. */
  secret?: PublishedSecret<z.output<Spec>, NoInfer<R>, z.output<Wire>>;
  /** Data that the operator reads from a source and sends to the URL in the Secret; see shapes/upload.ts. */
  upload?: Upload<z.output<Spec>, z.output<Wire>>;
  /** Returns further reads for `report`, by name. A step with an equal path shares the response. */
  details?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Record<string, Detail>;
  /** Returns the status fields of the kind. Must return an equal status for equal rows. */
  report: (
    live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>,
    details: Record<string, Json | undefined>,
  ) => z.input<Status>;
  /**
   * Returns values for the next reconcile that do not concern users, such as a digest of the booted profile. The signed record contains
   * the values, and `notes` of a live object returns them.
   */
  records?: (
    live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>,
    details: Record<string, Json | undefined>,
  ) => Record<string, string>;
  /**
   * The part of an export that the fields and the steps do not contain, or the reason why an export has no objects of the kind.
   */
  exports?: ExportPart<z.output<Spec>, NoInfer<R>, z.output<Wire>>;
  /**
   * Returns which access the cloud object grants beside the spec, because the spec does not have a list. The condition Ready shows
   * the clauses.
   */
  unlisted?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => string[];
  /** Examples for the reference, the samples and the contract tests. At least one. */
  examples: Example<z.input<Spec>>[];
}

type OfEveryShape =
  | Exclude<keyof Described, "scope" | "holdsData" | "loses">
  | "wire"
  | "references"
  | "reach"
  | "listPath"
  | "identify"
  | "itemPath"
  | "wholeInList"
  | "eventEntity"
  | "ready"
  | "report"
  | "exports"
  | "specFields";

/** Members of the shapes `owned`, `setting` and `once`. */
export type Common<Spec extends z.ZodObject, Status extends z.ZodObject, Wire extends z.ZodObject, R> = Pick<
  Owned<Spec, Status, Wire, R>,
  OfEveryShape
>;

/** Returns true for a kind whose objects claim no cloud object: a kind that runs once, and a setting without values to set. */
export function claimsNothing({ shape, fields, steps }: Pick<Kind, "shape" | "fields" | "steps">): boolean {
  return shape === "once" || (shape === "setting" && steps === undefined && Object.keys(fields).length === 0);
}

/** A kind for the core, without its own types. */
export interface Kind extends Owned<z.ZodObject, z.ZodObject, z.ZodObject, References<Record<string, unknown>>> {
  shape: "owned" | "setting" | "once" | "survey";
  /** Reads, interval and status of a survey; see survey.ts. */
  survey?: {
    reads: Record<string, SurveyRead>;
    everyMs: (spec: Record<string, unknown>) => number;
    summary: (surveyed: Surveyed) => JsonObject;
  };
  /** Members of a setting or a kind that runs once: the path of a resource without a list. */
  shownAt?: string;
  /** Members of a setting; see setting.ts. */
  which?: (wanted: Desired<Record<string, unknown>, Record<string, never>>, row?: JsonObject) => string | undefined;
  part?: string;
  carrierField?: string;
  takes?: (spec: Record<string, unknown>) => string | undefined;
  undo?: (set: Undoing) => Request;
  /** Members of a kind that runs once; see once.ts. */
  setting?: OperatorSetting;
  target?: (wanted: Desired<Record<string, unknown>, Record<string, never>>) => string;
  request?: (live: Live<Record<string, unknown>, Record<string, never>, JsonObject>) => Call;
  evident?: (live: Live<Record<string, unknown>, Record<string, never>, JsonObject>) => boolean | undefined;
  made?: (live: Live<Record<string, unknown>, Record<string, never>, JsonObject>) => Made | undefined;
  superseded?: (live: Live<Record<string, unknown>, Record<string, never>, JsonObject>) => string | undefined;
  events?: (
    of: Pick<Live<Record<string, unknown>, Record<string, never>, JsonObject>, "spec" | "refs" | "applied">,
  ) => EventsOf;
}

/** Declares a kind whose cloud objects the operator creates, updates and deletes. Adds the common fields of spec and status. */
export function defineOwned<
  Spec extends z.ZodObject,
  Status extends z.ZodObject,
  Wire extends z.ZodObject,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a kind without references has none
  R extends References<z.output<Spec>> = Record<never, never>,
>(definition: Owned<Spec, Status, Wire, R> & HeldIfSeveral): Kind {
  const kind = definition as unknown as Kind;
  const priced = kind.monthly !== undefined;
  return {
    ...kind,
    shape: "owned",
    columns: priced ? [...kind.columns, monthlyColumn] : kind.columns,
    spec: extended(kind.spec, kind.stays === undefined ? commonSpec(kind.idPattern) : stayingSpec(kind.idPattern)),
    status: extended(kind.status, { ...commonStatus, ...(priced && monthlyStatus), ...wideStatus(kind.columns) }),
  };
}

/** Returns the schema with additional members. Keeps the marks. */
export function extended(schema: z.ZodObject, members: z.ZodRawShape): z.ZodObject {
  const marks = schema.meta();
  const whole = schema.safeExtend(members);
  return marks ? whole.meta(marks) : whole;
}
