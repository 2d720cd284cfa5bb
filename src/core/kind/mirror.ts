/** Shape `mirror`: objects that the operator writes, for every row of a catalog in the cloud. */
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Described } from "./described.ts";
import { fitted } from "./fitting.ts";
import { slugOf } from "./mirror-names.ts";
import { commonStatus } from "./status-schema.ts";
import { wideStatus, wideTexts } from "./wide-columns.ts";

type Names = Pick<Described, "kind" | "plural" | "shortNames" | "doc" | "columns">;

/** Declares a catalog. The name of an object is a slug of the row's ID. `status.id` is the ID. */
export interface MirrorDefinition<Status extends z.ZodObject, Wire extends z.ZodObject> extends Names {
  /** Path of the list. The operator reads the list at the endpoint `default`, without a token. See `unrestricted`. */
  path: string;
  /** The list needs a token of an unrestricted user. The operator uses the oldest connected CloudAccount with such a user. */
  unrestricted?: boolean;
  /**
   * Path of a second list with more data about the rows. `of`: the field with the ID of the row. A cloud API without the list is
   * valid.
   */
  beside?: { path: string; of: string };
  /** Schema with exactly the fields of a row that `report` reads. */
  wire: Wire & z.ZodObject<{ id: z.ZodString }>;
  status: Status;
  /**
   * Returns the status of a row. `beside`: the rows of the second list. Sort sets, because a new order would change the status.
   */
  report: (wire: z.output<Wire>, beside: JsonObject[]) => z.input<Status>;
  /** Row of the list. The reference shows the resulting object. */
  example: z.input<Wire>;
  /** Rows of the second list for `example`. */
  besideExample?: JsonObject[];
}

type MirrorRead = Pick<MirrorDefinition<z.ZodObject, z.ZodObject>, "path" | "unrestricted" | "beside">;

/** A mirror for the core, without the types of the kind. */
export interface Mirror extends Described, MirrorRead {
  shape: "mirror";
  /** Returns the status of a row, within the limits of the schema. Throws for an unreadable row. */
  reportOf: (row: JsonObject, beside: JsonObject[]) => JsonObject;
}

/** Label of the operator's objects. The operator does not change an object without the label. */
export const mirrorLabel = { "app.kubernetes.io/managed-by": "cloud-platform-operator" };

/** Declares a kind of this shape. The kind is cluster-scoped and has no spec. Only the operator can write the objects. */
export function defineMirror<Status extends z.ZodObject, Wire extends z.ZodObject>(
  definition: MirrorDefinition<Status, Wire>,
): Mirror {
  const { wire, report, example, besideExample = [], ...rest } = definition;
  const { id, observedGeneration, conditions } = commonStatus;
  const { columns } = definition;
  const status = definition.status.extend({ id, observedGeneration, conditions, ...wideStatus(columns) });
  const reportOf = (row: JsonObject, beside: JsonObject[]): JsonObject => {
    const reported = fitted(status, report(wire.parse(row), beside) as JsonObject);
    const texts = wideTexts(columns, { status: reported });
    return texts ? { ...reported, wide: texts } : reported;
  };
  const shownId = String(example["id"]);
  const shown = {
    name: slugOf(shownId),
    labels: mirrorLabel,
    status: { id: shownId, ...reportOf(example as JsonObject, besideExample) },
  };
  return { ...rest, shape: "mirror", scope: "Cluster", spec: z.object({}), status, reportOf, examples: [], shown };
}
