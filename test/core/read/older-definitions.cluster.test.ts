import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDefinitions } from "../../../src/core/read/definition.ts";
import { createFreshReads } from "../../../src/core/read/fresh.ts";
import { domain } from "../../../src/kinds/domains/domain.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { startControlPlane } from "../../support/control-plane.ts";
import type { OwnControlPlane } from "../../support/control-plane.ts";
import { installDefinitions } from "../../support/definitions.ts";
import { startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

/** A real API server drops fields of stored objects after an administrator applies an older definition. */
const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};
const ref = { name: "domains.cloudplatform.dev" };
const lost = ["deletionPolicy", "protect", "policy"];

let cluster: OwnControlPlane;
let world: World;

beforeAll(async () => {
  cluster = await startControlPlane();
  await installDefinitions(cluster.kubectl);
  world = await startWorld(cluster);
});
afterAll(async () => {
  await world?.stop();
  await cluster?.stop();
});

interface Schema {
  properties?: Record<string, Schema>;
  "x-kubernetes-validations"?: { rule: string }[];
}

function without(schema: Schema): Schema {
  const { properties, "x-kubernetes-validations": rules, ...rest } = schema;
  const kept = Object.entries(properties ?? {}).filter(([name]) => !lost.includes(name));
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(kept.map(([name, inner]) => [name, without(inner)])) }),
    ...(rules && {
      "x-kubernetes-validations": rules.filter(({ rule }) => !lost.some((field) => rule.includes(field))),
    }),
  };
}

/** Applies the definition without the fields, and returns the former versions. */
async function downgrade(): Promise<object[]> {
  const { spec } = (await world.kube.get(definitions, ref))!;
  const { versions } = spec as { versions: { schema: { openAPIV3Schema: Schema } }[] };
  const older = versions.map(({ schema, ...rest }) => ({
    ...rest,
    schema: { openAPIV3Schema: without(schema.openAPIV3Schema) },
    selectableFields: [],
  }));
  await world.kube.patch(definitions, ref, { spec: { versions: older } });
  return versions;
}

/** Returns the fields that the operator misses in the published schema, without the permission to read the definition. */
function missingAsPublished(): Promise<readonly string[]> {
  const { kube } = world;
  const reads = createDefinitions({ kube, fresh: createFreshReads({ kube, clock: systemClock }), isNamespaced: true });
  const read = reads.read(domain, { answered: 0, begun: 0 });
  return read.then(({ missing }) => missing);
}

test("an object with deletionPolicy: Orphan keeps its cloud object after the definition lost the field", async () => {
  const spec = { domain: "kept.example.org", type: "master", soaEmail: "a@example.org" };
  await world.apply(world.object("Domain", "kept", { ...spec, management: { deletionPolicy: "Orphan" } }));
  await world.ready("Domain", "kept");
  expect(await missingAsPublished()).toEqual([]);
  const versions = await downgrade();
  await world.until("Domain", "kept", (object) => JSON.stringify(object.spec?.["management"] ?? {}) === "{}");
  await world.remove("Domain", "kept");
  const isRefused = ({ status }: { status?: object }) => JSON.stringify(status).includes("OutdatedDefinition");
  await world.until("Domain", "kept", isRefused);
  const listed = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${world.simulator.token}` };
    return (await fetch(`${world.simulator.url}/v4/domains`, { headers })).text();
  };
  expect(await listed()).toContain("kept.example.org");
  // The operator relies on the published schema three seconds after the deletion of an object.
  await vi.waitFor(async () => expect(await missingAsPublished()).toContain("spec.management.deletionPolicy"), 3_000);
  await world.kube.patch(definitions, ref, { spec: { versions } });
  await world.gone("Domain", "kept", 60_000);
}, 120_000);
