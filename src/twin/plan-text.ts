/** Prints a plan for a terminal. */
import type { Json } from "../api/types.ts";
import type { Disruption, Plan, PlannedAction, PlannedChange, PlannedObject, PlannedOperation } from "./plan.ts";

export type Colour = "red" | "green" | "yellow";

/** Colours a text, or returns the text for an output without colours. */
export type Paint = (colour: Colour, text: string) => string;

export const symbols: Record<PlannedAction, string> = {
  create: "+",
  change: "~",
  replace: "-/+",
  delete: "-",
  none: " ",
};

const colours: Record<PlannedAction, Colour | undefined> = {
  create: "green",
  change: "yellow",
  replace: "red",
  delete: "red",
  none: undefined,
};

const effects: Record<Disruption, string> = {
  stops: "stops",
  rebuilds: "rebuilds",
  replaces: "replaces",
  deletes: "deletes",
  losesData: "loses data",
};

/** Longest value in a line. */
const longest = 120;

/** Returns the text of a plan. */
export function planText(plan: Plan, paint: Paint = (_colour, text) => text): string {
  const { objects, refusals, assumed, unknown } = plan;
  const withOperations = objects.filter(({ operations }) => operations.length > 0);
  const waiting = objects.filter(({ operations, waits }) => operations.length === 0 && waits);
  const sections = [
    ...withOperations.map((one) => objectLines(one, paint).join("\n")),
    listed("Waiting:", waiting.map(waitingLine)),
    listed("Drift that stays:", driftLines(objects)),
    listed(
      "The API server refuses:",
      refusals.map(({ file, about, field, message }) => paint("red", `${file}: ${about}: ${field}: ${message}`)),
    ),
    listed("Assumed, because no manifest and no cluster has them:", assumed),
    listed("Not known:", unknown),
    summary(plan),
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

/** Returns the counts and the price as sentences. */
export function summary({ counts, monthly, complete, disruption }: Plan): string {
  const { create, change, replace, delete: gone, waiting, refused } = counts;
  return [
    `Plan: ${create} to create, ${change} to change, ${replace} to replace, ${gone} to delete, ${waiting} waiting, ${refused} refused.`,
    ...(disruption.length > 0 ? [`Disruption: ${effectsIn(disruption)}.`] : []),
    `Price per month: ${monthly.before} → ${monthly.after}.`,
    ...(complete ? [] : ["The operator still had work at the end of the plan. Later operations are missing."]),
  ].join("\n");
}

export function effectsIn(disruption: readonly Disruption[]): string {
  return disruption.map((one) => effects[one]).join(", ");
}

function objectLines(object: PlannedObject, paint: Paint): string[] {
  const { action, operations, waits, monthly } = object;
  const colour = colours[action];
  const head = `${symbols[action]} ${titleOf(object)}`;
  return [
    colour ? paint(colour, head) : head,
    ...operations.flatMap((one) => operationLines(one, paint)),
    ...(monthly ? [`    price per month: ${monthly.before} → ${monthly.after}`] : []),
    ...(waits ? [paint("yellow", `    then waits: ${waits.reason}: ${waits.message}`)] : []),
  ];
}

/** Returns kind, namespace, name and disruption of an object. */
export function titleOf({ kind, namespace, name, disruption }: PlannedObject): string {
  const effect = disruption.length > 0 ? ` (${effectsIn(disruption)})` : "";
  return kind === "" ? `requests of no object${effect}` : `${kind} ${namespace}/${name}${effect}`;
}

function operationLines({ step, action, method, path, changes, disruption, refused }: PlannedOperation, paint: Paint) {
  const effect = disruption.length > 0 ? paint("red", ` (${effectsIn(disruption)})`) : "";
  return [
    `  ${step}. ${action}: ${method} ${path}${effect}`,
    ...changes.map((one) => `       ${changeText(one)}`),
    ...(refused === undefined ? [] : [paint("red", `       refused by the cloud: ${refused}`)]),
  ];
}

/** Returns `field: old → new`. */
export function changeText({ field, before, after }: PlannedChange): string {
  if (before === undefined) return `${field}: ${shown(after)}`;
  return `${field}: ${shown(before)} → ${shown(after)}`;
}

/** Returns one line for each object whose cloud object still differs after the plan. */
export function driftLines(objects: readonly PlannedObject[]): string[] {
  return objects.flatMap((one) => (one.drift === undefined ? [] : [`${titleOf(one)}: ${one.drift}`]));
}

export function waitingLine(object: PlannedObject): string {
  return `${titleOf(object)}: ${object.waits?.reason}: ${object.waits?.message}`;
}

function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

function listed(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [title, ...lines.map((line) => `  ${line}`)].join("\n");
}
