import { defineConfig } from "vitest/config";
import { onControlPlane } from "../../vitest.config.ts";

/** What runs other people's controllers: they take minutes to build, so that it is no part of all tests. */
export default defineConfig({
  test: {
    ...onControlPlane,
    name: "gitops",
    include: ["test/gitops/**/*.gitops.test.ts"],
    maxConcurrency: 6,
  },
});
