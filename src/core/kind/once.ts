/**
 * Shape `once`: an operation that runs one time and keeps its result. The operator never repeats the operation without a decision
 * of a user. Deleting the object reverts nothing.
 */
import type { z } from "zod";
import type { Call, EventsOf, Made } from "./call.ts";
import { onceSpec } from "./common-schema.ts";
import type { Example } from "./described.ts";
import { commonStatus, onceStatus } from "./status-schema.ts";
import type { Common, Kind, Owned } from "./owned.ts";
import { wideStatus } from "./wide-columns.ts";
import type { Live, OperatorSetting, Desired } from "./live.ts";
import { extended } from "./owned.ts";
import type { References } from "./reference.ts";
import { immutable } from "./schema.ts";

export interface Once<Spec extends z.ZodObject, Status extends z.ZodObject, Wire extends z.ZodObject, R>
  extends
    Omit<Common<Spec, Status, Wire, R>, "examples">,
    Pick<Owned<Spec, Status, Wire, R>, "details" | "createdField"> {
  /** Returns the ID of the target in the list of `listPath`. Omit for `shownAt`. */
  target?: (wanted: Desired<z.output<Spec>, NoInfer<R>>) => string;
  /** Path whose GET returns the only row, such as `/profile`. For a target without a list. */
  shownAt?: string;
  /** Setting of the operator that the operation requires. Without the setting, the operator sends nothing. */
  setting?: OperatorSetting;
  /**
   * Returns the only request of the operation. Returns undefined if the target already has the desired state; the operation is
   * then complete. Throws `Invalid` for a request that must not leave. Omit for an operation that only reads: `details` are the
   * result.
   */
  request?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Call | undefined;
  /**
   * Returns the created cloud object when the row or the details show the object. Without `made`, `evident` decides about an
   * accepted request.
   */
  made?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Made | undefined;
  /**
   * Returns the reason if the created cloud object disappeared later. The operator calls the function in every poll. The result
   * of the run becomes `Superseded`.
   */
  superseded?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => string | undefined;
  /** Fields of the request body with secret values. The operator never shows the values. */
  sensitive?: string[];
  /**
   * Returns true if the row shows the result of the request, and false if the result is missing. Returns undefined if no row can
   * show the result. The operation is then complete when the cloud API accepted the request and the row is ready.
   */
  evident?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => boolean | undefined;
  /** Examples for the reference and the contract tests. At least one. */
  examples: Example<z.input<Spec> & { notAfter?: string; ttlSecondsAfterFinished?: number }>[];
  /** Returns the events of the account that report the operation. `applied`: the values that the request recorded. */
  events?: (of: Pick<Live<z.output<Spec>, NoInfer<R>, never>, "spec" | "refs" | "applied">) => EventsOf;
}

/**
 * Declares a kind of this shape. Adds the common fields of spec, status and columns. Marks every field of the spec as immutable.
 */
export function defineOnce<
  Spec extends z.ZodObject,
  Status extends z.ZodObject,
  Wire extends z.ZodObject,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a kind without references has none
  R extends References<z.output<Spec>> = Record<never, never>,
>(definition: Once<Spec, Status, Wire, R>): Kind {
  const kind = definition as unknown as Kind;
  const hidden = definition.sensitive?.map((field) => [field, { desired: () => undefined, sensitive: true }] as const);
  return {
    ...kind,
    shape: "once",
    columns: [...kind.columns, { name: "Result", jsonPath: ".status.run.result" }],
    unique: "none",
    billable: true,
    fields: Object.fromEntries(hidden ?? []),
    spec: extended(kind.spec, { ...fixed(kind.spec), ...onceSpec() }),
    status: extended(kind.status, { ...commonStatus, ...onceStatus, ...wideStatus(kind.columns) }),
  };
}

/** Marks all fields as immutable, because a completed operation cannot change. */
function fixed(spec: z.ZodObject): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(spec.shape).map(([field, schema]) => [field, immutable(schema as z.ZodType)]),
  );
}
