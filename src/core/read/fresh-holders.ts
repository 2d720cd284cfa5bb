/** Asks the API server for the holders of a cloud object, because a watch can be silent for a minute. */
import type { KubeObject, ListOptions } from "../../cluster/types.ts";
import type { Connected } from "../model/context.ts";
import type { Kind } from "../kind/owned.ts";
import { isKubeError } from "../kind/outcome.ts";
import { parseKey, refOf, resourceOf } from "../kind/resource.ts";
import { heldKinds, selectableReferences } from "../kind/selectable.ts";
import { everyNamespace, sharedWith } from "../account/sharing.ts";
import { requireDefinition } from "./definition.ts";
import type { Answer, Since } from "./fresh.ts";
import { meantBy, refuseHeld } from "./holders.ts";
import type { Meant } from "./holders.ts";
import { accountsOfSame } from "./same-account.ts";

/**
 * Throws `Waiting` if an object holds the cloud object that a request deletes, and `KubeError` if the API server does not answer.
 * Returns the time of the oldest answer in clock milliseconds. `since`: limits for earlier reads.
 */
export async function requireUnheld(ctx: Connected, since: Since): Promise<number> {
  const queries = queriesFor(ctx, meantBy(ctx));
  const [answers] = await Promise.all([
    Promise.all(queries.map((query) => answerQuery(ctx, query, since))),
    // Without the field, the API server shows no holder as protected.
    ...[...new Set(queries.map(({ kind }) => kind))].map((kind) => requireDefinition(ctx, kind, since)),
  ]);
  for (const object of answers.flatMap(({ value }) => value)) ctx.environment.caches.get(object.kind)?.noteRead(object);
  // The caches have the current version of every listed object now, and an index finds the holders among them.
  refuseHeld(ctx);
  return Math.min(...answers.map(({ at: answeredAt }) => answeredAt));
}

/** Number of objects that the operator reads at the same time. A namespace can have any number of objects. */
const readAtOnce = 4;

/**
 * Returns the objects of a list that the cache does not have in the current version. Their specs can have a megabyte, so the
 * operator lists metadata, and reads only the objects with other versions.
 */
async function changedIn(ctx: Connected, { kind, options }: Query, since: Since): Promise<Answer<KubeObject[]>> {
  const { fresh, caches } = ctx.environment;
  const resource = resourceOf(kind);
  const listed = await fresh.list(resource, { ...options, metadataOnly: true }, since);
  const unknown = listed.value.filter(({ metadata: { namespace, name, resourceVersion } }) => {
    const known = caches.get(kind.kind)?.get({ namespace: namespace ?? "", name });
    return known?.metadata.resourceVersion !== resourceVersion;
  });
  const changed: KubeObject[] = [];
  const worker = async (): Promise<void> => {
    for (let next = unknown.pop(); next; next = unknown.pop()) {
      const { value } = await fresh.get(resource, refOf(next), since);
      if (value) changed.push(value);
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, worker));
  return { value: changed, at: listed.at };
}

interface Query {
  kind: Kind;
  options: ListOptions;
}

/** Lists every object if the CustomResourceDefinition is older than this version and has no selectable fields. */
async function answerQuery(ctx: Connected, { kind, options }: Query, since: Since): Promise<Answer<KubeObject[]>> {
  if (!options.fields) return changedIn(ctx, { kind, options }, since);
  try {
    return await ctx.environment.fresh.list(resourceOf(kind), options, since);
  } catch (error) {
    if (!isKubeError(error) || error.status !== 400) throw error;
    const { fields: _, ...all } = options;
    return changedIn(ctx, { kind, options: all }, since);
  }
}

/** Plans lists of every enabled kind with a reference to the kind of the object. */
function queriesFor(ctx: Connected, meant: Meant): Query[] {
  const { kinds, caches } = ctx.environment;
  const referring = [...kinds.values()].filter((of) => caches.has(of.kind) && heldKinds(of).has(ctx.kind.kind));
  return referring.flatMap((kind) => {
    const fields = selectableReferences(kind).get(ctx.kind.kind);
    const lists = fields ? fields.flatMap((field) => selected(ctx, meant, field)) : namespaceLists(ctx, meant);
    return lists.map((options) => ({ kind, options }));
  });
}

function selected(ctx: Connected, { keys, cloud }: Meant, field: { name: string; id: string }): ListOptions[] {
  const byName = keys.map((key) => {
    const { namespace, name } = parseKey(key);
    return { namespace, fields: { [field.name]: name } };
  });
  const byId = cloud ? scopesOf(ctx).map(({ namespace }) => ({ namespace, fields: { [field.id]: cloud.id } })) : [];
  return [...byName, ...byId];
}

/** Plans lists of whole namespaces. A reference inside a list has no selectable field. */
function namespaceLists(ctx: Connected, { keys, cloud }: Meant): ListOptions[] {
  const near = keys.map((key) => parseKey(key).namespace);
  const far = cloud ? namespacesThatMayName(ctx) : [];
  if (far === undefined) return scopesOf(ctx);
  const watched = ctx.environment.namespaces ?? far;
  return [...new Set([...near, ...far.filter((namespace) => watched.includes(namespace))])].map((namespace) => ({
    namespace,
  }));
}

/** Returns the namespaces that may name the cloud object by ID; undefined means every namespace. */
function namespacesThatMayName(ctx: Connected): string[] | undefined {
  const accounts = accountsOfSame(ctx);
  const homes = accounts.map(({ metadata }) => metadata.namespace ?? "");
  const may = [...homes, ...accounts.flatMap((account) => sharedWith(account, "existing"))];
  return may.includes(everyNamespace) ? undefined : may;
}

function scopesOf({ environment: { namespaces } }: Connected): ListOptions[] {
  return namespaces?.map((namespace) => ({ namespace })) ?? [{}];
}
