import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Store } from "../../../../src/simulator/server/store/store.ts";
import type { Table } from "../../../../src/simulator/server/store/store.ts";
import { startSimulator } from "../../../../src/simulator/simulator.ts";
import { DEBIAN, running } from "../../running.ts";

interface Thing {
  id: number;
  owner: number;
}
const THINGS: Table<Thing> = { name: "thing", key: (row) => row.id, parent: (row) => row.owner };

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "simulator-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "state.db");
}

test("a transaction that fails leaves no trace in memory or in the file", () => {
  const store = new Store(":memory:", () => 0, []);
  store.put(THINGS, "a", { id: 1, owner: 1 });
  const failing = (): void =>
    store.transaction(() => {
      store.put(THINGS, "a", { id: 2, owner: 1 });
      store.remove(THINGS, "a", 1);
      store.nextId("thing");
      throw new Error("refused");
    });
  expect(failing).toThrow("refused");
  expect(store.all(THINGS, "a")).toEqual([{ id: 1, owner: 1 }]);
  expect(store.children(THINGS, "a", 1)).toHaveLength(1);
  expect(store.nextId("thing")).toBe(1);
});

test("a transaction that fails undoes what it changed, and reads nothing else anew", () => {
  const store = new Store(":memory:", () => 0, []);
  const [first, second, foreign] = [
    store.put(THINGS, "a", { id: 1, owner: 1 }),
    store.put(THINGS, "a", { id: 2, owner: 1 }),
    store.put(THINGS, "b", { id: 1, owner: 1 }),
  ];
  const fail = (work: () => void) => () =>
    store.transaction(() => {
      work();
      throw new Error("refused");
    });
  const changed = fail(() => {
    store.put(THINGS, "a", { id: 1, owner: 1 });
    store.put(THINGS, "a", { id: 3, owner: 2 });
    store.nextId("thing");
  });
  expect(changed).toThrow("refused");
  expect(store.get(THINGS, "a", 1)).toBe(first);
  expect(store.get(THINGS, "a", 2)).toBe(second);
  expect([store.all(THINGS, "a"), store.children(THINGS, "a", 2)]).toEqual([[first, second], []]);
  const removed = fail(() => {
    store.remove(THINGS, "a", 1);
    store.put(THINGS, "a", { id: 1, owner: 2 });
  });
  expect(removed).toThrow("refused");
  expect(store.get(THINGS, "a", 1)).toBe(first);
  expect(store.get(THINGS, "a", 2)).toBe(second);
  expect(store.all(THINGS, "a")).toEqual([first, second]);
  expect(store.children(THINGS, "a", 1)).toEqual([first, second]);
  expect(store.get(THINGS, "b", 1)).toBe(foreign);
});

test("a row that moves to another parent is found there only", () => {
  const store = new Store(":memory:", () => 0, []);
  store.put(THINGS, "a", { id: 1, owner: 1 });
  store.put(THINGS, "a", { id: 1, owner: 2 });
  expect([store.children(THINGS, "a", 1), store.children(THINGS, "a", 2)]).toEqual([[], [{ id: 1, owner: 2 }]]);
});

test("rows, order, sequences, ledger and running jobs survive a restart", async () => {
  const database = temporaryFile();
  const first = await running({ database });
  for (const label of ["one", "two", "three"]) await first.ok("POST", "/compute/instances", { ...DEBIAN, label });
  await first.close();
  const second = await running({ database });
  const { data } = await second.ok("GET", "/compute/instances");
  expect((data as { label: string }[]).map((row) => row.label)).toEqual(["one", "two", "three"]);
  expect(second.control.ledger({ mutating: true })).toHaveLength(3);
  await second.clock.advance(30_000);
  expect(await second.ok("GET", "/compute/instances/1002")).toMatchObject({ status: "running" });
  expect(await second.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA" })).toMatchObject({ id: 1 });
});

test("jobs that fell due while the process was down run at the next start", async () => {
  const database = temporaryFile();
  const first = await running({ database });
  await first.ok("POST", "/compute/instances", DEBIAN);
  await first.close();
  const later = {
    now: () => 0,
    date: () => new Date("2026-01-02T00:00:00Z"),
    schedule: () => () => {},
    turn: () => Promise.resolve(),
  };
  const second = await startSimulator({ database, token: "demo-token", clock: later });
  onTestFinished(() => second.close());
  const headers = { Authorization: "Bearer demo-token" };
  const reply = await fetch(`${second.url}/v4/compute/instances/1001`, { headers });
  expect(await reply.json()).toMatchObject({ status: "running", updated: "2026-01-01T00:00:30" });
});

test("what was answered before a kill is there after it", { timeout: 30_000 }, async () => {
  const database = temporaryFile();
  const child = spawn(process.execPath, [
    "src/simulator/main.ts",
    "--port",
    "0",
    "--token",
    "demo-token",
    "--database",
    database,
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = await new Promise<string>((resolve) => {
    child.stdout.on("data", (text: Buffer) => {
      const found = /listening on (\S+)/.exec(String(text))?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const headers = { Authorization: "Bearer demo-token", "Content-Type": "application/json" };
  const body = JSON.stringify({ ssh_key: "ssh-rsa AAAA" });
  const answered = await fetch(`${url}/v4/profile/sshkeys`, { method: "POST", headers, body });
  expect(answered.status).toBe(200);
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
  const second = await running({ database });
  expect((await second.ok("GET", "/profile/sshkeys"))["results"]).toBe(1);
});
