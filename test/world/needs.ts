/** Creates what an example of a kind needs: Secrets, ConfigMaps and other custom resources. */
import { configMaps } from "../../src/cluster/config-maps.ts";
import type { Kind } from "../../src/core/kind/owned.ts";
import { kinds } from "../../src/kinds/registry.ts";
import type { World } from "./world.ts";

/** Skips what exists already. `fields`: part of each spec, such as `accountRef`. */
export function createNeeds(
  { cluster }: Pick<World, "cluster">,
  { examples }: Kind,
  name: string,
  namespace: string,
  fields: object = {},
): void {
  const example = examples.find((one) => one.name === name);
  for (const [secret, data] of Object.entries(example?.secrets ?? {}))
    if (!cluster.get("Secret", secret, namespace)) cluster.secret(secret, data, namespace);
  for (const [map, data] of Object.entries(example?.configMaps ?? {}))
    cluster.objects.create(configMaps, { metadata: { name: map, namespace }, data });
  for (const needed of example?.needs ?? []) {
    const of = kinds.find((one) => one.kind === needed.kind);
    const spec = of?.examples.find((one) => one.name === needed.example)?.spec;
    const own = needed.name ?? needed.example;
    if (!of || !spec || cluster.get(needed.kind, own, namespace)) continue;
    createNeeds({ cluster }, of, needed.example, namespace, fields);
    cluster.create(needed.kind, own, { ...spec, ...fields }, { namespace });
  }
}
