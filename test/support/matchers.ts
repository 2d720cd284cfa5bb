/** Matchers for objects of the cluster. */
import { expect } from "vitest";

interface Judged {
  status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
}

declare module "vitest" {
  // The names of the parameters must be those of vitest.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** Tests that the condition Ready is true. */
    toBeReady: () => R;
  }
}

expect.extend({
  toBeReady(object: Judged | undefined) {
    const ready = object?.status?.conditions?.find(({ type }) => type === "Ready");
    const shown = ready ? `${ready.reason}: ${ready.message}` : object ? "no condition Ready" : "no object";
    const pass = ready?.status === "True";
    return { pass, message: () => `expected the object ${pass ? "not " : ""}to be ready; it shows ${shown}` };
  },
});
