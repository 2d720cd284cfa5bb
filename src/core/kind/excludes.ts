import type { Desired } from "./live.ts";

/**
 * Cloud objects of one list that cannot exist together, such as a CNAME and a second record with an equal name. The operator
 * compares rows and objects before a creation, and before a change of the natural key.
 */
export interface Excludes<S, R, W> {
  /** Reason for messages: a sentence without a period. */
  relation: string;
  /** Field of the spec with the shared value, such as `name`. */
  field: string;
  row: (wanted: Desired<S, R>) => (wire: W) => boolean;
  /** Returns the name of a row for messages. */
  named: (wire: W) => string;
  /** Returns a test of a custom resource without a cloud object. The test returns true if the specs exclude each other. */
  spec: (wanted: Desired<S, R>) => (other: S) => boolean;
}
