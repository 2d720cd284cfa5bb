import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { startGuard } from "../../tools/local-cluster/guarded.ts";
import { startProcess } from "../../tools/local-cluster/process.ts";
import { freePort, onFreePort } from "../../tools/local-cluster/servers.ts";

const rooms = join(import.meta.dirname, "..", "..", "tools", "local-cluster");

it("leaves no process and no folder when the one who started them is killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "guard-test-"));
  const script = `
    import { startGuard } from ${JSON.stringify(join(rooms, "guarded.ts"))};
    import { startProcess } from ${JSON.stringify(join(rooms, "process.ts"))};
    const guard = startGuard(${JSON.stringify(folder)});
    const child = await startProcess({ name: "sleep", command: "sleep", args: ["600"], guard, ready: () => true });
    console.log(child.pid);
  `;
  writeFileSync(join(folder, "starter.mts"), script);
  const starter = spawn(process.execPath, [join(folder, "starter.mts")], { stdio: ["ignore", "pipe", "inherit"] });
  let pid = 0;
  for await (const line of createInterface({ input: starter.stdout })) {
    pid = Number(line);
    starter.kill("SIGKILL");
  }
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => [isRunning(pid), existsSync(folder)], { timeout: 5000 }).toEqual([false, false]);
});

it("says why a program did not start, with the end of its output", async () => {
  const folder = mkdtempSync(join(tmpdir(), "guard-test-"));
  const guard = startGuard(folder);
  const args = ["-c", "echo bad flag >&2; exit 3"];
  const attempt = startProcess({ name: "server", command: "sh", args, guard, ready: () => false });
  await expect(attempt).rejects.toThrow(/server ended \(exit code 3\):\nbad flag/);
  await guard.close();
  expect(existsSync(folder)).toBe(false);
});

it("ends the children of a program that itself ends politely", async () => {
  const guard = startGuard(mkdtempSync(join(tmpdir(), "guard-test-")));
  const args = ["-c", "sleep 600 & echo child $!; wait"];
  const ready = (output: string): boolean => output.includes("child");
  const running = await startProcess({ name: "shell", command: "sh", args, guard, ready });
  const pid = Number(/child (\d+)/.exec(running.output())?.[1]);
  await running.stop();
  await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
  await guard.close();
});

it("kills a program that ignores the polite signal", { timeout: 15_000 }, async () => {
  const guard = startGuard(mkdtempSync(join(tmpdir(), "guard-test-")));
  const args = ["-c", "trap '' TERM; echo up; while :; do sleep 1; done"];
  const ready = (output: string): boolean => output.includes("up");
  const running = await startProcess({ name: "stubborn", command: "sh", args, guard, ready });
  await running.stop();
  expect(await running.ended).toBe("ended (SIGKILL)");
  await guard.close();
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("a server whose port somebody else has taken meanwhile is started on another one", async () => {
  const tried: number[] = [];
  const start = (port: number) => {
    tried.push(port);
    if (tried.length < 3) throw new Error("etcd ended: listen tcp 127.0.0.1: bind: address already in use");
    return Promise.resolve(port);
  };
  expect(await onFreePort(start)).toBe(tried[2]);
  expect(tried).toHaveLength(3);
});

it("…and is not started again where it fails for another reason", async () => {
  let times = 0;
  const start = () => {
    times += 1;
    throw new Error("etcd ended: no space left on device");
  };
  await expect(onFreePort(start)).rejects.toThrow("no space left");
  expect(times).toBe(1);
});

it("a free port is none that the system gives to a connection before the server has it", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  const connection = createServer().listen(0, "127.0.0.1");
  await once(connection, "listening");
  const given = (connection.address() as AddressInfo).port;
  connection.close();
  expect(given).toBeGreaterThan(32_767);
  expect(Math.max(...ports)).toBeLessThanOrEqual(32_767);
});
