/** Requests and reads of a kind, as data. A kind returns calls, and the core sends them. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Difference } from "./differences.ts";
import type { Reason } from "./reasons.ts";

/** A request that changes the cloud, as data. */
export interface Request {
  method: "POST" | "PUT" | "DELETE";
  path: string;
  body?: JsonObject;
  beta?: boolean;
  /**
   * Values for `done` of a live object, such as the ID of a revoked app. The operator stores the values when the request
   * succeeds.
   */
  keeps?: JsonObject;
}

/** Content that the operator sends to a signed URL of the API. */
export interface Delivery {
  method: "PUT" | "DELETE";
  content?: Uint8Array;
  contentType?: string;
}

/** A request with its description for users, and with rules for its execution. */
export interface Call extends Request {
  /** Name of the action in UpperCamelCase, such as `Resize`. The event uses the name as action and reason. */
  action: string;
  /** Description of the effect for users. Never contains a secret. Messages show `changes` instead, if the call has any. */
  note: string;
  /**
   * The values that the call changes, in the form of the spec. Defaults to the differences that `describe` of the step finds. Declare
   * if a step has several calls.
   */
  changes?: Difference[];
  /** The call stops a running instance. */
  stops?: boolean;
  /**
   * Entry that a list of the spec lacks, such as `Resize` in `allowDisruption`. The operator does not send the call. A plan shows the
   * call and the missing entry.
   */
  lacks?: { list: string; entry: string; instead: string };
  /** A repetition would destroy data or have a second effect. If the result is unknown, only a user can permit a retry. */
  destructive?: boolean;
  /**
   * Values that the call applies, such as `{ size: "200" }`. The record contains the values once the cloud
   * API accepts the call. For a kind that runs once, the operator records them before the request.
   */
  applies?: Record<string, string>;
  /**
   * Like `applies`, but recorded before the request. Use for additions to foreign cloud objects: after a lost response, the
   * operator still owns the addition.
   */
  claims?: Record<string, string>;
  /**
   * Subject of a destructive call whose result no row shows, such as the phone number of an SMS. The operator never sends the
   * action twice for one subject. The kind reads the result in `operations`.
   */
  about?: string;
  /**
   * Field of the spec that names a second cloud object in the path, such as `backupRef`. After a 404, the message blames the
   * field.
   */
  pathFrom?: string;
  /**
   * Fact that permits the call, such as a running instance before a restart. The operator reads the path right before the call,
   * and compares the values in `shows`. After a different value, the operator reconciles again. After a 404, the operator skips
   * the call.
   */
  expects?: { path: string; shows: JsonObject };
  /** The spec does not request the call. The operator reports the call as drift, and does not send the call. */
  unasked?: boolean;
  /** ID of the cloud object that only one object can hold, if the call takes it. Example: an instance has one firewall. See `exclusive` of a step. */
  takes?: string;
  /** ID of such a cloud object, if the call releases it. */
  gives?: string;
}

/**
 * A read beside the row. The operator caches the response until the next change. `paged`: the operator reads all pages, and
 * returns an array. `needs`: members that the response must have; without them, the read fails. `optional`: a 404 is a valid
 * response.
 */
export interface Detail {
  path: string;
  paged?: boolean;
  needs?: readonly string[];
  optional?: boolean;
}

/**
 * Readiness of a cloud object. `busy`: the API refuses changes in the current state. `afterMs`: time until the next reconcile.
 */
export type Readiness =
  | { ready: true }
  | { ready: false; reason: Reason; message: string; busy?: boolean; afterMs?: number };

/** Functions that `release` can use: a read, and a change. */
export interface ReleaseTools {
  get: (path: string) => Promise<Json | undefined>;
  send: (call: Call) => Promise<Json>;
}

/** Parameters of a reset of a setting. */
export interface Undoing<S = Record<string, unknown>> {
  id: string;
  /** Path of the row. */
  path: string;
  /** The values that the steps set, by step. */
  shown: Record<string, Json>;
  spec: S;
  /** The recorded additions. */
  applied: Record<string, string> | undefined;
}

/** Cloud object that an operation created. `failed`: the reason, if the operation failed. */
export interface Made {
  id: string;
  failed?: string;
}

/**
 * A read of a survey. Without `single`, the operator reads all pages of the list, and returns an array. With `single`, the
 * operator returns the response of one GET.
 */
export interface SurveyRead {
  path: string;
  beta?: boolean;
  single?: boolean;
}

/** Results of all reads of a survey, with facts about the cluster. */
export interface Surveyed {
  /** Responses by the name of the read. Undefined if the token lacks the permission. */
  answers: Record<string, Json | undefined>;
  /** Returns true if an object of the cluster manages the cloud object with the ID. */
  isManaged: (collection: string, id: string) => boolean;
  /** Tag of the installation. Undefined if the installation sets no tags. */
  ownTag: string | undefined;
}

/**
 * Events of the account that report an operation. `names`: the actions of the events, such as `compute_snapshot`. `about`: the ID
 * of the cloud object in the events. Defaults to the target of the operation.
 */
export interface EventsOf {
  names: string[];
  about?: string | undefined;
}
