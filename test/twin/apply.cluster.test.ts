/** The API server of a run refuses the same manifests as a real API server, for the same fields. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKubeClient } from "../../src/cluster/client.ts";
import { loadKubeConfig } from "../../src/cluster/credentials.ts";
import { KubeError } from "../../src/cluster/errors.ts";
import { createTransport } from "../../src/cluster/transport.ts";
import type { Transport } from "../../src/cluster/transport.ts";
import type { KubeClient, KubeObject } from "../../src/cluster/types.ts";
import { resourceOf } from "../../src/core/kind/resource.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { systemClock } from "../../src/process/clock.ts";
import { apply } from "../../src/twin/apply.ts";
import { createRunClock } from "../../src/twin/clock.ts";
import { createObjects } from "../../src/twin/objects.ts";
import type { Objects } from "../../src/twin/objects.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { testNamespace } from "../support/test-namespace.ts";
import { objectOf, wrongSpecs } from "./wrong-manifests.ts";
import type { Wrong } from "./wrong-manifests.ts";

let transport: Transport;
let kube: KubeClient;
let namespace: string;

beforeAll(async () => {
  const plane = sharedControlPlane();
  namespace = `wrong-${randomUUID().slice(0, 8)}`;
  await plane.kubectl(["create", "-f", "-"], { input: JSON.stringify(testNamespace(namespace)) });
  transport = createTransport({ config: () => loadKubeConfig({ file: plane.kubeconfigPath }), clock: systemClock });
  kube = createKubeClient(transport);
});
afterAll(() => transport.close());

/** The API server reads a list in a field with the format date-time as its first entry, or blames the object around it. */
const isOdd = ({ what }: Wrong): boolean => what.startsWith('notAfter = ["a"');

const described = [...kinds, cloudAccount].filter(({ examples }) => examples.length > 0);

describe.each(described)("$kind", (kind) => {
  const valid = objectOf(kind);
  const resource = resourceOf(kind);

  it("is refused at creation for the same fields", async () => {
    const differences: string[] = [];
    await eachOf(wrongOf(valid.spec), async ({ what, spec }) => {
      const object = { ...valid, metadata: { ...valid.metadata, namespace }, spec };
      const real = await refusalOf(() => kube.create(resource, object, { dryRun: true }));
      compare(differences, what, real, refusedIn(newObjects(), object));
    });
    expect(differences).toEqual([]);
  });

  it("is refused after a change for the same fields", async () => {
    const object = { ...valid, metadata: { ...valid.metadata, namespace } };
    const stored = await kube.create(resource, object);
    const differences: string[] = [];
    await eachOf(wrongOf(valid.spec), async ({ what, spec }) => {
      const replaced = {
        ...object,
        metadata: { ...object.metadata, resourceVersion: stored.metadata.resourceVersion },
        spec,
      };
      const real = await refusalOf(() => replace(kind.plural, replaced));
      const objects = newObjects();
      objects.create(resource, object);
      compare(differences, what, real, refusedIn(objects, { ...object, spec }));
    });
    expect(differences).toEqual([]);
  });
});

function wrongOf(spec: Record<string, unknown>): Wrong[] {
  return wrongSpecs(spec).filter((one) => !isOdd(one));
}

function newObjects(): Objects {
  return createObjects({ clock: createRunClock(new Date("2026-06-01T00:00:00Z")) });
}

/** The fields of a refusal; undefined for an accepted object. */
type Fields = string[] | undefined;

async function refusalOf(call: () => Promise<unknown>): Promise<Fields> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return fieldsIn(error.message);
  }
}

/** Reads the fields from the text of the API server: `x is invalid: [a.b: Required value, c: Invalid value: …]`. */
function fieldsIn(message: string): string[] {
  const found = message.matchAll(
    /(?:is invalid: \[?|, )((?:spec|metadata|<nil>)[^:\s]*): (?:Required|Invalid|Unsupported|Too|Duplicate|Forbidden)/g,
  );
  return [...new Set([...found].map(([, field = ""]) => field))].filter((field) => field !== "<nil>").toSorted();
}

function refusedIn(objects: Objects, object: Record<string, unknown>): Fields {
  const applied = apply(objects, { file: "wrong.yaml", object }, "default");
  if (applied.result !== "refused") return undefined;
  return [...new Set(applied.refusals.map(({ field }) => field))].toSorted();
}

/** Adds the refusals that differ. */
function compare(differences: string[], what: string, real: Fields, own: Fields): void {
  const said = (fields: Fields) => fields?.join(", ") ?? "accepted";
  if (said(real) !== said(own)) differences.push(`${what}: ${said(real)}; here: ${said(own)}`);
}

async function eachOf<T>(all: T[], run: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

function replace(plural: string, object: { metadata: { name: string } }): Promise<KubeObject> {
  const path = `/apis/cloudplatform.dev/v1alpha1/namespaces/${namespace}/${plural}/${object.metadata.name}?dryRun=All`;
  const call = { method: "PUT" as "PATCH", path, body: object, idempotent: false, verb: "update", resource: plural };
  return transport.request(call) as Promise<KubeObject>;
}
