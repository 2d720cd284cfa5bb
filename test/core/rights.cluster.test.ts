import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { expect, test } from "vitest";
import { kinds } from "../../src/kinds/registry.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";

interface Role {
  kind: string;
  rules?: { resources: string[]; verbs: string[] }[];
}

const operator = "cloud-platform-operator";
const roles = parseAllDocuments(readFileSync("deploy/rbac/operator.yaml", "utf8")).map((one) => one.toJS() as Role);
const granted = roles
  .flatMap(({ rules = [] }) => rules)
  .flatMap(({ resources, verbs }) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)));

test("the operator works with exactly the rights of its roles: none is missing, none is unused", async () => {
  const cluster = sharedControlPlane();
  await cluster.kubectl(["create", "namespace", operator]);
  const applied = await cluster.kubectl(["apply", "-n", operator, "-f", "deploy/rbac/operator.yaml"]);
  expect(applied.stderr).toBe("");
  const file = await cluster.addServiceAccount(operator, operator);
  const user = `system:serviceaccount:${operator}:${operator}`;
  const world = await startWorld(cluster, {
    operator: {
      kubeConfig: { file },
      installationId: undefined,
      leaderElection: { namespace: operator, name: operator },
    },
  });
  try {
    const samples = kinds.flatMap((kind) =>
      kind.examples.filter(({ sample }) => sample).map(({ name, spec }) => ({ kind: kind.kind, name, spec })),
    );
    for (const { kind, name, spec } of samples) await world.apply(world.object(kind, name, spec));
    for (const { kind, name } of samples) await world.ready(kind, name, 60_000);
    for (const { kind, name } of samples) await world.remove(kind, name);
    for (const { kind, name } of samples) await world.gone(kind, name, 60_000);
    await world.remove("CloudAccount", "default");
    await world.gone("CloudAccount", "default");
  } finally {
    await world.stop();
  }
  const requests = cluster.auditLog().filter((entry) => entry.user === user);
  expect(requests.filter(({ code }) => code === 403)).toEqual([]);
  const used = new Set(requests.map(({ verb, resource }) => `${verb} ${resource}`));
  expect(granted.filter((right) => !used.has(right) && !asTheyCome.test(right))).toEqual([]);
});

/**
 * Rights whose use depends on what happens: an API server without streamed lists, or a restored one, is listed; a kind
 * is read before what cannot be undone; an event is patched when it repeats.
 */
const asTheyCome = /^(list \w+|get (cloudaccounts|domainrecords)|patch events)$/;
