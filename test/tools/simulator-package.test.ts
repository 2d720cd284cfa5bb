import { execFileSync, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { packageName, simulatorPackage } from "../../tools/bundle/simulator-package.ts";
import { installedPackage } from "./installed-package.ts";

const { folder, home, made, environment } = installedPackage(packageName, simulatorPackage);

test("the program prints the version of the package", () => {
  const { stdout } = spawnSync(process.execPath, [join(made, "start.mjs"), "--version"], { encoding: "utf8" });
  expect(stdout.trim()).toBe(manifest.version);
});

test("npx runs the installed package, and what it prints works as printed", { timeout: 60_000 }, async () => {
  const child = spawn("npx", [packageName, "--port", "0", "--token", "T"], {
    cwd: home,
    env: environment,
    detached: true,
  });
  onTestFinished(() => void process.kill(-Number(child.pid), "SIGKILL"));
  let out = "";
  child.stdout.on("data", (text: Buffer) => (out += String(text)));
  await expect.poll(() => out, { timeout: 40_000 }).toContain("curl");
  const url = /listening on (\S+)/.exec(out)?.[1] ?? "";
  expect(await (await fetch(`${url}/healthz`)).text()).toBe("ok\n");
  expect(out).toContain(`${packageName}: token T\n`);
  const line = /try: (curl .*)\n/.exec(out)?.[1] ?? "";
  const answer = execFileSync("sh", ["-c", `${line} --silent --fail`], { encoding: "utf8" });
  expect(JSON.parse(answer)).toMatchObject({ username: "demo" });
});

test("the package brings no dependencies", () => {
  const listed = execFileSync("npm", ["ls", "--all", "--parseable"], { cwd: home, env: environment, encoding: "utf8" });
  expect(listed.trim().split("\n")).toEqual([home, join(home, "node_modules", packageName)]);
});

test("an older Node is told in one line which one is wanted", () => {
  const older = join(folder, "older.cjs");
  writeFileSync(older, 'Object.defineProperty(process.versions, "node", { value: "20.20.2" });');
  const script = join(home, "node_modules", packageName, "start.mjs");
  const ended = spawnSync(process.execPath, ["--require", older, script], { encoding: "utf8" });
  expect(ended).toMatchObject({
    status: 1,
    stdout: "",
    stderr: `${packageName}: needs Node 24 or newer, and this is Node 20.20.2\n`,
  });
});
