import { randomUUID } from "node:crypto";
import { test } from "vitest";
import { stringify } from "yaml";
import { sharedControlPlane } from "./control-plane.ts";
import type { ControlPlane } from "./control-plane.ts";
import { testNamespace } from "./test-namespace.ts";

/** A test with `cluster`, the shared control plane, and `namespace`, a fresh one of its own. */
export const clusterTest = test.extend<{ cluster: ControlPlane; namespace: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
  cluster: async ({}, use) => {
    await use(sharedControlPlane());
  },
  namespace: async ({ cluster }, use) => {
    const name = `test-${randomUUID().slice(0, 8)}`;
    const made = await cluster.kubectl(["create", "-f", "-"], { input: stringify(testNamespace(name)) });
    if (made.code !== 0) throw new Error(`namespace ${name}: ${made.stderr}`);
    await use(name);
  },
});
