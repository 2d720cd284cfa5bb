import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createLogger } from "../../src/process/logger.ts";
import { createLooks } from "../../src/process/looks.ts";

const looks = createLooks("cloudplatform.dev");

it("a line of a look has controller-runtime's keys, however deep it is written", async () => {
  const lines: string[] = [];
  const stream = { write: (line: string) => lines.push(line) };
  const log = createLogger({ level: "info", format: "json", context: () => looks.fields(), stream });
  await looks.run("SSHKey/team/laptop", async () => {
    await turn();
    log.error({ error: new Error("no") }, "Reconciler error");
  });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    level: "error",
    ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    controller: "sshkey",
    controllerGroup: "cloudplatform.dev",
    controllerKind: "SSHKey",
    SSHKey: { name: "laptop", namespace: "team" },
    namespace: "team",
    name: "laptop",
    reconcileID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    error: "no",
    stacktrace: expect.any(String),
    msg: "Reconciler error",
  });
});

it("looks at the same time are told apart, and each has an id of its own", async () => {
  const seen = await Promise.all(
    ["SSHKey/team/a", "SSHKey/team/b"].map((key) =>
      looks.run(key, async () => {
        await turn();
        return looks.fields();
      }),
    ),
  );
  expect(seen.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(new Set(seen.map(({ reconcileID }) => reconcileID)).size).toBe(2);
});

it("what outlives its look, such as a timer that it set, belongs to none", async () => {
  const later = Promise.withResolvers<void>();
  const outliving = await looks.run("SSHKey/team/a", () =>
    Promise.resolve({ fields: later.promise.then(() => looks.fields()) }),
  );
  later.resolve();
  expect(await outliving.fields).toEqual({});
  expect(looks.fields()).toEqual({});
});

it("a look that fails ends as one", async () => {
  await expect(looks.run("SSHKey/team/a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(looks.current()).toBeUndefined();
});
