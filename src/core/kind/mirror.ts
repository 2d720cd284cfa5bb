/** The shape `mirror`: objects that the operator itself writes, one for each row that a catalog of the cloud lists. */
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Described } from "./described.ts";
import { fitted } from "./fitting.ts";
import { slugOf } from "./mirror-names.ts";
import { commonStatus } from "./status-schema.ts";

type Names = Pick<Described, "kind" | "plural" | "shortNames" | "doc" | "columns">;

/** What a mirror says. The object is named by a slug of the row's id; `status.id` is the id itself. */
export interface MirrorDefinition<Status extends z.ZodObject, Wire extends z.ZodObject> extends Names {
  /** Path of the list, at the endpoint `default`. It is read without a token, unless `unrestricted` says otherwise. */
  path: string;
  /** The list needs a token, of a user who is not restricted: that of the oldest such CloudAccount that is connected. */
  unrestricted?: boolean;
  /** A second list that tells more of the rows: `of` is the field that names the row by its id. A cloud API may lack it. */
  beside?: { path: string; of: string };
  /** Exactly what is read of a row. */
  wire: Wire & z.ZodObject<{ id: z.ZodString }>;
  status: Status;
  /** What a row says, in one order: what only its order tells apart is no change. */
  report: (wire: z.output<Wire>, beside: JsonObject[]) => z.input<Status>;
  /** A row as the cloud lists it; the reference shows what becomes of it. */
  example: z.input<Wire>;
  /** …and its rows of the second list. */
  besideExample?: JsonObject[];
}

type Read = Pick<MirrorDefinition<z.ZodObject, z.ZodObject>, "path" | "unrestricted" | "beside">;

/** A mirror as the core sees it, its own types forgotten. */
export interface Mirror extends Described, Read {
  shape: "mirror";
  /** Status of a row, within the bounds of its schema. Throws for a row that cannot be read. */
  reportOf: (row: JsonObject, beside: JsonObject[]) => JsonObject;
}

/** The label of the objects that are ours: others of the same name are not changed. */
export const mirrorLabel = { "app.kubernetes.io/managed-by": "cloud-platform-operator" };

/** Declares a kind of this shape. It is cluster-scoped, has no spec, and only the operator may write it. */
export function defineMirror<Status extends z.ZodObject, Wire extends z.ZodObject>(
  definition: MirrorDefinition<Status, Wire>,
): Mirror {
  const { wire, report, example, besideExample = [], ...rest } = definition;
  const { id, observedGeneration, conditions } = commonStatus;
  const status = definition.status.extend({ id, observedGeneration, conditions });
  const reportOf = (row: JsonObject, beside: JsonObject[]): JsonObject =>
    fitted(status, report(wire.parse(row), beside) as JsonObject);
  const shownId = String(example["id"]);
  const shown = {
    name: slugOf(shownId),
    labels: mirrorLabel,
    status: { id: shownId, ...reportOf(example as JsonObject, besideExample) },
  };
  return { ...rest, shape: "mirror", scope: "Cluster", spec: z.object({}), status, reportOf, examples: [], shown };
}
