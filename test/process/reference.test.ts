import { Registry } from "@prometheus-io/client";
import { expect, it } from "vitest";
import { createMetrics } from "../../src/process/metrics.ts";
import { documentedMetrics, parsePage } from "./reference.ts";

const registry = new Registry();
const metrics = createMetrics(
  {
    sources: {
      queue: { keys: () => [] },
      workers: 1,
      objects: () =>
        Promise.resolve({ conditions: [], notReady: [], uncertainCreates: [], leftToOthers: [], monthlyCosts: [] }),
      snapshots: () => [],
      guards: () => [],
      feeds: () => [],
      rateLimits: () => [],
    },
    kinds: ["Domain"],
    apiServer: "host",
    version: "1",
  },
  registry,
);

it("docs/observability.md lists every metric there is, with its type, its labels and what it says of itself", async () => {
  const { types } = parsePage((await metrics.render()).body);
  const known = registry.getMetricsAsArray() as unknown as { name: string; help: string; labelNames: string[] }[];
  const there = known.map(({ name, help, labelNames }) => ({
    name,
    type: types.get(name) ?? "",
    labels: [...labelNames],
    meaning: help,
  }));
  const byName = (rows: { name: string }[]) => rows.toSorted((a, b) => a.name.localeCompare(b.name));
  expect(byName(documentedMetrics())).toEqual(byName(there));
});
