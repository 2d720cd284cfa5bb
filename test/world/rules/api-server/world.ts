import { createWorldClock } from "../../clock.ts";
import { createObjects } from "../../../../src/twin/objects.ts";
import type { WatchEvent } from "../../../../src/twin/objects.ts";
import { checkStatus } from "../../../../src/twin/check-status.ts";
import { keys, secrets } from "./side.ts";
import type { ApiServer } from "./side.ts";

/** The world's model of the API server, empty. */
export function openModel(): ApiServer {
  const clock = createWorldClock();
  const objects = createObjects({ clock, checkStatus });
  const events = new Map([keys, secrets].map((resource) => [resource.plural, [] as WatchEvent[]]));
  for (const resource of [keys, secrets]) objects.watch(resource, (event) => events.get(resource.plural)?.push(event));
  return {
    ref: { namespace: "default", name: "rule" },
    create: (resource, object, dryRun) => soon(() => objects.create(resource, object, dryRun)),
    get: (resource, ref) => soon(() => objects.get(resource, ref)),
    list: (resource, options) => soon(() => objects.list(resource, options)),
    patch: (resource, ref, patch, subresource, dryRun) =>
      soon(() => objects.patch(resource, ref, patch, subresource, dryRun)),
    delete: (resource, ref, preconditions) => soon(() => objects.beginDelete(resource, ref, preconditions)()),
    beginDelete(resource, ref, preconditions) {
      return soon(() => objects.beginDelete(resource, ref, preconditions)).then((end) => () => soon(end));
    },
    eventsAfter({ plural }, version) {
      const isLater = ({ object }: WatchEvent) => Number(object.metadata.resourceVersion) > Number(version);
      return soon(() => (events.get(plural) ?? []).filter(isLater));
    },
    untilGone: () => clock.advance(1_000),
  };
}

function soon<T>(run: () => T): Promise<T> {
  return Promise.resolve().then(run);
}
