/** `make kind` on a machine without its programs: one sentence, before anything is built or created. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

/** Runs `make kind` with only these programs, each a script. */
function makeKind(programs: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "programs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const run = spawnSync(process.execPath, ["tools/kind.ts"], { encoding: "utf8", env: { PATH: folder } });
  return { code: run.status, output: run.stdout + run.stderr };
}

it.each([
  { why: "no program", programs: {}, text: "make kind needs docker, which is not installed." },
  {
    why: "a Docker without a daemon",
    programs: { docker: 'echo "Cannot connect to the Docker daemon." >&2; exit 1' },
    text: "make kind needs docker: Cannot connect to the Docker daemon.",
  },
  {
    why: "no kind",
    programs: { docker: "exit 0" },
    text: "make kind needs kind, which is not installed.",
  },
])("with $why", ({ programs, text }) => {
  expect(makeKind(programs)).toEqual({ code: 1, output: `${text}\n` });
});
