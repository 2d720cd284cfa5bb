/**
 * Blockers: custom resources that can end a refusal of the cloud API. A blocker holds, changes, or within the last
 * minute changed a cloud object of the request. The operator compares facts, and never the text of the refusal.
 */
import { names } from "../model/outgoing.ts";
import { specOf, statusOf } from "../kind/object.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { nameForKey, observes, realAccountOf } from "../model/owners.ts";
import { cloudKey, parseCloudKey } from "../watch/dependents.ts";
import type { Environment } from "../model/environment.ts";
import type { Connected, Context } from "../model/context.ts";
import { collectionOfIds } from "../model/referred.ts";
import type { Call, Request } from "../kind/call.ts";
import { listOf } from "../kind/differences.ts";
import { reasonDocs } from "../kind/reasons.ts";
import { parseKey } from "../kind/resource.ts";
import { hasInCloud, mayNameExisting } from "./holding.ts";
import { topicOf } from "../model/topic.ts";
import { storedRecord } from "../model/stored.ts";

/** Returns the subjects of a request: see watch/changes.ts. */
export function subjectsOf(ctx: Connected, request: Request): string[] {
  const { environment, kind, key, next } = ctx;
  const own = [key, ...(next.id === undefined ? [] : [cloudKey(kind.kind, next.id)])];
  const { takes, gives } = request as Partial<Call>;
  const topics = [takes, gives].flatMap((id) => (id === undefined ? [] : (topicOf(ctx, id) ?? [])));
  const limits = request.method === "POST" && next.id === undefined ? limitsOf(ctx) : [];
  return [...own, ...referredBy(ctx, request), ...environment.changes.namesOf(key), ...topics, ...limits];
}

/** Returns the subjects of the account limits that a deletion of the kind can free. */
export function limitsOf({ environment, kind, object }: Pick<Context, "environment" | "kind" | "object">) {
  const account = realAccountOf(environment, object);
  return [kind.kind, ...(kind.billable ? ["billable"] : [])].map((of) => `limit ${account} ${of}`);
}

/** The key and the cloud object of each reference. A list can have hundreds of references, and a request names a few. */
function referredBy(ctx: Connected, request: Request): string[] {
  const { environment } = ctx;
  const found = [...environment.dependents.targetsOf(ctx.object).keys()].flatMap((target) => {
    const kind = parseCloudKey(target)?.kind ?? parseKey(target).kind;
    if (!environment.kinds.has(kind)) return [];
    return { kind, target, id: parseCloudKey(target)?.id ?? environment.claims.of(target)?.id };
  });
  return found
    .filter(({ kind, id }) => {
      const isOneOfMany = found.filter((other) => other.kind === kind).length > 1;
      return !isOneOfMany || id === undefined || names(request, id);
    })
    .flatMap(({ kind, target, id }) => (id === undefined ? target : [target, cloudKey(kind, id)]));
}

/** Returns the keys of the blockers of a request with these subjects, in order. `recently`: include changes of the last minute. */
export function blockersOf(ctx: Connected, subjects: readonly string[], { recently = true } = {}): string[] {
  const { environment, object } = ctx;
  const account = realAccountOf(environment, object);
  const related = subjects.flatMap((subject) => relatedTo(ctx, subject)).slice(0, mostRelated);
  const changing = related.filter((key) => {
    const other = objectOf(environment, key);
    return other && isUnderWay(ctx, other, key, subjects) && realAccountOf(environment, other) === account;
  });
  const recent = recently ? environment.changes.recent() : [];
  const changed = recent.filter(
    (one) => one.account === account && one.subjects.some((subject) => subjects.includes(subject)),
  );
  const holders = subjects.flatMap((subject) => environment.holdings.holderOf(subject) ?? []);
  const all = new Set([...holders, ...changing, ...freeing(ctx, subjects), ...changed.map(({ key }) => key)]);
  all.delete(ctx.key);
  return [...all].slice(0, mostBlockers).toSorted();
}

/** Most objects that the operator compares for a refusal. A Domain can have ten thousand records. */
const mostRelated = 1_000;

const mostBlockers = 20;

/** Returns the names of blockers for a condition. An object of a foreign namespace has no name there. */
export function namesOfBlockers(ctx: Connected, keys: readonly string[]): string {
  return listOf(keys.map((key) => nameForKey(ctx, key)));
}

function objectOf({ caches }: Environment, key: string): KubeObject | undefined {
  const { kind, ...ref } = parseKey(key);
  return caches.get(kind)?.get(ref);
}

/** The objects that manage a subject, refer to the subject, or share the name. */
function relatedTo({ environment }: Connected, subject: string): string[] {
  const { dependents, claims, changes, kinds } = environment;
  const cloud = parseCloudKey(subject);
  const kind = cloud && kinds.get(cloud.kind);
  const collection = kind && collectionOfIds(kind);
  const managers = cloud && collection !== undefined ? claims.ofId(collection, cloud.id) : [];
  const itself = kinds.has(parseKey(subject).kind) ? [subject] : [];
  return [...itself, ...managers, ...dependents.keysOf(subject), ...changes.sharing(subject)];
}

function freeing(ctx: Connected, subjects: readonly string[]): string[] {
  const { environment } = ctx;
  if (!subjects.some((subject) => subject.startsWith("limit "))) return [];
  return [...environment.kinds.values()].flatMap((kind) => {
    if (kind.kind !== ctx.kind.kind && !(kind.billable && ctx.kind.billable)) return [];
    const deleted = environment.caches.get(kind.kind)?.list() ?? [];
    return deleted
      .filter((other) => other.metadata.deletionTimestamp !== undefined && !observes(other))
      .filter((other) => limitsOf({ environment, kind, object: other }).some((limit) => subjects.includes(limit)))
      .map((other) => `${kind.kind}/${other.metadata.namespace ?? ""}/${other.metadata.name}`);
  });
}

/**
 * Returns true if the operator is about to change the cloud object of `other` and no user has to act first. If `other` waits for the object of `ctx`,
 * `other` counts only after a change for that object. Otherwise two objects would wait for each other without end.
 */
function isUnderWay(ctx: Connected, other: KubeObject, key: string, subjects: readonly string[]): boolean {
  const { changes } = ctx.environment;
  if (key === ctx.key || !isPending(ctx.environment, other)) return false;
  if (observes(other) || specOf(other).management?.policy === "Paused") return false;
  const isNear = other.metadata.namespace === ctx.object.metadata.namespace;
  if (!isNear && !(hasInCloud(ctx.environment, other) && mayNameExisting(ctx.environment, other))) return false;
  const waitsForThis = changes.awaits(key, [ctx.key]) && other.metadata.deletionTimestamp === undefined;
  const isMoving = changes
    .recent()
    .some((one) => one.key === ctx.key && one.subjects.some((of) => subjects.includes(of)));
  return !waitsForThis || isMoving;
}

function isPending(environment: Environment, other: KubeObject): boolean {
  const { metadata } = other;
  if (!environment.kinds.has(other.kind)) return false;
  if (metadata.deletionTimestamp !== undefined) return true;
  if (storedRecord(environment, other).run?.result !== undefined) return false;
  const { observedGeneration, conditions = [] } = statusOf(other);
  if (observedGeneration !== metadata.generation) return true;
  const reconciling = conditions.find(({ type, status: is }) => type === "Reconciling" && is === "True");
  if (!reconciling || reconciling.reason === "Refused") return false;
  const doc = reasonDocs[reconciling.reason as keyof typeof reasonDocs];
  return doc !== undefined && doc.waits === undefined;
}
