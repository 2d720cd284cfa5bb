/** Names of parts of a cloud object, such as a backup of an instance: the cloud lists the parts. */
import type { Json } from "../../api/types.ts";
import { collectionOf } from "../model/context.ts";
import type { Connected } from "../model/context.ts";
import { collectionOfIds, usedOf } from "../model/referred.ts";
import { isObject } from "../kind/differences.ts";
import type { CloudName } from "../kind/leaf-class.ts";
import { isHttpError, Waiting } from "../kind/outcome.ts";
import type { NamedReference } from "../kind/schema.ts";
import type { NameInSpec } from "../model/names.ts";
import { requireOwn } from "./grants.ts";
import { times } from "../kind/times.ts";

/** Returns true if the cloud lists the name among the parts of a cloud object of the namespace. */
export async function isPart(ctx: Connected, { value, name: { within } }: NameInSpec): Promise<boolean> {
  if (!within) return false;
  const path = partsPath(ctx, within);
  // The operator sends no request before the cloud object of the reference exists.
  if (path === false) return true;
  if (path === undefined) return false;
  const how = { paged: !within.single, urgent: ctx.urgent };
  try {
    if (holdsId(await ctx.session.observer.detail(path, how), value)) return true;
    return holdsId(await ctx.session.observer.detail(path, { ...how, after: ctx.startedAt }), value);
  } catch (error) {
    if (!isHttpError(error) || error.status !== 404) throw error;
    const what = `spec.${within.field}: its cloud object does not exist any more. Its own condition says what to do`;
    throw new Waiting("WaitingForReference", what, times.quiet, { byItself: true });
  }
}

/** Returns the path of the list of parts; undefined if no object of the namespace owns the whole, false before a creation. */
function partsPath(ctx: Connected, { field, list }: NonNullable<CloudName["within"]>): string | undefined | false {
  const { environment, kind, spec, object } = ctx;
  const reference = kind.references?.[field];
  if (!reference || "secret" in reference || reference.kind === undefined) return undefined;
  const { name }: NamedReference = [reference.from(spec)].flat()[0] ?? {};
  const of = environment.kinds.get(reference.kind);
  if (name === undefined || !of) return undefined;
  const { namespace = "" } = object.metadata;
  const referred = environment.caches.get(reference.kind)?.get({ namespace, name });
  if (!referred) return false;
  requireOwn(ctx, `spec.${field}.name`, referred);
  const { id } = usedOf(environment, referred);
  const collection = collectionOfIds(of);
  if (id === undefined || collection === undefined) return false;
  return `${collectionOf(of, collection).itemPath(id)}/${list}`;
}

function holdsId(answer: Json | undefined, id: string): boolean {
  if (Array.isArray(answer)) return answer.some((one) => holdsId(one, id));
  if (!isObject(answer)) return false;
  return [id, Number(id)].some((one) => one === answer["id"]) || Object.values(answer).some((one) => holdsId(one, id));
}
