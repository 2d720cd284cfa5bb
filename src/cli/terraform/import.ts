/** Manifests for the resources of a state of Terraform. Identities, names and references come from the state; values from the account. */
import type { Kind } from "../../core/kind/owned.ts";
import { kinds } from "../../kinds/registry.ts";
import type { Lists } from "../account/lists.ts";
import { readObjects } from "../account/objects.ts";
import type { CloudObject } from "../account/objects.ts";
import { manifestsOf } from "../export/manifests.ts";
import type { Exported, ExportOptions } from "../export/manifests.ts";
import { targetOf } from "./covered.ts";
import type { Target } from "./covered.ts";
import { namesFor } from "./names.ts";
import type { StateResource } from "./state.ts";

/** A resource that stays in Terraform. */
export interface Other {
  resource: StateResource;
  why: string;
}

export interface Imported extends Exported {
  /** The resources whose cloud objects have a manifest. */
  covered: ReadonlySet<StateResource>;
  others: Other[];
}

type Targeted = { resource: StateResource } & Target;
type Found = Targeted & { object: CloudObject };

/** Returns the manifests of the resources. A resource without a readable cloud object is in `missed`. */
export async function importedFrom(
  lists: Lists,
  resources: readonly StateResource[],
  options: Omit<ExportOptions, "written" | "names" | "lists">,
): Promise<Imported> {
  const { targeted, others } = split(resources);
  const { objects, missed } = await readTargets(lists, targeted);
  const unread = new Set(missed.map(({ what }) => what.split(" ")[0]));
  const byID = new Map(objects.map((object) => [`${object.kind.kind} ${object.id}`, object]));
  const found = targeted.flatMap((one): Found[] => {
    const [object] = one.ids.flatMap((id) => byID.get(`${one.kind.kind} ${id}`) ?? []);
    if (object) return [{ ...one, object }];
    // A failed list or an unreadable row is already reported.
    const why = unread.has(one.kind.kind)
      ? `its ${one.kind.kind} could not be read`
      : `the account has no such ${one.kind.kind}. Run terraform plan`;
    missed.push({ what: one.resource.address, why });
    return [];
  });
  const names = namesOfObjects(found);
  const exported = await manifestsOf(objects, { ...options, lists, names, written: new Set(names.keys()) });
  const written = new Set(exported.manifests.map(({ manifest: { kind, metadata } }) => `${kind} ${metadata.name}`));
  const covered = new Set<StateResource>();
  for (const { resource, object, field } of found) {
    const { kind } = object.kind;
    if (written.has(`${kind} ${names.get(object)}`)) covered.add(resource);
    else
      others.push({
        resource,
        why: field === undefined ? `the account has no value for ${kind}` : `its ${kind} has no manifest`,
      });
  }
  return { ...exported, covered, others, missed: [...missed, ...exported.missed] };
}

function split(resources: readonly StateResource[]): { targeted: Targeted[]; others: Other[] } {
  const all = resources.map((resource) => ({ resource, target: targetOf(resource) }));
  return {
    targeted: all.flatMap(({ resource, target }) => ("why" in target ? [] : [{ resource, ...target }])),
    others: all.flatMap(({ resource, target }) => ("why" in target ? [{ resource, why: target.why }] : [])),
  };
}

async function readTargets(lists: Lists, targeted: readonly Targeted[]) {
  const ids = new Map<Kind, Set<string>>();
  const add = (kind: Kind, id: string): void => void ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
  for (const { kind, ids: possible, parent } of targeted) {
    for (const id of possible) add(kind, id);
    if (parent) add(parent.kind, parent.id);
  }
  return readObjects(
    lists,
    kinds,
    new Set(targeted.map(({ kind }) => kind)),
    (kind, id) => ids.get(kind)?.has(id) === true,
  );
}

/** Two resources can mean one cloud object. The first address gives the name. A part of an object gives no name. */
function namesOfObjects(found: readonly Found[]): Map<CloudObject, string> {
  const whole = found.filter(({ field }) => field === undefined);
  const first = [...Map.groupBy(whole, ({ object }) => object).values()].flatMap(([one]) => one ?? []);
  const items = first.map(({ resource, object }) => ({ resource, object, kind: object.kind.kind }));
  return new Map([...namesFor(items)].map(([{ object }, name]) => [object, name]));
}
