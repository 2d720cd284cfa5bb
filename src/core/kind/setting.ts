/** The shape `setting`: what is always there. It is read, compared and set; deleting the object keeps it, or resets it. */
import type { z } from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, Request } from "./call.ts";
import { settingSpec } from "./common-schema.ts";
import { commonStatus } from "./status-schema.ts";
import type { Common, Kind, Owned } from "./owned.ts";
import type { Live, Wanted } from "./live.ts";
import { extended } from "./owned.ts";
import type { References } from "./reference.ts";

type OfOwned = "ofUser" | "fields" | "shares" | "steps" | "details" | "secret";

export interface Setting<Spec extends z.ZodObject, Status extends z.ZodObject, Wire extends z.ZodObject, R>
  extends Common<Spec, Status, Wire, R>, Pick<Owned<Spec, Status, Wire, R>, OfOwned> {
  /** What is set is in no list: the path whose GET answers the only row. */
  shownAt?: string;
  /** It claims only this part of the row, which another object may manage otherwise; the whole row if not given. */
  part?: string;
  /** The request that sets the fields which differ, or brings the row nearer to them; PUT if not given. */
  verbs?: { update?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>, body: JsonObject) => Request | Call };
  /** Where the row shows when it was created, so that an id that is used again is not taken for the one that was set. */
  createdField?: string;
  /**
   * The field of a row that names what carries it, such as the instance of an address. The record keeps its value: a deletion
   * resets nothing that another carrier has since, also if the referenced object is gone.
   */
  carrierField?: string;
  /** Another row that a change takes along: where an object manages that one, nothing is changed. */
  takes?: (spec: z.output<Spec>) => string | undefined;
  /**
   * Returns the id that the spec or a copied value names, if the setting is a row of a list. With a row: returns undefined if the row
   * is not, or not any longer, what the spec means.
   */
  which?: (wanted: Wanted<z.output<Spec>, NoInfer<R>>, row?: z.output<Wire>) => string | undefined;
  /** The request that resets the setting when the object is deleted; without it, it stays as it is. `path`: of the row; `shown`: by step, what it has set. */
  undo?: (set: { id: string; path: string; shown: Record<string, Json> }) => Request;
}

/** Declares a kind of this shape. Adds what every such kind has in spec and status. */
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
    status: extended(kind.status, commonStatus),
  };
}
