/** Figures of all objects are counted in pieces: a scrape must not keep the process from its lease and its watches. */
import { expect, it } from "vitest";
import type { Cache, KubeObject } from "../../src/cluster/types.ts";
import { createAccounts } from "../../src/core/account/accounts.ts";
import { createMemory } from "../../src/core/model/memory.ts";
import { figuresOf } from "../../src/wiring/figures.ts";
import { turnsDuring } from "../support/turns.ts";

function cacheOf(objects: KubeObject[]): Cache {
  return {
    get: () => undefined,
    list: () => objects,
    objects: () => objects,
    written: () => undefined,
    noteRead: () => undefined,
    onChange: () => undefined,
    synced: Promise.resolve(),
  };
}

function firewall(index: number, status?: Record<string, unknown>): KubeObject {
  const metadata = {
    name: `wall-${index}`,
    namespace: `team-${index % 2}`,
    uid: `uid-${index}`,
    resourceVersion: "1",
    creationTimestamp: "",
  };
  return { apiVersion: "cloudplatform.dev/v1alpha1", kind: "Firewall", metadata, ...(status && { status }) };
}

const condition = (type: string, status: string, reason: string) => ({ type, status, reason });

it("adds the monthly prices by namespace and kind, without objects that only observe", async () => {
  const observing = { spec: { management: { policy: "Observe" } } };
  const objects = [
    firewall(0, { monthly: "$12.00" }),
    firewall(1, { monthly: "$0.50" }),
    firewall(2, { monthly: "$2.50" }),
    firewall(3, { monthly: "a lot" }),
    { ...firewall(4, { monthly: "$100.00" }), ...observing },
  ];
  const figures = figuresOf(new Map([["Firewall", cacheOf(objects)]]), {
    accounts: createAccounts(cacheOf([])),
    memory: createMemory(),
  });
  expect((await figures.objects()).monthlyCosts).toEqual([
    { namespace: "team-0", kind: "Firewall", dollars: 14.5 },
    { namespace: "team-1", kind: "Firewall", dollars: 0.5 },
  ]);
});

it("counts conditions, and what is not ready, uncertain or left to others", async () => {
  const memory = createMemory();
  memory.of("uid-3").elsewhere = { holder: "team/other", at: 0 };
  const stalled = [condition("Ready", "False", "CreateUncertain"), condition("Stalled", "True", "CreateUncertain")];
  const objects = [
    firewall(0, { conditions: [condition("Ready", "True", "Ready")] }),
    firewall(1, { conditions: stalled }),
    firewall(2),
    firewall(3, { conditions: [condition("Ready", "True", "Ready")] }),
  ];
  const caches = new Map([["Firewall", cacheOf(objects)]]);
  const figures = figuresOf(caches, { accounts: createAccounts(cacheOf([])), memory });
  const kind = "Firewall";
  expect(await figures.objects()).toEqual({
    conditions: [
      { kind, condition: "Ready", status: "True", reason: "Ready", count: 2 },
      { kind, condition: "Ready", status: "False", reason: "CreateUncertain", count: 1 },
      { kind, condition: "Stalled", status: "True", reason: "CreateUncertain", count: 1 },
      { kind, condition: "Ready", status: "Unknown", reason: "", count: 1 },
    ],
    notReady: [
      { namespace: "team-1", count: 1 },
      { namespace: "team-0", count: 1 },
    ],
    uncertainCreates: [{ kind, count: 1 }],
    leftToOthers: [{ kind, count: 1 }],
    monthlyCosts: [],
  });
});

it("leaves turns to others while it counts many", async () => {
  const objects = Array.from({ length: 10_000 }, (_, index) => firewall(index));
  const caches = new Map([["Firewall", cacheOf(objects)]]);
  const figures = figuresOf(caches, { accounts: createAccounts(cacheOf([])), memory: createMemory() });
  expect(await turnsDuring(() => figures.objects())).toBeGreaterThanOrEqual(4);
});
