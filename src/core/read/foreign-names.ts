/** Texts of the cloud API without names of cloud objects of other namespaces. */
import { ownerOf } from "../model/owners.ts";
import type { Connected } from "../model/context.ts";
import { collectionOfIds } from "../model/referred.ts";
import { parseKey } from "../kind/resource.ts";
import { grantsFor } from "./grants.ts";

/** A word that may be an identifier, a label, or the identifier of a private image. */
const word = /[A-Za-z0-9][A-Za-z0-9._/-]{2,}/g;
const unnamed = "(another cloud object)";

/**
 * Returns the text without identifiers and labels of cloud objects of other namespaces. Words of the spec stay. The text does
 * not change if the owner of the account shares existing cloud objects.
 */
export function withoutForeign(ctx: Connected, text: string): string {
  if (grantsFor(ctx).existing) return text;
  const own = JSON.stringify(ctx.spec);
  return text.replaceAll(word, (found) => {
    const name = withoutEnd(found);
    if (own.includes(name) || !isForeign(ctx, name)) return found;
    return `${unnamed}${found.slice(name.length)}`;
  });
}

/** Cuts periods, slashes and dashes off the end of a word. A loop, because the expression for this takes quadratic time. */
function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && "./-".includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

function isForeign({ environment, object }: Connected, name: string): boolean {
  const { claims, kinds } = environment;
  const { namespace } = object.metadata;
  const collections = [...kinds.values()].flatMap((kind) => collectionOfIds(kind) ?? []);
  const owners = collections.map((collection) => ownerOf(environment, object, { collection, id: name }));
  if (owners.some((owner) => owner !== undefined))
    return owners.every((owner) => owner?.metadata.namespace !== namespace);
  if (name.startsWith("private/")) return true;
  const keys = collections.flatMap((collection) => claims.ofName(collection, { label: name }));
  return keys.length > 0 && keys.every((key) => parseKey(key).namespace !== namespace);
}
