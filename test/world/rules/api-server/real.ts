/** A real API server, whose deletions are held by an admission webhook between reading an object and removing it. */
import { createKubeClient } from "../../../../src/cluster/client.ts";
import { apiVersionOf, collectionPath, objectPath, withQuery } from "../../../../src/cluster/paths.ts";
import { watch } from "../../../../src/cluster/watch.ts";
import type { WatchEvent } from "../../../../src/twin/objects.ts";
import { transportFor, realClock } from "../../../cluster/support.ts";
import type { Body, ApiServer } from "./side.ts";
import type { Resource } from "../../../../src/cluster/types.ts";
import type { HeldDeletions } from "./held-deletions.ts";

export interface RealApiServer {
  /** For one rule. */
  side: (name: string) => ApiServer;
  close: () => Promise<void>;
}

export function openReal(kubeconfig: string, namespace: string, held: HeldDeletions): RealApiServer {
  const transport = transportFor(kubeconfig);
  const kube = createKubeClient(transport);
  const remove: ApiServer["delete"] = async (resource, ref, preconditions) => {
    const body = { apiVersion: "v1", kind: "DeleteOptions", ...(preconditions && { preconditions }) };
    const call = { verb: "delete", resource: resource.plural, idempotent: false };
    await transport.request({ ...call, method: "DELETE", path: objectPath(resource, ref), body });
  };
  /** Up to an object that is made for it: what was told before that is all there is. */
  const eventsAfter = async (resource: Resource, version: string, name: string): Promise<WatchEvent[]> => {
    const last = await kube.create(resource, lastOf(resource, { namespace, name: `${name}-last` }));
    const path = withQuery(collectionPath(resource, namespace), { watch: "1", resourceVersion: version });
    const abort = new AbortController();
    const request = { path, resource: resource.plural, signal: abort.signal };
    const options = { transport, clock: realClock, readDeadlineMs: 20_000, onOpen: () => undefined };
    const events: WatchEvent[] = [];
    for await (const event of watch(request, options)) {
      if (event.object.metadata.uid === last.metadata.uid) break;
      events.push(event as WatchEvent);
    }
    abort.abort();
    return events;
  };
  const side = (name: string): ApiServer => ({
    ref: { namespace, name },
    create: (resource, object, dryRun = false) => kube.create(resource, { ...typeOf(resource), ...object }, { dryRun }),
    get: (resource, ref) => kube.get(resource, ref),
    list: (resource, options) => kube.list(resource, options),
    patch: (resource, ref, patch, subresource, dryRun = false) =>
      kube.patch(resource, ref, patch, { dryRun, ...(subresource && { subresource }) }),
    delete: remove,
    beginDelete: (resource, ref, preconditions) => held.begin(ref, () => remove(resource, ref, preconditions)),
    eventsAfter: (resource, version) => eventsAfter(resource, version, name),
    async untilGone(resource, ref) {
      // The garbage collector learns of new definitions every 30 seconds.
      for (let left = 240; left > 0 && (await kube.get(resource, ref)) !== undefined; left -= 1)
        await new Promise((resolve) => setTimeout(resolve, 250));
    },
  });
  return { side, close: () => transport.close() };
}

function typeOf(resource: Resource): Body {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function lastOf(resource: Resource, metadata: object): Body {
  const spec = { sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh" };
  return { ...typeOf(resource), metadata, ...(resource.group !== "" && { spec }) };
}
