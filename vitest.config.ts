import { defineConfig } from "vitest/config";

/** Where tests find a control plane, and have the time that it takes. */
const onControlPlane = {
  globalSetup: ["test/support/cluster-setup.ts"],
  setupFiles: ["test/support/matchers.ts", "test/support/file-setup.ts"],
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // As long as a test's other waits: within vitest's one second a busy machine does not even start kubectl.
  expect: { poll: { timeout: 20_000 } },
};

/**
 * `unit` is fast and needs no other program. `cluster` runs on a real control plane, which starts once for the run.
 * `campaigns` and `gitops` run on real control planes after the others: they judge a whole operator, and mostly wait for it.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    // No test changes a module. A worker imports the modules once, which takes three seconds on a busy machine.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.cluster.test.ts", "test/**/*.gitops.test.ts"],
          setupFiles: ["test/support/matchers.ts", "test/support/unit-setup.ts"],
          testTimeout: 10_000,
          // A busy machine gives a poll few turns within vitest's one second.
          expect: { poll: { timeout: 8_000 } },
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...onControlPlane,
          name: "cluster",
          include: ["test/**/*.cluster.test.ts"],
          exclude: ["test/campaigns/**"],
          // A third of their time they wait.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...onControlPlane,
          name: "campaigns",
          include: ["test/campaigns/**/*.cluster.test.ts"],
          // Leases, windows and restarts are waited for even longer.
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          ...onControlPlane,
          name: "gitops",
          include: ["test/gitops/**/*.gitops.test.ts"],
          // Each story starts an operator and a simulator, and reconciles through one controller.
          maxConcurrency: 6,
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
