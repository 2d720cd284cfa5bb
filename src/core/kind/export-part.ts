/** The part of a kind that an export needs beside the fields and the steps. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Detail } from "./call.ts";
import type { Live } from "./live.ts";

/** Returns the exported cloud object of a kind with this key. `keysOf` must be one value for all calls, because it has an index. */
export type FindExported = (
  kind: string,
  keysOf: (row: JsonObject, id: string) => string[],
  key: string,
) => { id: string; name: string } | undefined;

/** Facts of an export about a cloud object. */
export type Exporting<S, R, W> = Live<S, R, W> & {
  /** The values of the fields and the steps, in the form of the spec. References have IDs. */
  told: JsonObject;
  /** Responses of `reads`. Undefined after a failed read. */
  answers: Record<string, Json | undefined>;
  find: FindExported;
};

/**
 * How an export writes a cloud object. A text gives the reason why the export skips the kind. It must fit after a sentence that
 * starts with the kind.
 */
export type ExportPart<S, R, W> =
  | string
  | {
      /**
       * Reason why an export always sets the policy Observe: with the policy Manage, the operator would change the adopted
       * cloud object. Continues a sentence about the kind.
       */
      observeOnly?: string;
      /** Returns reads of the account. All objects share the responses. */
      reads?: () => Record<string, Detail>;
      /**
       * Returns values that replace or complete `told`. Returns undefined if the row holds nothing for the kind. A value of null
       * removes the field.
       */
      spec: (of: Exporting<S, R, W>) => JsonObject | undefined;
    };
