import type { Control } from "../control/control.ts";
import { ApiError } from "../errors.ts";
import { faultSchema } from "../faults/faults.ts";
import type { Fault } from "../faults/faults.ts";
import { checked } from "../wire.ts";
import { changeRow } from "./change.ts";
import { KINDS } from "./sections.ts";

/** Runs the action of a form. Returns the sentence to show on the page. Throws an Error with the reason. */
export function act(control: Control, action: string, form: URLSearchParams): string {
  const known = ACTIONS[action];
  if (known === undefined) throw new ApiError(404, [{ reason: `There is no action ${action}` }]);
  return known(control, form);
}

const ACTIONS: Readonly<Record<string, (control: Control, form: URLSearchParams) => string>> = {
  clock(control, form) {
    const minutes = amount(form, "minutes") ?? 0;
    const scale = amount(form, "scale") ?? control.clock.scale();
    if (scale <= 0) throw new ApiError(400, [{ field: "scale", reason: "Must be above zero" }]);
    control.clock.setScale(scale);
    if (minutes > 0) control.clock.advance(minutes * 60_000);
    return `Moved the clock forward by ${minutes} minutes; the time scale is ${scale}.`;
  },
  limits(control, form) {
    const enabled = form.get("enabled") === "on";
    control.rateLimits.set({ enabled, scale: amount(form, "scale") ?? 1 });
    return enabled ? "The rate limits apply." : "The rate limits do not apply.";
  },
  fault(control, form) {
    const id = control.faults.add(faultOf(form));
    return `Added fault ${id}.`;
  },
  unfault(control, form) {
    const id = Number(form.get("id"));
    return control.faults.remove(id) ? `Removed fault ${id}.` : `There is no fault ${id}.`;
  },
  change: changeRow,
  remove(control, form) {
    const [table, id] = [form.get("table") ?? "", form.get("id") ?? ""];
    if (!(table in KINDS)) throw new ApiError(400, [{ field: "table", reason: `There is no kind ${table}` }]);
    if (!control.remove(table, id)) throw new ApiError(404, [{ reason: `There is no ${table} ${id}` }]);
    return `Deleted ${table} ${id}, without a request.`;
  },
  reset(control, form) {
    if (form.get("sure") !== "yes") throw new ApiError(400, [{ field: "sure", reason: "Select the check box first" }]);
    control.reset();
    return "The simulator has its initial state again.";
  },
};

/** Returns the fault of the form, with only the fields of the fault's kind. */
function faultOf(form: URLSearchParams): Fault {
  const seconds = amount(form, "seconds") ?? 0;
  const fields: Record<string, unknown> = {
    kind: form.get("kind"),
    operation: form.get("operation") || undefined,
    times: amount(form, "times"),
  };
  const own: Readonly<Record<string, Record<string, unknown>>> = {
    status: { status: amount(form, "status") },
    delay: { ms: seconds * 1000 },
    "slow-answer": { ms: seconds * 1000 },
    "late-apply": { ms: seconds * 1000 },
    absent: { seconds },
    shift: { by: 1 },
    "rate-limit": { retryAfter: seconds === 0 ? undefined : seconds },
    maintenance: { retryAfter: seconds === 0 ? undefined : seconds },
  };
  const wanted = Object.entries({ ...fields, ...own[String(fields["kind"])] }).filter(
    ([, value]) => value !== undefined,
  );
  return checked(faultSchema, Object.fromEntries(wanted));
}

function amount(form: URLSearchParams, name: string): number | undefined {
  const raw = form.get(name) ?? "";
  if (raw === "") return undefined;
  const value = Number(raw);
  if (!(value >= 0 && value <= 1e9))
    throw new ApiError(400, [{ field: name, reason: "Must be a number of zero or more" }]);
  return value;
}
