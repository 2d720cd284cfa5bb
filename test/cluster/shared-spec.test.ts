import { expect, it } from "vitest";
import { createStore } from "../../src/cluster/store.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { resources } from "../../src/twin/definitions.ts";
import { createMovedClock } from "../support/clock.ts";

const resource = [...resources.values()][0];

function version(resourceVersion: string, generation: number, spec: Record<string, unknown>): KubeObject {
  const metadata = { name: "a", namespace: "here", uid: "u-1", resourceVersion, generation };
  return { apiVersion: "v1", kind: "Any", metadata, spec } as KubeObject;
}

it.each([
  { what: "a later version with an equal spec has the spec of the earlier one", generation: 1, port: 1, same: true },
  { what: "a changed spec is kept as it is", generation: 2, port: 2, same: false },
  {
    what: "so is a spec that changed without its generation, as after older definitions",
    generation: 1,
    port: 2,
    same: false,
  },
])("$what", ({ generation, port, same }) => {
  if (!resource) throw new Error("the world has no resource");
  const store = createStore({ resource, clock: createMovedClock() }, () => undefined);
  const sink = store.sink(undefined, () => undefined);
  const first = version("5", 1, { ports: [1] });
  sink.apply("ADDED", first);
  const later = version("6", generation, { ports: [port] });
  store.written(later);
  const kept = store.get("here/a");
  expect(kept?.metadata.resourceVersion).toBe("6");
  expect(kept?.spec).toEqual({ ports: [port] });
  expect(kept?.spec === first.spec).toBe(same);
});
