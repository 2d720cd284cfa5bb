import { expect, it } from "vitest";
import { keptOfObjects } from "../../../src/core/model/kept.ts";
import { sourcesOf } from "../../support/sources.ts";

/** Annotations of Secrets and Leases. The operator reads these objects from the API server. */
const ofOthers = ["cloudplatform.dev/credential", "cloudplatform.dev/namespaces", "cloudplatform.dev/published-labels"];

it("caches of objects keep every annotation that the operator reads", () => {
  const defined = sourcesOf("src/core", "src/cluster").flatMap(({ text }) =>
    [...text.matchAll(/Annotation = "([^"]+)"/g)].map(([, name]) => name ?? ""),
  );
  expect(defined.length).toBeGreaterThan(8);
  expect([...keptOfObjects.annotations, ...ofOthers].toSorted()).toEqual(defined.toSorted());
});

it("no source but the caches and the API server's objects reads a label or an owner of an object of a kind", () => {
  const reading = sourcesOf("src/core", "src/observe", "src/kinds").filter(({ text }) =>
    /metadata\??\.labels|metadata: \{ labels|ownerReferences/.test(text),
  );
  // A mirror keeps its label. The other files read Secrets.
  expect(reading.map(({ path }) => path).toSorted()).toEqual([
    "src/core/kind/resource.ts",
    "src/core/lifecycle/controller.ts",
    "src/core/secrets/form.ts",
    "src/core/secrets/own-secrets.ts",
    "src/core/secrets/shown-once.ts",
    "src/core/shapes/issued.ts",
    "src/core/shapes/mirror.ts",
  ]);
});
