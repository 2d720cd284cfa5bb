/** Creates what an example of a kind needs: Secrets, ConfigMaps and other custom resources. */
import { configMaps } from "../../src/cluster/config-maps.ts";
import type { Kind } from "../../src/core/kind/owned.ts";
import { withNeeds } from "../../src/generate/example-manifests.ts";
import { kinds } from "../../src/kinds/registry.ts";
import type { World } from "./world.ts";

/** Skips what exists already. `fields`: part of each spec, such as `accountRef`. */
export function createNeeds(
  { cluster }: Pick<World, "cluster">,
  kind: Kind,
  name: string,
  namespace: string,
  fields: object = {},
): void {
  const wanted = kind.examples.filter((one) => one.name === name).map((example) => ({ kind, name, example }));
  for (const { kind: of, name: own, example } of withNeeds(kinds, wanted, [])) {
    for (const [secret, data] of Object.entries(example.secrets ?? {}))
      if (!cluster.get("Secret", secret, namespace)) cluster.secret(secret, data, namespace);
    for (const [map, data] of Object.entries(example.configMaps ?? {}))
      if (!cluster.objects.get(configMaps, { namespace, name: map }))
        cluster.objects.create(configMaps, { metadata: { name: map, namespace }, data });
    const isWanted = wanted.some((one) => one.example === example);
    if (isWanted || cluster.get(of.kind, own, namespace)) continue;
    cluster.create(of.kind, own, { ...example.spec, ...fields }, { namespace });
  }
}
