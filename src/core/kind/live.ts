/** Parameters of the functions of a kind, and the entries of `fields` and `steps`. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Identity } from "./account-spec.ts";
import type { Call, Detail } from "./call.ts";
import type { Concern } from "./concern.ts";
import type { Reach } from "./reach.ts";
import type { Operation, Run } from "./status-schema.ts";
import type { ResolvedReferences } from "./reference.ts";

/** Desired state of an object. Contains no data of its cloud object. */
export interface Desired<S, R> {
  name: string;
  namespace: string;
  spec: S;
  /** Found references, by the names in `references`. */
  refs: ResolvedReferences<R>;
  /** Values of the fields with `kept` in the cloud object. Undefined before the creation. */
  kept?: JsonObject;
}

/** Object that manages a cloud object. */
export interface Manager {
  name: string;
  /** True if the object is in the same namespace. */
  isNear: boolean;
  spec: Record<string, unknown>;
}

/** Desired and observed state of an object. */
export interface Live<S, R, W> extends Desired<S, R> {
  /** ID of the cloud object. */
  id: string;
  /** Row of the cloud object. */
  wire: W;
  /** Path of the list. Known also after the deletion of a referenced object. */
  list: string;
  /**
   * Last applied values of disruptive fields. Undefined for an adopted cloud object, and before the first successful reconcile.
   */
  applied: Record<string, string> | undefined;
  /** True if the operator adopted the cloud object. The operator generates no Secret for an adopted cloud object. */
  adopted?: boolean;
  /** Responses of the reads in `details`, by name. Always present for a kind that runs once. */
  details?: Record<string, Json | undefined>;
  /** The run of a kind that runs once. Undefined before the start. */
  run?: Run;
  /** Last disruptive operation of every action. */
  operations: Operation[];
  /**
   * Returns all lists of scopes that responses of the cloud API showed. `*` includes all scopes. The function returns all lists,
   * because a single list can be wrong.
   */
  scopesHeard: () => string[][];
  /** Returns the time of the cloud API. */
  now: () => Date;
  /** Returns the current status fields of the kind. */
  reported: () => JsonObject;
  /** Values of `records` at the end of the last reconcile. */
  notes: Record<string, string>;
  /** Values of `keeps` from the successful calls of the process, the oldest first. */
  done: JsonObject[];
  /** Identity of the account, as recorded in the CloudAccount. */
  account: Identity;
  /** Returns the object that manages the cloud object with the ID. Undefined if the cloud object has no such object. */
  managerOf: (collection: string, id: string) => Manager | undefined;
  /** Expiry of the issued value in the Secret, in RFC 3339. Undefined for a value that does not expire. */
  expiresAt?: string;
  /**
   * Returns a keyed digest of a secret value. The status can contain the digest: a digest shows a change, and does not reveal the
   * value.
   */
  digest: (value: string) => string;
}

/** Setting of the operator that permits dangerous operations. A spec alone cannot permit them. */
export type OperatorSetting = "allowAccountActions";

/** A spec with the known references. */
export interface Given {
  spec: Record<string, unknown>;
  refs: Record<string, unknown>;
}

/**
 * Field of the spec behind a field of the request body, such as `source.backup`. With a list, the operator uses the first path
 * with a value in the spec. A function returns the path. `rest`: the words after the field, such as `[1]`. The function returns
 * undefined if the spec has no such field.
 */
export type SpecFieldOf = string | string[] | ((given: Given, rest: string[]) => string | undefined);

/**
 * A field of the request body. `desired` returns the desired value, and `observed` returns the observed value. Example:
 * `label: { desired: ({ spec, name }) => spec.label ?? name, observed: (wire) => wire.label, key: true }`.
 */
export interface Field<S, R, W> {
  /**
   * Returns the desired value in the normal form of the API. Returns undefined for an absent field. The operator then does not
   * manage the value.
   */
  desired: (wanted: Desired<S, R>) => Json | undefined;
  /**
   * Returns the observed value in the form of `desired`. Omit for a value that no row shows. `wanted`: the desired value, for a
   * value with several valid spellings.
   */
  observed?: (wire: W, wanted?: Json) => Json | undefined;
  /** Returns the value for an export, in the form of `desired`. Only for a value that a row shows and `observed` does not. */
  exported?: (wire: W) => Json | undefined;
  /**
   * Field of the spec, such as `source.backup`. Required only for a different name. With a list, the operator uses the first path
   * with a value in the spec.
   */
  specField?: string | string[];
  /** Returns the value in the form of the spec. Required only for a different form, such as `enabled` for a boolean. */
  describe?: (value: Json | undefined) => Json | undefined;
  /**
   * Returns the list entries that the operator derives from references, such as addresses. The record contains these entries. The
   * operator removes them when the references end. Without the field in the spec, the list is not managed.
   */
  adds?: (wanted: Desired<S, R>) => string[];
  /**
   * Returns true for a spec with references and without a list of values. The operator then keeps the entries of the cloud that it
   * did not add.
   */
  keepsOthers?: (wanted: Desired<S, R>) => boolean;
  /** The field identifies the cloud object. An existing cloud object with equal values is a conflict. */
  key?: boolean;
  /**
   * Returns the normal form of a text. The search for the result of a create request compares normal forms; see normal.ts.
   * Defaults to `folded`.
   */
  normal?: (text: string, wanted?: Desired<S, R>) => string;
  /**
   * The service compares the value without regard to case. A create request returns an existing cloud object with a different
   * case.
   */
  caseless?: boolean;
  /**
   * The cloud cannot change the value. The operator reports a difference. The search after a lost response compares the value.
   */
  fixed?: boolean;
  /** Restricts the field to the create request or to updates. Defaults to both. */
  on?: "create" | "update";
  /** The operator never shows the value. */
  sensitive?: boolean;
  /** What a change of the value concerns; see concern.ts. Defaults to `data`. */
  concerns?: Concern;
  /**
   * A change stops the cloud object or destroys data. The operator sends the change only if the spec differs from the last
   * applied value.
   */
  disrupts?: boolean;
  /** A change creates a new cloud object. The operator deletes the old cloud object after the Secret contains the new values. */
  replaces?: boolean;
  /**
   * The field grants access. If the spec omits the field, a replacement gets the value of the replaced cloud object: `kept` of the
   * desired state. Without the mark, a replacement could have more access than the replaced cloud object.
   */
  kept?: boolean;
  /**
   * With `replaces`: returns how long the old cloud object stays after the Secret contains the new values, seconds. Defaults to
   * 0.
   */
  graceSeconds?: (spec: S) => number;
}

