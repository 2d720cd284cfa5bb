import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startSimulator } from "../../../../src/simulator/simulator.ts";
import type { Simulator } from "../../../../src/simulator/simulator.ts";
import { createMovedClock } from "../../../support/clock.ts";
import type { MovedClock } from "../../../support/clock.ts";
import { DEBIAN } from "../../running.ts";

/** The connection broke: the client knows nothing. */
const unanswered = (): void => {};

interface Process {
  post(path: string, body?: object): Promise<Record<string, unknown>>;
  kill(): Promise<void>;
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "simulator-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "state.db");
}

/** The simulator as a process of its own, on a file. */
async function started(database: string): Promise<Process> {
  const flags = ["--port", "0", "--token", "demo-token", "--control-token", "control", "--database", database];
  const child = spawn(process.execPath, ["src/simulator/main.ts", "--rate-limits", "off", ...flags]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = await listening(child);
  const post: Process["post"] = async (path, body = {}) => {
    const token = path.startsWith("/_simulator") ? "control" : "demo-token";
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const target = token === "control" ? url + path : `${url}/v4${path}`;
    const reply = await fetch(target, { method: "POST", headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path} → ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as Record<string, unknown>;
  };
  const kill = (): Promise<void> =>
    new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.kill("SIGKILL");
    });
  return { post, kill };
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error("the simulator ended")));
    child.stdout?.on("data", (text: Buffer) => {
      const url = /listening on (\S+)/.exec(String(text))?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** A second start on the same file, in this process, with time that the test moves on from now. */
async function startedAgain(database: string): Promise<Simulator & { clock: MovedClock }> {
  const clock = createMovedClock(new Date());
  const simulator = await startSimulator({ database, token: "demo-token", clock });
  onTestFinished(() => simulator.close());
  return { ...simulator, clock };
}

test("after a kill the second start goes on with every job that was under way", { timeout: 60_000 }, async () => {
  const database = temporaryFile();
  const first = await started(database);
  const instances = [];
  for (let made = 0; made < 4; made += 1) instances.push((await first.post("/compute/instances", DEBIAN))["id"]);
  await first.post("/_simulator/clock", { advanceMs: 60_000 });
  const [moved, saved, watched, growing] = instances.map((id) => `/compute/instances/${String(id)}`);
  await first.post(`${moved}/migrate`, { region: "eu-west" });
  await first.post(`${saved}/backups`, { label: "before" });
  await first.post(`${watched}/backups/enable`);
  await first.post(`${growing}/resize`, { type: "g6-standard-2" });
  const { image } = await first.post("/images/upload", { label: "own", region: "us-east" });
  await first.kill();

  const second = await startedAgain(database);
  const rows = (table: string) => second.control.rows(table);
  expect(rows("instance").map((row) => row["status"])).toEqual(["migrating", "running", "running", "resizing"]);
  await second.clock.advance(5 * 60_000);
  expect(rows("instance")).toMatchObject([
    { status: "running", region: "eu-west", job: null },
    { status: "running", job: null },
    { status: "running", backups: { enabled: true, window: expect.stringMatching(/^W/) as string } },
    { status: "running", type: "g6-standard-2", job: null },
  ]);
  expect(rows("backup")).toMatchObject([{ label: "before", status: "successful" }]);
  expect(rows("event").every((event) => event["outcome"] !== null)).toBe(true);
  expect(rows("image")).toMatchObject([{ id: (image as { id: string }).id, status: "pending_upload" }]);
  await second.clock.advance(8 * 86_400_000);
  expect(rows("image")).toEqual([]);
  expect(rows("backup").map((backup) => backup["type"])).toContain("automatic");
});

test(
  "whatever moment the kill comes: what was answered is there, and the ledger tells of it",
  { timeout: 120_000 },
  async () => {
    const database = temporaryFile();
    const answered: unknown[] = [];
    for (const writes of [5, 17, 40]) {
      const child = await started(database);
      const key = { ssh_key: "ssh-rsa AAAA" };
      // More are on their way than are waited for: the kill finds some of them half done.
      const sent = Array.from({ length: writes + 20 }, () =>
        child.post("/profile/sshkeys", key).then(({ id }) => answered.push(id), unanswered),
      );
      await Promise.all(sent.slice(0, writes));
      await child.kill();
      await Promise.all(sent);
    }
    const last = await startedAgain(database);
    const stored = last.control.rows("sshkey").map((row) => row["id"]);
    expect(answered.filter((id) => !stored.includes(id))).toEqual([]);
    expect(new Set(stored).size).toBe(stored.length);
    const told = last.control.ledger({ mutating: true, applied: true }).flatMap((entry) => entry.changes);
    expect(told.map((change) => Number(change.id)).toSorted((a, b) => a - b)).toEqual(stored);
  },
);
