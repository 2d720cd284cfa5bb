/**
 * Layer `core/kind`, the lowest: what a kind declares. A kind is a value: schemas and mostly pure functions. The layer imports zod, and
 * no other layer of the core.
 *
 * The core owns the lifecycle (lifecycle/reconcile.ts) and asks a kind questions. A kind catches no error, writes no status, and
 * decides nothing about retries. A kind can throw `Waiting` or `Invalid` (outcome.ts). Read SSHKey, Firewall and ComputeInstance first.
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
} from "./call.ts";
import { commonSpec, stayingSpec } from "./common-schema.ts";
import { commonStatus } from "./status-schema.ts";
import type { Wanted, Live, OperatorSetting, Field, Says, Step, PublishedSecret } from "./live.ts";
import type { Excludes } from "./excludes.ts";
import type { Described, Example } from "./described.ts";
import type { KindReach } from "./reach.ts";
import type { References } from "./reference.ts";
import type { IdPattern } from "./schema.ts";

/** `from`: what the spec names, by its field. `awaited`: the row waits for the data. `key`: of the Secret, where the URL is. */
export interface Upload<S = Record<string, unknown>, W = JsonObject> {
  from: (spec: S) => { field: string; url: string } | undefined;
  awaited: (wire: W) => boolean;
  key: string;
  contentType: string;
  mostBytes: number;
}

/** What the parent of a cloud object shows of all cloud objects of that kind that it has. */
export interface Held<W> {
  /** The request that shows them. */
  read: (wanted: W) => Detail;
  /** Returns the IDs of those that match what the object asks for, in the order in which the parent shows them. */
  ids: (answer: Json | undefined, wanted: W) => string[];
  /** Returns how many of them the parent has by itself, as the API documents. They are the first that no custom resource created. */
  builtIn: (wanted: W) => number;
}

/** The type checker rejects a kind with `several` that does not say what its parent has. */
type HeldIfSeveral = { unique: "several"; held: object } | { unique: "enforced" | "returnsExisting" | "none" };

export interface Owned<
  Spec extends z.ZodObject,
  Status extends z.ZodObject,
  Wire extends z.ZodObject,
  R,
