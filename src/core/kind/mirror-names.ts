/** Names of mirrored objects: valid in Kubernetes, readable, and stable while the objects exist. */
import { createHash } from "node:crypto";

/** Limit of a slug in characters. A digest must fit behind the slug. */
const longest = 200;

/** Returns an ID as an object name: in lower case, with dashes for invalid characters. */
export function slugOf(id: string): string {
  const labels = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .slice(0, longest)
    .split(".")
    .map((label) => label.replaceAll(/^-+|(?<!-)-+$/g, ""));
  return labels.filter((label) => label !== "").join(".") || "unnamed";
}

/**
 * Returns a name for every ID: the slug, or the slug with a digest if two IDs have the same slug.
 *
 * An existing object keeps its name. `held`: the ID of every existing object by its name, undefined if the object has no ID. New
 * IDs get names in alphabetical order.
 */
export function mirrorNames(ids: string[], held: ReadonlyMap<string, string | undefined>): Map<string, string> {
  const names = new Map<string, string>();
  const waiting: string[] = [];
  for (const id of ids.toSorted()) {
    const [slug, marked] = candidatesOf(id);
    if (held.has(marked)) names.set(id, marked);
    else if (held.get(slug) === id) names.set(id, slug);
    else waiting.push(id);
  }
  const taken = new Set(names.values());
  for (const id of waiting) {
    const [slug, marked] = candidatesOf(id);
    const name = taken.has(slug) ? marked : slug;
    names.set(id, name);
    taken.add(name);
  }
  return names;
}

function candidatesOf(id: string): [slug: string, marked: string] {
  const slug = slugOf(id);
  return [slug, `${slug}-${createHash("sha256").update(id).digest("hex").slice(0, 8)}`];
}