/**
 * A part of the cloud object with its own endpoint, such as the devices of a firewall. The operator compares and sets the part.
 */
export interface Step<S, R, W> {
  /** Reach of the calls in the account; see reach.ts. */
  reach: Reach;
  /** What the calls concern; see concern.ts. */
  concerns: Concern;
  /** Kind whose objects show the same values. An export leaves the values to the kind. */
  shownBy?: string;
  /** Fields of the spec that the step compares. */
  specFields: Extract<keyof S, string>[];
  /**
   * Fields of the create request with the same effect. Right after the creation, a read can show old values. The operator then
   * waits, and does not send the calls.
   */
  creation?: string[];
  /**
   * Returns the read of the observed value. Omit if the row shows the value. Returns undefined if the spec does not manage the
   * part.
   */
  read?: (live: Live<S, R, W>) => Detail | undefined;
  /**
   * The read shows facts about access or money. The operator compares the facts in every poll (`polled`), not only in the resync.
   * `told`: events of the account report every change, so the poll is necessary only if the token cannot read events.
   */
  guards?: "polled" | "told";
  /** Returns the read for the policy Observe, independent of the spec. Defaults to `read`. */
  observes?: (live: Live<S, R, W>) => Detail;
  /**
   * Returns the observed and the desired value in the form of the spec. Both must have one normal form. `spec` defaults to the
   * spec of the object.
   */
  describe?: (live: Live<S, R, W>, current: Json | undefined) => { cloud: JsonObject; spec?: JsonObject };
  /**
   * Returns the new record of `additions` from the observed value. Omit additions that the cloud does not show. See `additions`
   * of a kind.
   */
  noted?: (live: Live<S, R, W>, current: Json | undefined) => Record<string, string>;
  /**
   * Only one cloud object of the kind can have a referenced cloud object, such as the firewall of an instance. `reference`: name
   * of the reference. `holds`: returns the IDs that the cloud object has. The calls of the step set `takes` or `gives`.
   */
  exclusive?: { reference: string; holds: (current: Json | undefined) => string[] };
  /**
   * Returns the calls that change the observed value to the desired value, in order. Returns an empty list without a difference.
   */
  calls: (live: Live<S, R, W>, current: Json | undefined) => Call[];
  /** The operator sends only the first call, and decides again when the row shows the result. A plan contains all calls. */
  oneAtATime?: boolean;
  /** Returns the observed value of the fields that the step sets, in normal form. Only for a setting with `undo`. */
  observed?: (current: Json | undefined) => Json;
}

/** A value of the Secret that the cloud API issues on request and that expires, such as a signed URL. */
export interface Issued<S, R, W> {
  /** Keys of the issued values in the Secret. */
  keys: string[];
  /** Returns the request for the values. */
  request: (live: Live<S, R, W>) => Call;
  /** Returns the values in the response, by key. */
  values: (answer: Json) => Record<string, string>;
  /** Returns the lifetime of the values in milliseconds. */
  lifeMs: (live: Live<S, R, W>) => number;
}

/** A Secret with connection data that the operator publishes for the user. */
export interface PublishedSecret<S, R, W> {
  /** Returns the name of the Secret. */
  name: (wanted: Desired<S, R>) => string;
  /** Returns true if the operator must publish the Secret. Without `wire`, decides before the creation. Defaults to true. */
  when?: (of: { spec: S; wire?: W }) => boolean;
  /**
   * Values that only the response to the create request contains: key of the Secret → field of the response. If the Secret loses
   * a value, the operator replaces the cloud object.
   */
  ofCreation?: Record<string, string>;
  /** Values from a request that changes nothing in the cloud. The operator repeats the request before the values expire. */
  issued?: Issued<S, R, W>;
  /** Returns the reads for `data`, by name. */
  reads?: (live: Live<S, R, W>) => Record<string, Detail>;
  /** Returns the content of the Secret without the values of `ofCreation` and `issued`. `answers`: the responses of `reads`. */
  data: (live: Live<S, R, W>, answers: Record<string, JsonObject>) => Record<string, string>;
}
