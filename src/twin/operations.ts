/** The operations of a plan, from the noted requests of a run. */
import { isDeepStrictEqual } from "node:util";
import type { Json } from "../api/types.ts";
import type { Kind } from "../core/kind/owned.ts";
import { parseKey } from "../core/kind/resource.ts";
import { specField } from "../core/kind/spec-path.ts";
import { kinds } from "../kinds/registry.ts";
import type { SentRequest } from "./copy-dispatcher.ts";
import { isSecretName } from "./mask.ts";
import type { Mask } from "./mask.ts";
import { sensitive } from "./plan.ts";
import type { Disruption, ObjectName, PlannedAction, PlannedChange, PlannedObject, PlannedOperation } from "./plan.ts";

const byName = new Map(kinds.map((kind) => [kind.kind, kind]));

/** Groups the requests by object, in the order of the first request of each object. */
export function plannedObjects(sent: readonly SentRequest[], mask: Mask): PlannedObject[] {
  const numbered = withoutRepeats(sent).map((request, index) => ({ request, step: index + 1 }));
  const groups = Map.groupBy(numbered, ({ request }) => request.key ?? "");
  return [...groups].map(([key, requests]) => plannedObject(nameOf(key), requests, mask));
}

function plannedObject(
  name: ObjectName,
  requests: { request: SentRequest; step: number }[],
  mask: Mask,
): PlannedObject {
  const kind = byName.get(name.kind);
  const operations = requests.map(({ request, step }) => operationOf(kind, request, step, mask));
  const action = actionOf(operations);
  const disruption = new Set(operations.flatMap((one) => one.disruption));
  if (action === "replace") disruption.add("replaces");
  return { ...name, action, disruption: [...disruption].toSorted(), operations };
}

/** Omits a refused request that the operator sent again: an instance is often busy for a moment. */
function withoutRepeats(sent: readonly SentRequest[]): SentRequest[] {
  const textOf = ({ key, method, path, body }: SentRequest): string => JSON.stringify([key, method, path, body]);
  const last = new Map(sent.map((request) => [textOf(request), request]));
  return sent.filter((request) => request.status < 400 || last.get(textOf(request)) === request);
}

export function nameOf(key: string): ObjectName {
  const { kind, namespace, name } = parseKey(key);
  return { kind, namespace, name };
}

function operationOf(kind: Kind | undefined, request: SentRequest, step: number, mask: Mask): PlannedOperation {
  const { method, path, status } = request;
  const refused = status >= 400 ? { refused: mask.text(reasonOf(request)) } : {};
  const action = nameOfAction(request);
  const disruption = disruptionOf(kind, request, action);
  return {
    step,
    action,
    method,
    path: mask.text(path),
    changes: changesOf(kind, request, mask),
    disruption,
    ...refused,
  };
}

function nameOfAction({ call, method, path }: SentRequest): string {
  if (call?.action !== undefined) return call.action;
  if (method === "DELETE") return "Delete";
  if (method === "PUT") return "Update";
  return path.startsWith("/objects/") ? "Upload" : "Create";
}

function disruptionOf(kind: Kind | undefined, { call, method, path }: SentRequest, action: string): Disruption[] {
  const deletes = method === "DELETE" && action === "Delete";
  const rebuilds = action === "Rebuild" || path.endsWith("/rebuild");
  const loses = call?.destructive === true || rebuilds || (deletes && kind?.loses !== undefined);
  return [
    ...(call?.stops ? ["stops" as const] : []),
    ...(rebuilds ? ["rebuilds" as const] : []),
    ...(deletes ? ["deletes" as const] : []),
    ...(loses ? ["losesData" as const] : []),
  ];
}

/** A deletion and a creation of one object replace its cloud object. */
function actionOf(operations: readonly PlannedOperation[]): PlannedAction {
  const done = operations.filter(({ refused }) => refused === undefined);
  const has = (action: string): boolean => done.some((one) => one.action === action);
  if (has("Create") && has("Delete")) return "replace";
  if (has("Create")) return "create";
  if (has("Delete")) return "delete";
  return operations.length > 0 ? "change" : "none";
}

function changesOf(kind: Kind | undefined, request: SentRequest, mask: Mask): PlannedChange[] {
  const { call, body = {}, before } = request;
  const described = (call?.changes ?? []).filter(({ remedy }) => remedy === undefined);
  if (described.length > 0)
    return described.map(({ field, observed, desired }) => changeOf(kind, mask, field, observed, desired));
  return Object.entries(body)
    .filter(([field, value]) => !isDeepStrictEqual(before?.[field], value))
    .map(([field, value]) => changeOf(kind, mask, field, before?.[field], value));
}

function changeOf(
  kind: Kind | undefined,
  mask: Mask,
  name: string,
  before: Json | undefined,
  after: Json | undefined,
): PlannedChange {
  const known = kind && specField(kind, name);
  const field = known?.path ?? name;
  const isHidden = kind?.fields[name]?.sensitive === true || isSecretName(name);
  const shown = (value: Json): Json => (isHidden && value !== null ? sensitive : mask.value(value));
  return {
    field,
    ...(before !== undefined && before !== null && { before: shown(before) }),
    ...(after !== undefined && after !== null && { after: shown(after) }),
  };
}

function reasonOf({ answer, status }: SentRequest): string {
  const errors = answer?.["errors"] as { reason?: string; field?: string }[] | undefined;
  const reasons = (errors ?? []).map(({ reason = "", field }) => (field ? `${field}: ${reason}` : reason));
  return reasons.join("; ") || `status ${status}`;
}
