import { afterAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { makeChange } from "../contract/support/change.ts";
import { contractTest } from "../contract/support/contract-test.ts";
import { stageOf } from "../contract/support/stage.ts";
import { everyKind, isDelivered } from "../contract/support/subjects.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf } from "../support/world.ts";
import { record } from "./recording.ts";
import type { Recording } from "./recording.ts";
import { verdictsOn } from "./verdicts.ts";

interface Situation {
  name: string;
  /** Whether an object is in it; the first that fits counts. */
  is: (object: KubeObject) => boolean;
  kstatus: string;
  argo: string;
  /** Undefined: Flux asks kstatus before any expression. */
  flux: string | undefined;
}

const isTrue = (object: KubeObject, type: string): boolean => conditionOf(object, type)?.status === "True";

const situations: Situation[] = [
  {
    name: "being deleted",
    is: ({ metadata }) => metadata.deletionTimestamp !== undefined,
    kstatus: "Terminating",
    argo: "Progressing",
    flux: undefined,
  },
  {
    name: "not reconciled",
    is: ({ metadata, status }) => status?.["observedGeneration"] !== metadata.generation,
    kstatus: "InProgress",
    argo: "Progressing",
    flux: "InProgress",
  },
  {
    name: "stalled",
    is: (object) => isTrue(object, "Stalled"),
    kstatus: "Failed",
    argo: "Degraded",
    flux: "Failed",
  },
  {
    name: "paused",
    is: (object) => isTrue(object, "Ready") && conditionOf(object, "Ready")?.reason === "Paused",
    kstatus: "Current",
    argo: "Suspended",
    flux: "Current",
  },
  { name: "ready", is: (object) => isTrue(object, "Ready"), kstatus: "Current", argo: "Healthy", flux: "Current" },
  {
    name: "retrying",
    is: (object) => ["CloudUnavailable", "RateLimited"].includes(conditionOf(object, "Ready")?.reason ?? ""),
    kstatus: "InProgress",
    argo: "Progressing",
    flux: "InProgress",
  },
  { name: "on its way", is: () => true, kstatus: "InProgress", argo: "Progressing", flux: "InProgress" },
];

const situationOf = (object: KubeObject): Situation => situations.find(({ is }) => is(object)) ?? fail();

const recordings: Recording[] = [];
afterAll(async () => {
  for (const recording of recordings) await recording.close();
});

describe.concurrent("An object lives through all that can happen to it", () => {
  contractTest.for(everyKind)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const recording = await record(sharedControlPlane().kubeconfig, subject.kind, world.namespace);
    recordings.push(recording);
    const stage = stageOf(world, subject);
    await stage.prepare();
    const { method, path } = await stage.creation();
    const { faults } = world.simulator.control;
    const creation = { method, path, times: 1 };
    faults.add({ kind: "rate-limit", retryAfter: 1, ...creation });
    await stage.create();
    await stage.until((object) => situationOf(object).name === "retrying");
    faults.add({ kind: "status", status: 403, reason: "your token may not do this", ...creation });
    await stage.until((object) => situationOf(object).name === "stalled");
    // The same request is not repeated for minutes; another process does not know of the refusal.
    if (subject.example.changes && !isDelivered(subject)) await makeChange(stage);
    else await world.restartOperator();
    await stage.ready();

    await stage.patch({ spec: { management: { policy: "Paused" } } });
    await stage.condition("Ready", "Paused");
    await world.stopOperator();
    await stage.patch({ spec: { management: { policy: "Manage" } } });
    await world.restartOperator();
    await stage.ready();
    faults.add({ kind: "status", status: 500, method: "DELETE", times: 1 });
    await stage.remove();
    await stage.gone();
  });
});

test("kstatus, Argo CD and Flux are told the truth in every state of every kind", async () => {
  const states = recordings.flatMap((recording) => recording.states);
  const verdicts = await verdictsOn(states);
  const wrong = states.flatMap((object, index) => {
    const wanted = situationOf(object);
    const got = verdicts[index] ?? fail();
    const right =
      got.kstatus.status === wanted.kstatus &&
      got.argo.status === wanted.argo &&
      (wanted.flux === undefined || got.flux.status === wanted.flux);
    return right ? [] : [{ situation: wanted.name, got, object }];
  });
  expect(wrong).toEqual([]);
  const lived = new Set(states.map((object) => `${object.kind} ${situationOf(object).name}`));
  // Their conditions are those of every shape: one place writes them.
  const expected = everyKind.flatMap(({ kind: { kind } }) =>
    ["being deleted", "not reconciled", "stalled", "paused", "ready", "retrying"].map((name) => `${kind} ${name}`),
  );
  expect(expected.filter((one) => !lived.has(one))).toEqual([]);
});

function fail(): never {
  throw new Error("no verdict");
}
