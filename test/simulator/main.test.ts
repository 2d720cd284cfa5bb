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
): { child: ChildProcess; ended: Promise<Ended>; out: () => string } {
  const child = spawn(process.execPath, ["src/simulator/main.ts", ...flags], { env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, error] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (out += String(text)));
  child.stderr.on("data", (text: Buffer) => (error += String(text)));
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, out, error })));
  return { child, ended, out: () => out };
}

test.each([
  { flags: ["--port", "abc"], env: {}, names: "--port", why: "not a number" },
  { flags: ["--rate-limits", "maybe"], env: {}, names: "--rate-limits", why: "neither on nor off" },
  { flags: ["--brand-word", "Two Words"], env: {}, names: "--brand-word", why: "no single word" },
  { flags: ["--colour"], env: {}, names: "--colour", why: "no such flag" },
  {
    flags: [],
    env: { CLOUD_SIMULATOR_TIME_SCALE: "0" },
    names: "CLOUD_SIMULATOR_TIME_SCALE",
    why: "out of its bounds",
  },
])("a wrong setting is one line that names $names, and exit 2: $why", async ({ flags, env, names }) => {
  const { code, error } = await start(flags, env).ended;
  expect(code).toBe(2);
  expect(error.trim().split("\n")).toHaveLength(1);
  expect(error).toContain(names);
});

test("--help lists every setting with its variable", async () => {
  const { code, out } = await start(["--help"]).ended;
  expect(code).toBe(0);
  for (const flag of ["port", "host", "brand-word", "time-scale", "database", "token", "control-token", "rate-limits"])
    expect(out).toContain(`--${flag}`);
  expect(out).toContain("CLOUD_SIMULATOR_PORT");
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
