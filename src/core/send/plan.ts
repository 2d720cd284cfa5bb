/** Plans: the requests that wait for an approval, as facts for the status, and as text for the condition. */
import { approveAnnotation, approvedAnnotation } from "../kind/annotations.ts";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call } from "../kind/call.ts";
import { effectOf } from "../kind/changes.ts";
import { listOf } from "../kind/differences.ts";
import { dollars } from "../kind/monthly.ts";
import type { Plan, PlannedOperation } from "../kind/status-schema.ts";
import type { Connected, Context, Located } from "../model/context.ts";
import { annotate } from "../model/uncertain.ts";
import { catalogRows } from "../read/catalog-reads.ts";

/** An object with or without its cloud object. */
export type Planned = Located & { row?: JsonObject };

/** Reasons for which requests wait for an approval. */
export type Asks = "WaitingForApproval" | "AdoptionDiffers";

/** Longest list that the schema of the status permits. */
const mostOperations = 32;
const longestBody = 2_048;

/** Returns the plan for the status. `hash`: names the plan in the annotation that approves it. */
export async function planOf(ctx: Planned, calls: Call[], hash: string): Promise<Plan> {
  const operations = calls.slice(0, mostOperations).map((call) => plannedOperation(ctx, call));
  const stops = ctx.kind.canStop ? { stops: calls.some((call) => call.stops === true) } : {};
  return { hash, operations, total: calls.length, ...stops, ...(await monthlyOf(ctx, calls)) };
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
export function describePlan({ object }: Context, plan: Plan, reason: Asks): string {
  const { hash, operations } = plan;
  const isAllRefused = operations.every(({ refused }) => refused !== undefined);
  const given = object.metadata.annotations?.[approveAnnotation];
  const isOther = given !== undefined && ![hash, object.metadata.annotations?.[approvedAnnotation]].includes(given);
  return [
    ...(reason === "AdoptionDiffers" ? ["The adopted cloud object differs from the spec"] : []),
    effectsOf(plan),
    "The operator changes nothing yet",
    ...(isOther ? [`The annotation approves ${given.slice(0, 64)}, which is another plan`] : []),
    ...(reason === "AdoptionDiffers" ? ["To keep the cloud object as it is, change the spec"] : []),
    ...(isAllRefused ? [] : [`To let this plan run once: ${annotate(object, `${approveAnnotation}=${hash}`)}`]),
  ].join(". ");
}

/** Returns the reason why the operator never sends the call. */
export function neverSentBecause({ lacks }: Call): string | undefined {
  if (!lacks) return undefined;
  return `spec.${lacks.list} lacks ${lacks.entry}. Add it, or ${lacks.instead}`;
}

function plannedOperation({ kind }: Connected, call: Call): PlannedOperation {
  const { method, path, body } = call;
  const text = body && JSON.stringify(withoutSecrets(kind.fields, body)).slice(0, longestBody);
  const refused = neverSentBecause(call);
  const shown = { ...(text !== undefined && { body: text }), ...(refused !== undefined && { refused }) };
  return { method, path, note: effectOf(kind, call), ...shown };
}

function withoutSecrets(fields: Connected["kind"]["fields"], body: JsonObject): JsonObject {
  const hidden = (name: string, value: Json | undefined) => (fields[name]?.sensitive ? "(sensitive)" : (value ?? null));
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, hidden(name, value)]));
}

/** Returns the prices without and with the requests. A cloud object that does not exist costs nothing. */
async function monthlyOf(ctx: Planned, calls: Call[]): Promise<Pick<Plan, "monthly">> {
  const { monthly } = ctx.kind;
  const list = monthly && (await catalogRows(ctx, monthly.list));
  if (!monthly || !list) return {};
  const { row, spec } = ctx;
  const isDeletion = calls.some(({ action }) => action === "Delete");
  const before = row ? monthly.observed(row, list) : 0;
  const after = isDeletion ? 0 : monthly.desired(spec, list, row);
  return { monthly: { ...priceOf("before", before), ...priceOf("after", after) } };
}

function priceOf(name: "before" | "after", value: number | undefined) {
  return value === undefined ? {} : { [name]: dollars(value) };
}
