/** Creates objects before the object of a cell. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { withNeeds } from "../../../src/generate/example-manifests.ts";
import type { NamedExample } from "../../../src/generate/example-manifests.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import type { Candidate } from "./candidates.ts";
import type { Cell } from "./cells.ts";
import { valuesAt, withValue } from "./paths.ts";
import type { Spec } from "./paths.ts";
import { firstExample, plainExamples } from "./plain.ts";
import type { OwnName } from "./plain.ts";
import type { Host } from "./play.ts";
import { isAccepted } from "./schema.ts";

interface Completed {
  spec: Spec;
  /** Names of cloud objects of the namespace in the spec. */
  names: string[];
}

/** Creates the needed objects. Returns a function that writes the names of cloud objects of the namespace into a spec. */
export async function createNeeds(
  host: Host,
  { field, place }: Cell,
  candidate: Candidate,
): Promise<(spec: Spec) => Promise<Completed>> {
  const makers = candidate.own.map((own, index) => ({ path: own.path, by: makersFor(own, index, candidate) }));
  const needed = withNeeds(kinds, [...candidate.needs, ...makers.flatMap(({ by }) => by)], []);
  for (const { secrets = {}, configMaps = {} } of [...needed.map(({ example }) => example), candidate.example]) {
    for (const [name, data] of Object.entries(secrets)) await host.store("Secret", place, name, data);
    for (const [name, data] of Object.entries(configMaps)) await host.store("ConfigMap", place, name, data);
  }
  for (const { kind, name, example } of needed) {
    const plain = plainExamples(kind as Kind).findLast((one) => one.example === example);
    await host.create(place, kind.kind, name, plain?.spec ?? example.spec);
  }
  await host.settle(
    place,
    needed.map(({ kind, name }) => ({ kind: kind.kind, name })),
  );
  return async (given) => {
    const names: string[] = [];
    let spec = given;
    for (const { path, by } of makers) {
      if (valuesAt(given, path).length === 0) continue;
      const made = await Promise.all(by.map(({ kind, name }) => host.get(place, kind.kind, name)));
      const ids = made.map(idOf).flatMap((id) => (id === undefined ? [] : [id, Number(id)]));
      const fitting = ids.flatMap((id) => withValue(spec, path, id)).find((one) => isAccepted(field.kind, one));
      if (!fitting) continue;
      spec = fitting;
      names.push(String(valuesAt(spec, path)[0]));
    }
    return { spec, names };
  };
}

function idOf(object: KubeObject | undefined): string | undefined {
  const { id, run } = (object?.status ?? {}) as { id?: string; run?: { made?: string } };
  return id ?? run?.made;
}

/** Returns examples with the parent of the spec. The examples create cloud objects with fitting names. */
function makersFor({ owners, within }: OwnName, index: number, { spec }: Candidate): NamedExample[] {
  return owners.flatMap((owner) => {
    const maker = firstExample(owner);
    if (!maker) return [];
    const references = Object.entries((maker.kind as Kind).references ?? {});
    const [parent] = references.find(([, one]) => !("secret" in one) && one.contained) ?? [];
    const [wanted] = parent === undefined ? [] : valuesAt(spec, within ?? parent);
    const { example } = maker;
    const inParent = wanted === undefined ? example.spec : { ...example.spec, [parent!]: wanted };
    return { ...maker, name: `own-${index}-${maker.name}`, example: { ...example, spec: inParent } };
  });
}
