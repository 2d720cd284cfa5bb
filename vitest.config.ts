import { defineConfig } from "vitest/config";

const onControlPlane = {
  globalSetup: ["test/support/cluster-setup.ts"],
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/**
 * `unit` is fast and needs nothing; `cluster` runs on a real control plane, started once for the run; `campaigns` too,
 * one after the other, because they judge what a whole operator does with the machine to itself.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.cluster.test.ts"],
          testTimeout: 10_000,
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
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...onControlPlane,
          name: "campaigns",
          include: ["test/campaigns/**/*.cluster.test.ts"],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
