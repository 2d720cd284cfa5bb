import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { packageName, simulatorPackage } from "../../tools/bundle/simulator-package.ts";

const folder = mkdtempSync(join(tmpdir(), "package-"));
const home = join(folder, "home");
const made = join(folder, "package");
/** Nothing of this project's installation, and no way to any registry. */
const environment = {
  PATH: `${join(process.execPath, "..")}:${process.env["PATH"] ?? ""}`,
  HOME: home,
  npm_config_offline: "true",
  npm_config_update_notifier: "false",
  npm_config_cache: join(folder, "cache"),
};

/** Packed as it would be published, and installed where nothing else is. */
beforeAll(async () => {
  mkdirSync(home);
  await simulatorPackage(made);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: made, env: environment });
  writeFileSync(join(home, "package.json"), "{}");
  const tarball = `${packageName}-${version()}.tgz`;
  execFileSync("npm", ["install", "--silent", join(folder, tarball)], { cwd: home, env: environment });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function version(): string {
  return spawnSync(process.execPath, [join(made, "start.mjs"), "--version"], { encoding: "utf8" }).stdout.trim();
}

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
