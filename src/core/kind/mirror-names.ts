/** Names of mirrored objects: valid in Kubernetes, readable, and the same for as long as the objects are there. */
import { createHash } from "node:crypto";

/** The longest slug: a digest must fit behind it. */
const longest = 200;

/** An id as a name: in lower case, with dashes for what a name cannot have. */
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
 * A name for each id: its slug, or the slug and a digest where another id has the slug.
 *
 * Who has a name keeps it, whatever appears or goes: `held` is the id by the name of each object that exists, undefined
 * where the object does not say. Ids that appear together get their names in alphabetical order.
 */
export function namesOf(ids: string[], held: ReadonlyMap<string, string | undefined>): Map<string, string> {
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