> extends Described {
  spec: Spec;
  status: Status;
  /** Exactly what is read of a row, so that it stays small in memory. */
  wire: Wire;
  references?: R & References<z.output<Spec>>;
  /** How far its objects reach in the account; see reach.ts. */
  reach: KindReach<z.output<Spec>>;
  /**
   * Cloud objects of this kind on which a new one takes effect by its name, such as the zone above a new zone. A namespace
   * without `sharing.existing` creates nothing beside such a cloud object of another namespace.
   */
  overlaps?: {
    /** The field of the spec with the name, such as `domain`. */
    field: Extract<keyof z.output<Spec>, string>;
    /** The relation, for messages: `is above or below a zone`. */
    says: string;
    test: (spec: z.output<Spec>, wire: z.output<Wire>) => boolean;
  };
  /** Returns a field of the spec, and why it does not fit what the spec refers to. The operator then sends nothing. */
  misfit?: (wanted: Wanted<z.output<Spec>, NoInfer<R>>) => { field: string; why: string } | undefined;
  excludes?: Excludes<z.output<Spec>, NoInfer<R>, z.output<Wire>>;
  /** Path of the list; an item is this path and its id unless `itemPath` says otherwise. */
  at: (wanted: Wanted<z.output<Spec>, NoInfer<R>>) => string;
  identify?: (wire: z.output<Wire>) => string;
  /** How an id is written in `management.adopt.id`; numbers if not given. */
  idPattern?: IdPattern;
  itemPath?: (collection: string, id: string) => string;
  /** Path of a shorter list that has the row of this id if there is one: that of its cluster, say. */
  amongPath?: (id: string) => string;
  /** Only the list shows all of a row: what the path of the item answers leaves fields out. `only`: it is no row at all. */
  wholeInList?: boolean | "only";
  /** The row with what it does not show for the time being: as the intent has recorded that, or as wanted where none has. */
  recall?: (wire: z.output<Wire>, pattern: JsonObject) => z.output<Wire>;
  /** There is no list: `at` answers the only one that there can be. True for an answer that says that there is none. */
  absentIn?: (answer: Json | undefined, path: string) => boolean;
  eventEntity?: string;
  /** The row in the answer to the creation, where that is not the answer itself. */
  answered?: (answer: JsonObject) => Json | undefined;
  /** The collection is the token's user's own: another user of the same account has another one. */
  ofUser?: boolean;
  /** The fields of the API's body. From them follow creation, comparison, update, and what a lost creation is recognised by. */
  fields: Record<string, Field<z.output<Spec>, NoInfer<R>, z.output<Wire>>>;
  /** Words of bodies that are in no `fields`, and the field of the spec that each follows from: refusals name it. */
  says?: Record<string, Says>;
  /** Fields of the status that show values that other kinds copy. A change of a field wakes the objects that refer to the object. */
  copied?: string[];
  /** `enforced`: a second create with the same key is an error. `returnsExisting`: it answers with what is there, whose id the natural key tells. `none`: it makes another. `several`: as `none`, and the key names what several belong to: which one it is only the ids known before tell, so one is made at a time. */
  unique: "enforced" | "returnsExisting" | "none" | "several";
  /** Required by `several`: which cloud objects of this kind the parent has, so that none is requested and paid for twice. */
  held?: Held<Wanted<z.output<Spec>, NoInfer<R>>>;
  /** The response to the creation names nothing of what it makes: it is found by its natural key, and may appear later. */
  answersNothing?: boolean;
  /** A second one costs money, or must not be for another reason: it is never made on a guess. */
  billable?: boolean;
  /** Field of a row with the time of its creation, where the API tells it. */
  createdField?: string;
  /** `originField` shows what it holds, and changes with each update: another one is corrected, and not deleted. */
  versioned?: boolean;
  /** Field of a row that never changes and that no other cloud object ever shows, where the API does not tell the time. */
  originField?: string;
  /** What a creation sets and the row does not show. Where a creation answers with what exists, other values say that it was there before. */
  sets?: (wanted: Wanted<z.output<Spec>, NoInfer<R>>, id: string) => { path: string; fields: JsonObject };
  /**
   * What was sent last and the API never shows, as keyed digests: kept in the record, so that a step
   * can tell a change.
   */
  digests?: (
    wanted: Wanted<z.output<Spec>, NoInfer<R>> & Pick<Live<unknown, unknown, unknown>, "digest">,
  ) => Record<string, string>;
  /**
   * What a creation adds to cloud objects that are not its own, as texts: kept in the record, so that
   * only this is taken away again. The steps keep it up to date; see `noted` of a step.
   */
  additions?: (wanted: Wanted<z.output<Spec>, NoInfer<R>>) => Record<string, string>;
  /** The same digests of what a row shows, where it shows any: a row with others is not what an attempt without a response has sent. */
  shownDigests?: (wire: z.output<Wire>, digest: (value: string) => string) => Record<string, string>;
  /**
   * Names that objects of several kinds share without a reference, such as the host of a record. A refusal of the cloud API can end
   * with a change of another object that shares a name. See read/blockers.ts.
   */
  shares?: (wanted: Wanted<z.output<Spec>, NoInfer<R>>) => string[];
  ready?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Readiness;
  steps?: Record<string, Step<z.output<Spec>, NoInfer<R>, z.output<Wire>>>;
  /** What is sent to the URL that a request is answered with; the list shows then what came of it. */
  delivery?: (request: Request, wanted: Wanted<z.output<Spec>, NoInfer<R>>) => Delivery | undefined;
  /** Each replaces one request, never the flow. */
  verbs?: {
    create?: (wanted: Wanted<z.output<Spec>, NoInfer<R>>, body: JsonObject) => Request;
    update?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>, body: JsonObject) => Request;
    remove?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Request;
  };
  /** Before the delete: what else must be gone. Throws `Waiting` when it must not be; answers why it stays, where it is to stay. */
  release?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>, tools: ReleaseTools) => Promise<string | void>;
  /** Readiness for creation, where the API refuses it in some states of what it is part of. */
  creatable?: (wanted: Wanted<z.output<Spec>, NoInfer<R>>) => Readiness;
  /** Readiness for deletion, where the API refuses it in some states. */
  removable?: (wire: z.output<Wire>) => Readiness;
  /** Why it stays in the cloud when its object is deleted, where the API has no request to delete it. */
  stays?: string;
  secret?: PublishedSecret<z.output<Spec>, NoInfer<R>, z.output<Wire>>;
  /** Data that the operator reads elsewhere and sends to the URL in the Secret; see flow/upload.ts. */
  upload?: Upload<z.output<Spec>, z.output<Wire>>;
  /** What the report needs besides the row, by name; shares its answers with the steps that read the same path. */
  details?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Record<string, Detail>;
  report: (
    live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>,
    details: Record<string, Json | undefined>,
  ) => z.input<Status>;
  examples: Example<z.input<Spec>>[];
}

