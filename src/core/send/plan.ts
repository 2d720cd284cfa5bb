/** Plans: the requests that wait for an approval, as facts for the status, and as text for the condition. */
import { approveAnnotation, approvedAnnotation } from "../kind/annotations.ts";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../kind/call.ts";
import { effectOf } from "../kind/changes.ts";
import { listOf } from "../kind/differences.ts";
import { dollars } from "../kind/monthly.ts";
import type { PricedValues } from "../kind/monthly.ts";
import { specField } from "../kind/spec-path.ts";
import type { Plan, PlannedOperation } from "../kind/status-schema.ts";
import type { Connected, Context, Located } from "../model/context.ts";
import { annotate } from "../model/uncertain.ts";
import { priceRows } from "../read/monthly.ts";

/** An object with or without its cloud object. */
export type Planned = Located & { id?: string; row?: JsonObject };

/** Reasons for which requests wait for an approval. */
export type Asks = "WaitingForApproval" | "AdoptionDiffers";

/** Longest list that the schema of the status permits. */
const mostOperations = 32;
const longestBody = 2_048;

/** Returns the plan for the status. `hash`: names the plan in the annotation that approves it. */
export async function planOf(ctx: Planned, calls: Call[], hash: string): Promise<Plan> {
  const operations = calls.slice(0, mostOperations).map((call) => plannedOperation(ctx, call));
  const sent = effective(calls);
  const stops = ctx.kind.canStop ? { stops: sent.some((call) => call.stops === true) } : {};
  return { hash, operations, total: calls.length, ...stops, ...(await monthlyOf(ctx, sent)) };
}

/** Returns the effects of a plan as text: old and new values, whether an instance stops, and the price. */
export function effectsOf({ operations, total, stops, monthly }: Plan): string {
  const effects = operations.map(({ note, refused }) =>
    refused === undefined ? note : `${note}, which the operator does not send: ${refused}`,
  );
  return [
    listOf(effects, { between: "; ", total }),
    ...(stops === undefined ? [] : [stops ? "The instance stops" : "The instance does not stop"]),
    ...(monthly ? [`Price per month: ${monthly.before ?? "unknown"} → ${monthly.after ?? "unknown"}`] : []),
  ].join(". ");
}

/** Returns the text about a plan: the effects, and the command of the approval. */
export function describePlan(ctx: Context, plan: Plan, reason: Asks): string {
  const { object } = ctx;
  const { hash, operations } = plan;
  const isAllRefused = operations.every(({ refused }) => refused !== undefined);
  return [
    ...(reason === "AdoptionDiffers" ? ["The adopted cloud object differs from the spec"] : []),
    effectsOf(plan),
    "The operator waits for your approval",
    ...otherApproval(ctx, hash),
    ...(reason === "AdoptionDiffers" ? ["To keep the cloud object as it is, change the spec"] : []),
    ...(isAllRefused ? [] : [`To let this plan run once: ${annotate(object, `${approveAnnotation}=${hash}`)}`]),
  ].join(". ");
}

/** Returns a sentence about an approval of another plan than the present one. */
function otherApproval({ object, remembered: { overtaken, plans = [] } }: Context, hash: string): string[] {
  const { generation, annotations = {} } = object.metadata;
  const given = annotations[approveAnnotation];
  if (given === undefined || given === hash) return [];
  const earlier = plans.find((one) => one.hash === given);
  const because = `because the ${earlier?.generation === generation ? "cloud object" : "spec"} changed`;
  if (overtaken === given)
    return [
      `The approved plan ${given} no longer fits, ${because} after the approval. The operator does not send the rest of it`,
    ];
  if (annotations[approvedAnnotation] === given) return [];
  const named = `The annotation approves ${given.slice(0, 64)}`;
  return [earlier ? `${named}, an earlier plan that no longer fits, ${because}` : `${named}, which is another plan`];
}

/** Returns the reason why the operator never sends the call. */
export function neverSentBecause({ lacks }: Call): string | undefined {
  if (!lacks) return undefined;
  return `spec.${lacks.list} lacks ${lacks.entry}. Add it, or ${lacks.instead}`;
}

function plannedOperation({ kind, spec }: Connected, call: Call): PlannedOperation {
  const { method, path, body } = call;
  const text = body && JSON.stringify(withoutSecrets(kind.fields, body)).slice(0, longestBody);
  const refused = neverSentBecause(call);
  const shown = { ...(text !== undefined && { body: text }), ...(refused !== undefined && { refused }) };
  return { method, path, note: effectOf(kind, call, spec), ...shown };
}

function withoutSecrets(fields: Connected["kind"]["fields"], body: JsonObject): JsonObject {
  const hidden = (name: string, value: Json | undefined) => (fields[name]?.sensitive ? "(sensitive)" : (value ?? null));
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, hidden(name, value)]));
}

/** Returns the prices without and with the requests. A missing cloud object costs nothing. */
async function monthlyOf(ctx: Planned, calls: Call[]): Promise<Pick<Plan, "monthly">> {
  const { monthly } = ctx.kind;
  const list = await priceRows(ctx);
  if (!monthly || !list) return {};
  const { row, spec } = ctx;
  const shown = row && monthly.observed(row);
  const desired = monthly.desired(spec);
  const isDeletion = calls.some(({ action }) => action === "Delete");
  const before = shown ? monthly.price(shown, list) : 0;
  const after = isDeletion ? 0 : monthly.price(shown ? changed(ctx, shown, desired, calls) : desired, list);
  return { monthly: { ...priceOf("before", before), ...priceOf("after", after) } };
}

/** Returns the observed values, with desired values for the fields of the calls. The spec can differ in further fields. */
function changed({ kind }: Planned, shown: PricedValues, desired: PricedValues, calls: Call[]): PricedValues {
  const set = new Set(calls.flatMap((call) => fieldsOf(kind, call)));
  return { ...shown, ...Object.fromEntries(Object.entries(desired).filter(([field]) => set.has(field))) };
}

function fieldsOf(kind: Planned["kind"], { changes = [], sets = [] }: Call): string[] {
  if (changes.length === 0) return [...sets];
  return changes.map(({ field }) => (specField(kind, field)?.path ?? field).split(/[.[]/, 1)[0] ?? field);
}

/** Returns the calls without refused calls. If the operator refuses each call, returns all calls. */
function effective(calls: Call[]): Call[] {
  const sendable = calls.filter((call) => neverSentBecause(call) === undefined);
  return sendable.length > 0 ? sendable : calls;
}

function priceOf(name: "before" | "after", value: number | undefined) {
  return value === undefined ? {} : { [name]: dollars(value) };
}
