import { resourceOf } from "../../src/core/kind/resource.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds } from "../../src/kinds/registry.ts";
import type { World } from "../support/world.ts";
import type { Manifest } from "./manifests.ts";

interface Written {
  generation: number | undefined;
  /** When a field of the tool's was last changed. */
  times: (string | undefined)[];
}

/** What a field manager has written of these objects of ours so far; the same again where it wrote nothing. */
export async function writtenBy(
  manager: string,
  { kube, namespace }: World,
  manifests: Manifest[],
): Promise<Record<string, Written>> {
  const entries = ours(manifests).map(async ({ kind, metadata: { name } }): Promise<[string, Written]> => {
    const { plural } = definitionOf(kind);
    const path = `/apis/cloudplatform.dev/v1alpha1/namespaces/${namespace}/${plural}/${name}`;
    const { metadata } = (await kube.raw(path)) as {
      metadata: { generation?: number; managedFields: { manager: string; time?: string }[] };
    };
    const entries = metadata.managedFields.filter((entry) => entry.manager === manager);
    const managers = metadata.managedFields.map((entry) => entry.manager);
    if (entries.length === 0) throw new Error(`${kind} ${name} was written by ${managers.join(", ")}, not ${manager}`);
    return [`${kind}/${name}`, { times: entries.map(({ time }) => time), generation: metadata.generation }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** An object of ours as it is now. */
export function liveOf({ kube, namespace }: World, { kind, metadata: { name } }: Manifest) {
  return kube.get(resourceOf(definitionOf(kind)), { namespace, name });
}

/** Objects of ours that still exist, by kind and name. */
export async function left(world: World, manifests: Manifest[]): Promise<string[]> {
  const found = ours(manifests).map(async (one) =>
    (await liveOf(world, one)) ? [`${one.kind}/${one.metadata.name}`] : [],
  );
  return (await Promise.all(found)).flat();
}

/** Those of them that are objects of ours. */
export function ours(manifests: Manifest[]): Manifest[] {
  return manifests.filter(({ apiVersion }) => apiVersion.startsWith("cloudplatform.dev/"));
}

function definitionOf(kind: string) {
  const found = [...kinds, cloudAccount].find((one) => one.kind === kind);
  if (!found) throw new Error(`no kind ${kind}`);
  return found;
}
