/** The shape `once`: it runs one time and keeps its result. It is never repeated by itself, and deleting the object undoes nothing. */
import type { z } from "zod";
import type { Call, EventsOf, Made } from "./call.ts";
import { onceSpec } from "./common-schema.ts";
import type { Example } from "./described.ts";
import { commonStatus, onceStatus } from "./status-schema.ts";
import type { Common, Kind, Owned } from "./owned.ts";
import type { Live, OperatorSetting, Wanted } from "./live.ts";
import { extended } from "./owned.ts";
import type { References } from "./reference.ts";
import { immutable } from "./schema.ts";

export interface Once<Spec extends z.ZodObject, Status extends z.ZodObject, Wire extends z.ZodObject, R>
  extends
    Omit<Common<Spec, Status, Wire, R>, "examples">,
    Pick<Owned<Spec, Status, Wire, R>, "details" | "createdField"> {
  /** The id of the row that is acted on, in the list `at`; without it, the only row that `shownAt` shows. */
  target?: (wanted: Wanted<z.output<Spec>, NoInfer<R>>) => string;
  /** What is acted on is in no list: the path whose GET answers the only row. */
  shownAt?: string;
  /** Nothing is sent unless the operator was started with this setting. */
  setting?: OperatorSetting;
  /**
   * The one request; undefined where nothing is to be done, and the run is complete. Throws `Invalid` for what cannot be
   * asked for. Without it nothing is sent: the result is what `details` read.
   */
  request?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Call | undefined;
  /** What it has made, once row or details show that. Without it, an accepted request is complete when `evident` says so. */
  made?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => Made | undefined;
  /** Asked again and again once it is complete: why what it has made is not there any more. It ends as `Superseded`. */
  superseded?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => string | undefined;
  /** Fields of the request's body whose values are shown to nobody. */
  sensitive?: string[];
  /**
   * Whether the row shows that it was carried out; undefined where no row can tell, and an accepted request is complete as
   * soon as the row is ready.
   */
  evident?: (live: Live<z.output<Spec>, NoInfer<R>, z.output<Wire>>) => boolean | undefined;
  examples: Example<z.input<Spec> & { notAfter?: string; ttlSecondsAfterFinished?: number }>[];
  /** The events that tell of it. `applied`: what the request recorded, where it was sent. */
  events?: (of: Pick<Live<z.output<Spec>, NoInfer<R>, never>, "spec" | "refs" | "applied">) => EventsOf;
}

/** Declares a kind of this shape. Adds what every such kind has in spec, status and columns, and marks each field of the spec as immutable. */
export function defineOnce<
  Spec extends z.ZodObject,
  Status extends z.ZodObject,
  Wire extends z.ZodObject,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a kind without references has none
  R extends References<z.output<Spec>> = Record<never, never>,
>(definition: Once<Spec, Status, Wire, R>): Kind {
  const kind = definition as unknown as Kind;
  const hidden = definition.sensitive?.map((field) => [field, { want: () => undefined, sensitive: true }] as const);
  return {
    ...kind,
    shape: "once",
    columns: [...kind.columns, { name: "Result", jsonPath: ".status.run.result" }],
    unique: "none",
    billable: true,
    fields: Object.fromEntries(hidden ?? []),
    spec: extended(kind.spec, { ...fixed(kind.spec), ...onceSpec() }),
    status: extended(kind.status, { ...commonStatus, ...onceStatus }),
  };
}

/** What has run once is not asked for otherwise afterwards. */
function fixed(spec: z.ZodObject): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(spec.shape).map(([field, schema]) => [field, immutable(schema as z.ZodType)]),
  );
}