type OfEveryShape =
  | Exclude<keyof Described, "scope" | "holdsData">
  | "wire"
  | "references"
  | "reach"
  | "at"
  | "identify"
  | "itemPath"
  | "wholeInList"
  | "eventEntity"
  | "ready"
  | "report"
  | "says";

/** What a kind of every shape says. */
export type Common<Spec extends z.ZodObject, Status extends z.ZodObject, Wire extends z.ZodObject, R> = Pick<
  Owned<Spec, Status, Wire, R>,
  OfEveryShape
>;

/** True for what is about something in the cloud and claims none of it: a run, and a setting that sets nothing. */
export function claimsNothing({ shape, fields, steps }: Pick<Kind, "shape" | "fields" | "steps">): boolean {
  return shape === "once" || (shape === "setting" && steps === undefined && Object.keys(fields).length === 0);
}

/** A kind as the core sees it, its own types forgotten. */
export interface Kind extends Owned<z.ZodObject, z.ZodObject, z.ZodObject, References<Record<string, unknown>>> {
  shape: "owned" | "setting" | "once" | "survey";
  /** Of a survey: what is read, how often, and what it says; see survey.ts. */
  survey?: {
    reads: Record<string, SurveyRead>;
    everyMs: (spec: Record<string, unknown>) => number;
    summary: (surveyed: Surveyed) => JsonObject;
  };
  /** Of a setting, and of what runs once: what is in no list. */
  shownAt?: string;
  /** Of a setting: which row it is, what it takes along, and what takes it back; see setting.ts. */
  which?: (wanted: Wanted<Record<string, unknown>, Record<string, never>>, row?: JsonObject) => string | undefined;
  part?: string;
  carrierField?: string;
  takes?: (spec: Record<string, unknown>) => string | undefined;
  undo?: (set: { id: string; path: string; shown: Record<string, Json> }) => Request;
  /** Of what runs once; see once.ts. */
  setting?: OperatorSetting;
  target?: (wanted: Wanted<Record<string, unknown>, Record<string, never>>) => string;
  request?: (live: Live<Record<string, unknown>, Record<string, never>, JsonObject>) => Call;
  evident?: (live: Live<Record<string, unknown>, Record<string, never>, JsonObject>) => boolean | undefined;
  made?: (live: Live<Record<string, unknown>, Record<string, never>, JsonObject>) => Made | undefined;
  superseded?: (live: Live<Record<string, unknown>, Record<string, never>, JsonObject>) => string | undefined;
  events?: (
    of: Pick<Live<Record<string, unknown>, Record<string, never>, JsonObject>, "spec" | "refs" | "applied">,
  ) => EventsOf;
}

/** Declares a kind that is created, kept as specified and deleted. Adds what every kind has in spec and status. */
export function defineOwned<
  Spec extends z.ZodObject,
  Status extends z.ZodObject,
  Wire extends z.ZodObject,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a kind without references has none
  R extends References<z.output<Spec>> = Record<never, never>,
>(definition: Owned<Spec, Status, Wire, R> & HeldIfSeveral): Kind {
  const kind = definition as unknown as Kind;
  return {
    ...kind,
    shape: "owned",
    spec: extended(kind.spec, kind.stays === undefined ? commonSpec(kind.idPattern) : stayingSpec(kind.idPattern)),
    status: extended(kind.status, commonStatus),
  };
}

/** A schema with further members, which keeps its marks. */
export function extended(schema: z.ZodObject, members: z.ZodRawShape): z.ZodObject {
  const marks = schema.meta();
  const whole = schema.safeExtend(members);
  return marks ? whole.meta(marks) : whole;
}
