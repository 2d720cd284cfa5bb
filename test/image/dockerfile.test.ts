import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeEnvironment, nodeFlags } from "../../tools/bundle/bundle.ts";

/** Instructions with their arguments, continued lines joined. */
const instructions = readFileSync("Dockerfile", "utf8")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => /^[A-Z]+ /.test(line))
  .map((line) => ({ name: line.split(" ")[0] ?? "", rest: line.slice(line.indexOf(" ") + 1) }));
const begin = instructions.findLastIndex(({ name }) => name === "FROM");
const [build, last] = [instructions.slice(0, begin), instructions.slice(begin)];
const all = (where: typeof instructions, name: string): string[] =>
  where.filter((one) => one.name === name).map(({ rest }) => rest);

test("every base is pinned by digest, and the image is built for each architecture without emulation", () => {
  for (const from of all(instructions, "FROM")) expect(from).toMatch(/@sha256:[0-9a-f]{64}( AS \w+)?$/);
  expect(build[0]?.rest).toContain("--platform=$BUILDPLATFORM ");
  // Whatever runs in the last stage would run in the target's architecture, and need a shell.
  expect(all(last, "RUN")).toEqual([]);
});

test("the image runs as a user without rights, by its number, and as the bundle was measured", () => {
  expect(all(last, "USER")).toEqual(["65532:65532"]);
  expect(JSON.parse(all(last, "ENTRYPOINT")[0] ?? "")).toEqual(["/nodejs/bin/node", ...nodeFlags]);
  expect(all(last, "ENV")).toEqual(Object.entries(nodeEnvironment).map(([name, value]) => `${name}=${value}`));
  expect(JSON.parse(all(last, "CMD")[0] ?? "")).toEqual(["/app/operator.mjs"]);
});

test(
  "what the build stage copies is let through to it, and is enough to make what the image holds",
  { timeout: 60_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "image-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const allowed = readFileSync(".dockerignore", "utf8").split("\n");
    for (const copied of all(build, "COPY")) {
      const names = copied.split(" ");
      const target = names.pop() ?? "";
      for (const name of names) {
        expect(allowed).toContain(`!${name}`);
        const place = target.endsWith("/") ? join(folder, target, name.split("/").at(-1) ?? "") : join(folder, target);
        mkdirSync(dirname(place), { recursive: true });
        cpSync(name, place, { recursive: true });
      }
    }
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    const [, ...run] = (all(build, "RUN").at(-1) ?? "").split(" ");
    execFileSync(process.execPath, run, { cwd: folder });
    const taken = (all(last, "COPY")[0] ?? "").split(" ").filter((name) => name.startsWith("/build/"));
    expect(taken.map((name) => existsSync(name.replace("/build", folder)))).toEqual(taken.map(() => true));
  },
);
