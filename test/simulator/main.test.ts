import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";

interface Ended {
  code: number | null;
  out: string;
  error: string;
}

function start(
  flags: string[],
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ended>; out: () => string; error: () => string } {
  const child = spawn(process.execPath, ["src/simulator/main.ts", ...flags], { env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, error] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (out += String(text)));
  child.stderr.on("data", (text: Buffer) => (error += String(text)));
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, out, error })));
  return { child, ended, out: () => out, error: () => error };
}

test("a wrong setting is one line that names it, and exit 2", async () => {
  const { code, out, error } = await start(["--port", "abc"]).ended;
  expect([code, out]).toEqual([2, ""]);
  expect(error).toBe(
    'cloud-platform-simulator: --port (CLOUD_SIMULATOR_PORT): must be a whole number from 0 to 65535, not "abc"\n',
  );
});

test("to be reached from elsewhere must be said, and is warned of", { timeout: 20_000 }, async () => {
  const { out, error } = start(["--port", "0", "--host", "0.0.0.0"]);
  await expect.poll(out, { timeout: 10_000 }).toContain("curl");
  expect(error()).toMatch(
    /^cloud-platform-simulator: warning: --host 0\.0\.0\.0 lets other machines reach the simulator\n$/,
  );
});

test("--help lists every setting with its variable", async () => {
  const { code, out } = await start(["--help"]).ended;
  expect(code).toBe(0);
  for (const flag of [
    "port",
    "host",
    "public-url",
    "tls-cert",
    "tls-key",
    "brand-word",
    "time-scale",
    "database",
    "token",
  ])
    expect(out).toContain(`--${flag} `);
  expect(out.replaceAll(/\s+/g, " ")).toContain("(CLOUD_SIMULATOR_PORT, default 8090)");
});

test("it prints where it listens with a request to try, and ends cleanly on SIGTERM", { timeout: 20_000 }, async () => {
  const { child, ended, out } = start(["--port", "0"], { CLOUD_SIMULATOR_TOKEN: "from-environment" });
  await expect.poll(out, { timeout: 10_000 }).toContain("curl");
  const url = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(out())?.[1] ?? "";
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const headers = { Authorization: "Bearer from-environment" };
  expect((await fetch(`${url}/v4/profile`, { headers })).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, error: "" });
});
