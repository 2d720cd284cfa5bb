/**
 * Shape `setting`: a permanent resource, such as a profile. The operator reads, compares and sets the values. When the user
 * deletes the object, the operator keeps or resets the setting.
 */
import type { z } from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Call, Request, Undoing } from "./call.ts";
import { settingSpec } from "./common-schema.ts";
import { commonStatus } from "./status-schema.ts";
import type { Common, Kind, Owned } from "./owned.ts";
import { wideStatus } from "./wide-columns.ts";
import type { Live, Desired } from "./live.ts";
import { extended } from "./owned.ts";
import type { References } from "./reference.ts";

type OfOwned = "additions" | "ofUser" | "fields" | "shares" | "steps" | "details" | "secret";

export interface Setting<Spec extends z.ZodObject, Status extends z.ZodObject, Wire extends z.ZodObject, R>
  extends Common<Spec, Status, Wire, R>, Pick<Owned<Spec, Status, Wire, R>, OfOwned> {
  /** Path whose GET returns the only row, such as `/profile`. For a resource without a list. */
  shownAt?: string;
  /**
   * Part of the row that the object claims, such as `rdns`. A second object can manage a different part. Defaults to the whole
   * row.
   */
  part?: string;
  /**
   * Returns the request for the fields with differences. Defaults to PUT on the item. If the change needs several
   * requests, returns the next request.
   */
  verbs?: { update?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>, body: JsonObject) => Request | Call };
  /** Field of the row with the creation time. A different time means that the cloud reused the ID. */
  createdField?: string;
  /**
   * Field of the row with the carrier of the resource, such as the instance of an address. The operator records the value. A
   * deletion resets the setting only if the carrier did not change.
   */
  carrierField?: string;
  /**
   * Returns the ID of a second row that the update also changes. If an object manages the second row, the operator sends no
   * request.
   */
  takes?: (spec: z.output<Spec>) => string | undefined;
  /**
   * Returns the ID from the spec or from a copied value, for a row of a list. With `row`: returns undefined if the row does not
   * match the spec, for example after an address moved to a different instance.
   */
  which?: (wanted: Desired<z.output<Spec>, NoInfer<R>>, row?: z.output<Wire>) => string | undefined;
  /**
   * Returns the request that resets the setting when the user deletes the object. Without `undo`, the setting stays. `path`: path
   * of the row. `shown`: the values that the steps set, by step. `applied`: the recorded additions.
   */
  undo?: (set: Undoing<z.output<Spec>>) => Request;
}

/** Declares a kind of this shape. Adds the common fields of spec and status. */
export function defineSetting<
  Spec extends z.ZodObject,
  Status extends z.ZodObject,
  Wire extends z.ZodObject,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a kind without references has none
  R extends References<z.output<Spec>> = Record<never, never>,
>(definition: Setting<Spec, Status, Wire, R>): Kind {
  const kind = definition as unknown as Kind;
  return {
    ...kind,
    shape: "setting",
    unique: "none",
    spec: extended(kind.spec, settingSpec()),
    status: extended(kind.status, { ...commonStatus, ...wideStatus(kind.columns) }),
  };
}
