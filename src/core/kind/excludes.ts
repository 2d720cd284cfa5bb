import type { Wanted } from "./live.ts";

/**
 * Cloud objects of one list that exclude each other, such as a CNAME and a second record of the same name. The operator checks
 * rows and objects before it creates a cloud object, and before it changes the natural key.
 */
export interface Excludes<S, R, W> {
  /** The reason, for messages: a sentence without a period. */
  says: string;
  /** The field of the spec that both have in common. */
  field: string;
  row: (wanted: Wanted<S, R>) => (wire: W) => boolean;
  /** Returns the name of a row for messages. */
  named: (wire: W) => string;
  /** For an object whose cloud object does not exist yet. */
  spec: (wanted: Wanted<S, R>) => (other: S) => boolean;
}
