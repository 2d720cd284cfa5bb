/** Finds objects with the operator's finalizer. Kubernetes cannot delete these objects without the operator. */
import { loadKubeConfig } from "../cluster/credentials.ts";
import type { KubeConfigSource } from "../cluster/credentials.ts";
import { listAll, listRequest } from "../cluster/list.ts";
import { createTransport } from "../cluster/transport.ts";
import type { Transport } from "../cluster/transport.ts";
import { finalizer, resourceOf } from "../core/kind/resource.ts";
import { isKubeError } from "../core/kind/outcome.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds } from "../kinds/registry.ts";
import type { Clock } from "../queue/clock.ts";

interface GuardOptions {
  kubeConfig: KubeConfigSource;
  /** Namespaces to check; empty for the whole cluster. */
  namespaces: string[];
  clock: Clock;
}

/**
 * Returns a message with the objects that prevent an uninstallation, or undefined without such objects.
 *
 * @throws KubeError if the operator cannot list the objects
 */
export async function objection({ kubeConfig, namespaces, clock }: GuardOptions): Promise<string | undefined> {
  const transport = createTransport({ config: () => loadKubeConfig(kubeConfig), clock });
  try {
    const scopes = namespaces.length === 0 ? [undefined] : namespaces;
    const found: string[] = [];
    for (const kind of [...kinds, cloudAccount]) {
      for (const namespace of scopes) found.push(...(await heldOf(transport, kind, namespace)));
    }
    return found.length === 0 ? undefined : explained(found);
  } finally {
    await transport.close();
  }
}

async function heldOf(
  transport: Transport,
  kind: { kind: string; plural: string },
  namespace: string | undefined,
): Promise<string[]> {
  const what = { resource: resourceOf(kind), metadataOnly: true, ...(namespace !== undefined && { namespace }) };
  try {
    const { objects } = await listAll(transport, listRequest(what));
    return objects
      .filter(({ metadata }) => metadata.finalizers?.includes(finalizer))
      .map(({ metadata }) => `${kind.kind.toLowerCase()}/${metadata.name} in ${metadata.namespace}`);
  } catch (error) {
    // The definition does not exist, and neither do its objects.
    if (isKubeError(error) && error.status === 404) return [];
    throw error;
  }
}

function explained(found: string[]): string {
  const shown = found.slice(0, 10).map((one) => `  ${one}`);
  const more = found.length > shown.length ? [`  and ${found.length - shown.length} more`] : [];
  return [
    `refused: these ${found.length} objects need the operator. Without the operator, Kubernetes cannot delete the objects and their namespaces:`,
    ...shown,
    ...more,
    "Do one of the following, then uninstall:",
    "  - delete the objects. The operator also deletes the cloud objects, unless spec.management.deletionPolicy is Orphan",
    "  - keep the cloud objects: set spec.management.deletionPolicy to Orphan, then delete the objects",
    "  - keep the objects for a later installation: uninstall without this check (helm uninstall --no-hooks)",
  ].join("\n");
}
